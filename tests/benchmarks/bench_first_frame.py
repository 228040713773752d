"""Measures the time to the first frame against a bare Textual app with header, text and footer.

Run: python tests/benchmarks/bench_first_frame.py. Goal: at most 1.5 times. Each run is a whole
process on a terminal of its own (a pty of 80x24) that ends when its first frame is out.
"""

from __future__ import annotations

import fcntl
import os
import pty
import statistics
import struct
import subprocess
import sys
import termios
import threading
import time
from pathlib import Path

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
First(Services(**{**given, "mode": "live", "unicode": True})).run()
"""


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
    apps = ((BARE, b"some text"), (OURS, b"LIVE: changes are made after"))
    for app in apps:
        seconds(*app)  # once, so that bytecode is there
    pairs = [tuple(seconds(*app) for app in apps) for _ in range(RUNS)]
    bare, ours = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = ours / bare
    print(f"bare Textual app   {bare * 1000:7.1f} ms")
    print(f"our first frame    {ours * 1000:7.1f} ms")
    print(f"ratio              {ratio:7.2f}   (goal: at most {GOAL})")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
