"""The command line as a whole process, in a home of its own."""

import os
import pty
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MACHINE = str(ROOT / "tests" / "machines" / "rx5700xt-jammy-clean")


def environment(home: Path, **more: str) -> dict[str, str]:
    """What a shell of this home would hand on."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("XDG_", "SUDO_"))}
    return {**kept, "HOME": str(home), "PYTHONPATH": str(ROOT), **more}


def wizard(home: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """One command, with nobody there to answer."""
    return subprocess.run(
        (sys.executable, "-m", "wizard", *arguments),
        env=environment(home, **more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def answered(home: Path, answer: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """One command, with a terminal at which somebody has typed an answer."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, f"{answer}\n".encode())
        return subprocess.run(
            (sys.executable, "-m", "wizard", *arguments),
            env=environment(home),
            stdin=theirs,
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
