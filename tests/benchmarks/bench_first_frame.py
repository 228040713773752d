"""Measures the time to the first frame against a bare Textual app with header, text and footer.

Run: python -m tests.benchmarks.bench_first_frame. Goal: at most 1.5 times. Each run is a whole
process on a terminal of its own (a pty of 80x24) that ends when its first frame is out; without
one Textual would draw nothing, so the times are taken here and not by ``ratio.seconds``.
"""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

from tests.benchmarks.ratio import print_pairs

ROOT = Path(__file__).parents[2]
GOAL = 1.5
RUNS = 15
BARE = """
from textual.app import App
from textual.widgets import Footer, Header, Static

class Bare(App):
    def compose(self):
        yield Header()
        yield Static("some text")
        yield Footer()
    def on_ready(self):
        self.screen.call_after_refresh(self.exit)

Bare().run()
"""
OURS = """
from dataclasses import fields
from screens.app import SetupApp
from screens.services import Services

class First(SetupApp):
    def on_ready(self):
        self.screen.call_after_refresh(self.exit)

given = {field.name: lambda *_: () for field in fields(Services)}
plain = {"mode": "live", "unicode": True, "unfinished": lambda: None, "at_work": lambda: None}
app = First(Services(**{**given, **plain}))
app.run()
raise SystemExit(app.return_code)  # 1 when a screen broke off, which takes longer still
"""

BARE_SHOWN = (BARE, b"some text")
OURS_SHOWN = (OURS, b"LIVE: changes are made after")
"""A program, and what its first frame must show."""


def seconds(code: str, must_show: bytes) -> float:
    """How long a process takes from its start to its end, on a terminal that is read."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    printed = bytearray()
    reader = threading.Thread(target=_drain, args=(ours, printed), daemon=True)
    reader.start()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm-256color"}
    begin = time.perf_counter()
    subprocess.run(
        (sys.executable, "-c", code),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=environment,
        check=True,
    )
    took = time.perf_counter() - begin
    os.close(theirs)
    reader.join()
    os.close(ours)
    if must_show not in printed:
        raise SystemExit(f"the first frame does not show {must_show!r}: nothing was measured")
    return took


def _drain(terminal: int, printed: bytearray) -> None:
    try:
        while chunk := os.read(terminal, 65536):
            printed += chunk
    except OSError:  # EIO: the other side is closed
        return


def main() -> int:
    """Print the medians and their ratio; 1 when the goal is missed."""
    for app in (OURS_SHOWN, BARE_SHOWN):
        seconds(*app)  # once, so that bytecode is there
    pairs = [(seconds(*OURS_SHOWN), seconds(*BARE_SHOWN)) for _ in range(RUNS)]
    return 0 if print_pairs("first frame", GOAL, pairs) else 1


if __name__ == "__main__":
    sys.exit(main())
