"""Questions and answers for tests: a stack's wheels at some address, a suite at another."""

from __future__ import annotations

import asyncio
import time

from wizard.available.answers import Answer
from wizard.available.asking import USUAL, Patience, ask
from wizard.available.questions import Question, Suites, Wheels

WHEELS = (
    "torch-1.13.1+rocm5.2-cp310-cp310-linux_x86_64.whl",
    "torchvision-0.14.1+rocm5.2-cp310-cp310-linux_x86_64.whl",
    "torchaudio-0.13.1+rocm5.2-cp310-cp310-linux_x86_64.whl",
)
QUICK = Patience(stall_s=0.5, each_s=0.6, all_s=2.0)
"""For servers that never come to an end; for all others a busy machine needs the usual one."""
WHEN = "2026-11-22T13:00+00:00"


def wheels_at(place: str, python: str = "3.10", *, in_folder: bool = False) -> Wheels:
    """Those of rocm52."""
    return Wheels(
        stack="rocm52",
        number=1,
        title="ROCm 5.2 wheels",
        place=place,
        in_folder=in_folder,
        requirements=(
            "torch==1.13.1+rocm5.2",
            "torchvision==0.14.1+rocm5.2",
            "torchaudio==0.13.1+rocm5.2",
        ),
        python=python,
        glibc="2.39",
        labelled=True,
        shipped="somebody said so; 2026-11",
    )


def suites_at(place: str, *suites: str) -> Suites:
    """Those of ROCm 5.2.0."""
    return Suites("5.2.0", place, suites or ("ubuntu", "focal"), "somebody said so; 2026-11")


def answers_of(
    *asked: Question, patience: Patience = USUAL, environ: dict[str, str] | None = None
) -> dict[Question, Answer]:
    """What comes of asking."""

    async def all_of_them() -> dict[Question, Answer]:
        return {
            question: answer
            async for question, answer in ask(asked, environ or {}, patience, lambda: WHEN)
        }

    return asyncio.run(all_of_them())


def answer_of(
    question: Question, patience: Patience = USUAL, environ: dict[str, str] | None = None
) -> Answer:
    """What comes of asking one."""
    return answers_of(question, patience=patience, environ=environ)[question]


class Stopwatch:
    """How long something took."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """So far."""
        return time.monotonic() - self._began
