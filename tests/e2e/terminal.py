"""A real terminal of 80x24 for a program under test: keys go in, the text it drew comes out."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType

_ESCAPES = re.compile(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_].*?\x1b\\|.)"
)


def _own_the_terminal() -> None:
    """As a login does it: closing the window then hangs the program up."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def waited_s(*processes: int) -> float:
    """How long the main threads of these processes have waited for a processor so far."""
    files = (Path(f"/proc/{pid}/schedstat") for pid in processes)
    return sum(int(file.read_text().split()[1]) for file in files) / 1e9


class Terminal:
    """Starts a program on a pseudo terminal and ends it when left."""

    def __init__(
        self,
        command: tuple[str, ...],
        environment: Mapping[str, str],
        size: tuple[int, int] = (24, 80),
        *,
        owned: bool = True,
        more: Mapping[str, str] | None = None,
    ) -> None:
        """``owned`` is false for a program below su or a container: no hang-up reaches it.

        ``more`` are variables of this terminal in place of the usual ones.
        """
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
        self._process = subprocess.Popen(
            command,
            env={**environment, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(more or {})},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=_own_the_terminal if owned else None,
        )
        os.close(slave)
        self._open = True
        self._seen = b""
        self.drawn = b""
        """All that came, escapes too."""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait(10)
        self.hang_up()

    @property
    def pid(self) -> int:
        """The program's process."""
        return self._process.pid

    def has_ended(self) -> bool:
        """True when the program is no longer there."""
        return self._process.poll() is not None

    def hang_up(self) -> None:
        """Close the window: the kernel tells the program, and nobody reads what it draws."""
        if self._open:
            self._open = False
            os.close(self._master)

    def send(self, keys: str) -> None:
        """Type keys; what was drawn before no longer counts for ``wait_for``."""
        self._seen = b""
        os.write(self._master, keys.encode())

    def wait_for(self, text: str, seconds: float = 60) -> None:
        """Read until the text was drawn since the last key."""
        limit = time.monotonic() + seconds
        while text.encode() not in _ESCAPES.sub(b"", self._seen):
            assert time.monotonic() < limit, f"{text!r} was not drawn; last: {self._shown()}"
            self.read_some(0.2)

    def exit_code(self, seconds: float = 30) -> int:
        """Wait for the program's end, reading what it still draws."""
        limit = time.monotonic() + seconds
        while self._process.poll() is None:
            assert time.monotonic() < limit, f"it does not end; last: {self._shown()}"
            self.read_some(0.2)
        return self._process.returncode

    def wait_for_end(self, seconds: float = 30) -> int:
        """Wait for a program whose terminal may be gone."""
        return self._process.wait(seconds) if not self._open else self.exit_code(seconds)

    def text(self) -> str:
        """What was drawn since the last key, without the escapes."""
        return _ESCAPES.sub(b"", self._seen).decode(errors="replace")

    def wait_until(self, holds: Callable[[], bool], what: str, seconds: float = 120) -> None:
        """Read on until something outside holds: a program that nobody reads would block."""
        limit = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < limit, f"{what} never came true; last: {self._shown()}"
            self.read_some(0.02)

    def read_on(self, seconds: float) -> None:
        """Take what is drawn within that time, and nothing else."""
        limit = time.monotonic() + seconds
        while (left := limit - time.monotonic()) > 0:
            self.read_some(left)

    def read_some(self, seconds: float = 0.2) -> None:
        """Read what is there, or the next that comes within that time."""
        if select.select([self._master], [], [], seconds)[0]:
            try:
                chunk = os.read(self._master, 65_536)
                self._seen += chunk
                self.drawn += chunk
            except OSError:
                time.sleep(0.05)  # the program closed its side and is about to end

    def _shown(self) -> str:
        return _ESCAPES.sub(b"", self._seen)[-2000:].decode(errors="replace")
