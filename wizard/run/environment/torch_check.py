"""The check of an installed torch: runs it in a child and judges what it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import assets
from wizard.core.events import Output
from wizard.core.lines import clean, clean_lines
from wizard.core.trouble import Trouble, explained
from wizard.plan.steps import CheckTorch
from wizard.system.joined_groups import with_joined_group
from wizard.system.system import Act, Done, System


async def check_torch(step: CheckTorch, system: System) -> Act:
    """Import, device, one tiny product, and which libraries were really loaded."""
    answer_file = Path(system.scratch) / "torch_check.json"
    answer_file.unlink(missing_ok=True)
    script = assets.FOLDER / "torch_check.py"
    argv: tuple[str, ...]
    argv = (step.python, str(script), "--device", step.device, "--result", str(answer_file))
    environment = system.environment((("PYTHONDONTWRITEBYTECODE", "1"),))
    if step.device == "cuda":
        argv = with_joined_group(argv, environment)
    async for output in system.run(argv, environment, step.deadline_s):
        yield output
    answer = _answer_in(answer_file)
    yield Output(tuple(_told(answer)))
    _judge(step, answer)
    yield Done(f"torch {answer['torch']}, {answer['device'] or 'no device requested'}")


def _answer_in(file: Path) -> Mapping[str, object]:
    """What the check found; torch itself may end Python before it could be written."""
    try:
        answer = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        answer = None
    expected = {"error"}, {"torch", "torch_folder", "device", "matmul"}
    if isinstance(answer, dict) and any(names <= answer.keys() for names in expected):
        return answer
    raise Trouble(
        "The torch check ended without a result.",
        "Importing torch crashed the Python process, or its output was cut off.",
        "Read the log above, then run the same command again to repeat the check.",
    )


def _told(answer: Mapping[str, object]) -> list[str]:
    lines = [f"{name}: {value}" for name, value in answer.items() if name != "libraries"]
    libraries = answer.get("libraries")
    if isinstance(libraries, dict):
        lines += [f"loaded {name}: {path}" for name, path in sorted(libraries.items())]
    return [clean(line) for text in lines for line in text.splitlines()]


def _judge(step: CheckTorch, answer: Mapping[str, object]) -> None:
    if "error" in answer:
        raise explained(clean_lines(str(answer["error"])), 1)
    if not str(answer["torch"]).startswith(step.expect_torch):
        raise Trouble(
            f"torch {answer['torch']} was loaded instead of {step.expect_torch}.",
            f"Python found another torch first, in {answer['torch_folder']}.",
            "Remove that torch, or make sure that this Python cannot find it. Then run the "
            "same command again.",
        )
    if step.device != "none" and answer["matmul"] != "right":
        raise Trouble(
            f"A small test calculation failed: {answer['matmul']}.",
            "torch is installed, but the device cannot be used, or gives wrong results.",
            "Check the device rows that `rdna1-setup detect` shows and fix any problem, then run "
            "the same command again.",
        )
