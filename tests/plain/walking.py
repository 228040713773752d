"""The plain road as a whole process, its answers coming from a pipe."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.commands.running import ROOT, environment


def walk(home: Path, answers: str, *arguments: str, **more: str) -> tuple[int, str]:
    """The exit code and the transcript of ``--plain``; answers stand apart with blanks.

    ``.`` is Enter alone, ``{rocm57}`` the number under which that stack is offered there.
    """
    while found := re.search(r"{(\w+)}", answers):
        _, told = walk(home, f"{answers[: found.start()]} q", *arguments, **more)
        numbers = re.findall(rf"^  (\d+)  {found[1]}: ", told, re.MULTILINE)
        assert numbers, told
        answers = answers[: found.start()] + numbers[-1] + answers[found.end() :]
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
    # Where a line is folded depends on how long the path of this checkout is.
    worker = rf"\s+{re.escape(str(ROOT))}/assets/conv2d_worker\.py\s+measure\s+--device\s+"
    text = re.sub(worker, " conv2d_worker.py measure --device ", text)
    check = rf"torch_check\.py:\s+{re.escape(str(ROOT))}/assets/torch_check\.py"
    return done.returncode, re.sub(check, "torch_check.py: assets/torch_check.py", text)
