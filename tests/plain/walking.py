"""The plain road as a whole process, its answers coming from a pipe."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.commands.running import ROOT, environment


def walk(home: Path, answers: str, *arguments: str, **more: str) -> tuple[int, str]:
    """The exit code and the transcript of ``--plain``; answers stand apart with blanks.

    ``.`` is Enter alone.
    """
    lines = ("" if word == "." else word for word in answers.split())
    done = subprocess.run(
        (sys.executable, "-m", "wizard", "--plain", *arguments),
        env=environment(home, **more),
        input="".join(f"{line}\n" for line in lines).encode(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    text = done.stdout.decode()
    assert "\r" not in text
    assert "\x1b" not in text
    return done.returncode, WRAPPED.sub(_one_line, text).replace(str(ROOT), HERE)


HERE = "WHERE-IT-LIES"
WRAPPED = re.compile(rf"(?m)^( +)\S*.*{re.escape(str(ROOT))}.*(?:\n\1 +\S.*)*")
"""A command that names this source tree, over as many lines as its path makes it."""


def _one_line(command: re.Match[str]) -> str:
    return command[1] + " ".join(command[0].split())
