"""Wheels to ask for in tests, at some index or in some folder, and what comes of asking."""

from __future__ import annotations

import asyncio
import time
from enum import Enum
from typing import NamedTuple

from wizard.host.environment import Target
from wizard.plan.wheel_index import USUAL, Gone, NotAsked, Patience, Wheels, ask

WHEELS = (
    "torch-1.13.1+rocm5.2-cp310-cp310-linux_x86_64.whl",
    "torchvision-0.14.1+rocm5.2-cp310-cp310-linux_x86_64.whl",
    "torchaudio-0.13.1+rocm5.2-cp310-cp310-linux_x86_64.whl",
)
QUICK = Patience(stall_s=0.5, all_s=1.5)
"""For servers that never come to an end; for all others a busy machine needs the usual one."""


def wheels_at(place: str, python: str = "3.10", *, in_folder: bool = False) -> Wheels:
    """Those of rocm52."""
    return Wheels(
        place=place,
        in_folder=in_folder,
        requirements=(
            "torch==1.13.1+rocm5.2",
            "torchvision==0.14.1+rocm5.2",
            "torchaudio==0.13.1+rocm5.2",
        ),
        target=Target(python, "2.39"),
    )


class Standing(Enum):
    LISTED = "listed"
    GONE = "gone"
    NOT_ASKED = "not asked"


class Answer(NamedTuple):
    standing: Standing
    detail: str = ""


def answer_of(
    wanted: Wheels, patience: Patience = USUAL, environ: dict[str, str] | None = None
) -> Answer:
    """What comes of asking."""
    try:
        asyncio.run(ask(wanted, environ or {}, patience))
    except NotAsked as failure:
        return Answer(Standing.NOT_ASKED, str(failure))
    except Gone as gone:
        return Answer(Standing.GONE, str(gone))
    return Answer(Standing.LISTED)


class Stopwatch:
    """How long something took."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    @property
    def seconds(self) -> float:
        """So far."""
        return time.monotonic() - self._began
