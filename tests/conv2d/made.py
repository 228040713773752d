"""Results made by hand, for what is computed from them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from wizard.conv2d.shapes import Shape, square
from wizard.conv2d.verdicts import Loaded, Result, Verdict

CARD = Loaded("2.2.2+rocm5.7", "5.7.31921", "AMD Radeon RX 5600 XT", "gfx1030:xnack-")


def made(shape: Shape | None = None, verdict: Verdict = Verdict.PASS, **fields: Any) -> Result:
    """A result on the card, with what is not usual about it."""
    plain = Result(shape or square(16, 32, 64), "miopen", verdict, "", 1, CARD)
    return replace(plain, **fields)
