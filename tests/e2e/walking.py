"""A walk through the wizard in a real terminal: each key is followed by a look at all that lies."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.e2e.homes import Home
from tests.e2e.inspected import SOCKET, TELLS, Asked
from tests.e2e.terminal import Terminal
from tests.layout.emulator import Emulator
from tests.layout.rules import breaches, differing_rows
from tests.layout.seen import Shown
from wizard.core.json_form import typed

PATIENCE_S = 30
LOOKS = 5
"""So often the terminal may show something else than the program believes, before it counts."""
KEYS_TOLD = 12
KEYS = {
    "enter": "\r",
    "escape": "\x1b[27u",  # as terminals with kitty's protocol send it: nothing is waited for
    "tab": "\t",
    "space": " ",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "right": "\x1b[C",
    "left": "\x1b[D",
    "home": "\x1b[H",
    "end": "\x1b[F",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "ctrl+p": "\x10",
    "ctrl+r": "\x12",
}


@dataclass
class Walk:
    """What is walked through, and what was found on the way."""

    terminal: Terminal
    emulator: Emulator
    line: socket.socket
    found: list[str] = field(default_factory=list)
    """Every breach, with the keys that led to it."""
    visited: set[str] = field(default_factory=set)
    """The names of the screens and dialogs that were looked at."""
    _keys: list[str] = field(default_factory=list)
    _taken: int = 0
    _asked: int = 0
    _read: int = 0
    _received: bytes = b""

    def press(self, *keys: str, goes_on: tuple[str, ...] = ()) -> Shown:
        """Type keys, and look after each of them; gives the screen after the last one.

        What Esc leads back to was looked at before, and is not looked at on the way to more.
        """
        for key in keys[:-1]:
            self._send(key)
            if key == "escape":
                self._ask(goes_on, looks=False)
            else:
                self.look(goes_on)
        self._send(keys[-1])
        return self.look(goes_on)

    def to(self, name: str, *keys: str, goes_on: tuple[str, ...] = ()) -> Shown:
        """The same, where the last key must lead to the screen of that name."""
        shown = self.press(*keys, goes_on=goes_on)
        assert shown.name == name, self._told(f"{name} should be shown, and is not", shown)
        return shown

    def type(self, text: str, goes_on: tuple[str, ...] = ()) -> Shown:
        """Type a text, and look at its end."""
        self.terminal.send(text)
        self._taken += len(text)
        self._keys.append(repr(text))
        return self.look(goes_on)

    def paste(self, text: str) -> Shown:
        """Paste a text, as a terminal does it."""
        self.terminal.send(f"\x1b[200~{text}\x1b[201~")
        self._taken += 1
        self._keys.append("a paste")
        return self.look()

    def _send(self, key: str) -> None:
        self.terminal.send(KEYS.get(key, key))
        self._taken += 1
        self._keys.append(key)

    def look(self, goes_on: tuple[str, ...] = ()) -> Shown:
        """Wait until nothing works any more, but what may go on; then look."""
        shown, rows = self._look(goes_on)
        for _ in range(LOOKS):
            if rows:  # it may have been in the middle of drawing
                shown, rows = self._look(goes_on)
        self.visited.add(shown.name)
        where = f"{' '.join(self._keys[-KEYS_TOLD:])}: "
        self.found += [where + each for each in (*breaches(shown), *rows)]
        return shown

    def _look(self, goes_on: tuple[str, ...]) -> tuple[Shown, tuple[str, ...]]:
        shown = typed(self._ask(goes_on), Shown)
        self.terminal.wait_until(self._all_is_drawn, "drawn to the end", PATIENCE_S)
        return shown, differing_rows(shown, self.emulator.rows)

    def _ask(self, goes_on: tuple[str, ...], *, looks: bool = True) -> Any:
        self._asked += 1
        asked = Asked(self._asked, self._taken, goes_on, looks)
        self.line.sendall(json.dumps(asdict(asked)).encode() + b"\n")
        answer = json.loads(self._answer())
        assert "trouble" not in answer, f"after {' '.join(self._keys)}: {answer['trouble']}"
        return answer

    def _answer(self) -> bytes:
        self.terminal.wait_until(self._has_answered, f"an answer to {self._keys[-5:]}", PATIENCE_S)
        answer, _, self._received = self._received.partition(b"\n")
        return answer

    def _has_answered(self) -> bool:
        try:
            chunk = self.line.recv(1 << 20)
        except BlockingIOError:
            return b"\n" in self._received
        assert chunk, f"the program has ended after {self._keys}: {self.terminal.text()[-2000:]}"
        self._received += chunk
        return b"\n" in self._received

    def _all_is_drawn(self) -> bool:
        self.emulator.feed(self.terminal.drawn[self._read :])
        self._read = len(self.terminal.drawn)
        return self.emulator.told == f"{TELLS};{self._asked}"

    def _told(self, what: str, shown: Shown) -> str:
        return "\n".join((f"{what} after {' '.join(self._keys)}:", shown.name, *shown.rows))


@contextmanager
def walk(size: tuple[int, int], *arguments: str, **variables: str) -> Iterator[Walk]:
    """The wizard with these arguments in a terminal of so many columns and lines."""
    command = (sys.executable, "-m", "tests.e2e.inspected", *arguments)
    columns, lines = size
    with TemporaryDirectory(prefix="walk-") as folder, socket.socket(socket.AF_UNIX) as door:
        path = os.path.join(folder, "door")  # noqa: PTH118 - short: a socket's name has 107 bytes
        door.bind(path)
        door.listen()
        door.setblocking(False)
        home = Path(folder) / "home"
        home.mkdir()
        more = {SOCKET: path, "TEXTUAL_ANIMATIONS": "none", **variables}
        environment = Home(home).environment()
        with (
            Terminal(command, environment, (lines, columns), more=more) as terminal,
            _caller(terminal, door) as line,
        ):
            yield Walk(terminal, Emulator(columns, lines), line)


@contextmanager
def _caller(terminal: Terminal, door: socket.socket) -> Iterator[socket.socket]:
    called: list[socket.socket] = []

    def has_called() -> bool:
        assert not terminal.has_ended(), terminal.text()[-2000:]
        try:
            called.append(door.accept()[0])
        except BlockingIOError:
            return False
        return True

    terminal.wait_until(has_called, "a call of the program", PATIENCE_S)
    with called[0] as line:
        line.setblocking(False)
        yield line
