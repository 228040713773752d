"""The real helper as a process on a terminal of its own, at which somebody always types yes.

Standard library alone: it runs in a root, beside the helper.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
import select
import subprocess
import termios
import time
from collections.abc import Iterator
from typing import Any

QUESTION = b"change nothing: "
PATIENCE_S = 60.0
NOT_PLAIN = re.compile(rb"[^\x20-\x7e\r\n]")
"""What could move the cursor: nothing of a plan may be shown as it is sent."""


class Session:
    """A helper that was sent a first line, as if by sudo for the owner."""

    def __init__(self, argv: tuple[str, ...], line: bytes, owner: int) -> None:
        self._terminal, self._theirs = os.openpty()
        self.shown = b""
        self._heard = b""
        self._process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "SUDO_UID": str(owner)},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(self._theirs, termios.TIOCSCTTY, 0),
        )
        assert self._process.stdout is not None
        self._out = self._process.stdout.fileno()
        self.say(line)
        self.first = self._answer()

    def say(self, line: bytes) -> None:
        """Send a line, if anybody is there to read it."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(line + b"\n")
            self._process.stdin.flush()

    def _answer(self) -> dict[str, Any]:
        """Type yes once it is asked; the first thing that the helper then says."""
        answered = False
        while b"\n" not in self._heard:
            ready, _, _ = select.select((self._out, self._terminal), (), (), PATIENCE_S)
            assert ready, f"no answer after {self.shown[-500:]!r}"
            if self._terminal in ready:
                self.shown += os.read(self._terminal, 65_536)
            if QUESTION in self.shown and not answered:
                answered = True
                os.write(self._terminal, b"yes\n")
            if self._out in ready and not self._hear():
                break
        return self.hear()

    def _hear(self) -> bool:
        chunk = os.read(self._out, 65_536)
        self._heard += chunk
        return bool(chunk)

    def hear(self) -> dict[str, Any]:
        """The next event; ``{"event": "gone"}`` when nobody can send one any more."""
        limit = time.monotonic() + PATIENCE_S
        while b"\n" not in self._heard:
            ready, _, _ = select.select((self._out,), (), (), max(0, limit - time.monotonic()))
            assert ready, "the helper says nothing and does not end"
            if not self._hear():
                return {"event": "gone"}
        line, _, self._heard = self._heard.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        return event

    def events(self, number: int) -> Iterator[dict[str, Any]]:
        """Ask for a step and hear it to its end."""
        self.say(json.dumps({"do": number}).encode())
        while True:
            event = self.hear()
            yield event
            if event["event"] in ("done", "failed", "gone"):
                return

    def is_plain(self) -> bool:
        """True while nothing but printable text has reached the terminal."""
        return not NOT_PLAIN.search(self.shown)

    def end(self) -> int:
        """Close the input and hear on until nobody can send; the exit code of what sudo started."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()
        while self.hear()["event"] != "gone":
            pass
        code = self._process.wait(PATIENCE_S)
        assert self._process.stdout is not None
        self._process.stdout.close()
        os.close(self._terminal)
        os.close(self._theirs)
        return code
