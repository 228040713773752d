"""Check an installed torch: run it in a child, and judge what it answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path

import assets
from wizard.core.events import Done, Output
from wizard.core.lines import clean, clean_lines
from wizard.core.trouble import Trouble, explained
from wizard.operations.operation import After, Before, Operation
from wizard.system.joined_groups import with_joined_group
from wizard.system.system import News, System


@dataclass(frozen=True, slots=True)
class CheckTorch(Operation):
    """Import torch in a child, run one tiny matmul, and see which libraries were really loaded."""

    reason: str
    python: str
    expect_torch: str
    """Version prefix that must be found."""
    device: str
    """``cuda``, ``cpu``, or ``none`` where no device is asked for."""
    deadline_s: float = 180.0

    title = "Check that PyTorch works"
    changes = False

    def shown(self) -> str:
        """The call; the script is ours."""
        return f"{self.python} torch_check.py --device {self.device}"

    async def do(self, system: System, before: Before) -> News:
        """Check it; the answer is the proof."""
        answer_file = Path(system.scratch) / "torch_check.json"
        system.remove(str(answer_file))
        script = str(assets.FOLDER / "torch_check.py")
        argv: tuple[str, ...]
        argv = (self.python, script, "--device", self.device, "--result", str(answer_file))
        environment = system.environment((("PYTHONDONTWRITEBYTECODE", "1"),))
        if self.device == "cuda":
            argv = with_joined_group(argv, environment)
        async with aclosing(system.run(argv, environment, self.deadline_s)) as output:
            async for lines in output:
                yield lines
        answer = _answer_in(answer_file)
        yield Output(tuple(_told(answer)))
        _judge(self, answer)
        yield Done(f"torch {answer['torch']}, {answer['device'] or 'no device requested'}")

    def verify(self, before: Before) -> After:
        """Nothing more: the check itself was the proof."""
        return After()

    def holds(self, before: Before) -> bool:
        """A check is cheap and worth repeating."""
        return False


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
