"""What a sweep has come to, as its views show it: one value for all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from screens.words import short_time
from wizard.conv2d.shapes import Published, Row
from wizard.conv2d.text import error_of
from wizard.conv2d.verdicts import Result, Verdict, chip_measured, rocm_measured
from wizard.core.lines import shown

NOT_RUN = "· not run"
EXAMPLE = "example"
MARKS = {
    Verdict.PASS: ("✓", "$text-success"),
    Verdict.SLOW: ("✓", "$text-warning"),
    Verdict.WRONG: ("✗", "$text-error"),
    Verdict.ERROR: ("✗", "$text-error"),
    Verdict.HUNG: ("✗", "$text-error"),
    Verdict.CRASHED: ("✗", "$text-error"),
    Verdict.OUT_OF_MEMORY: ("✗", "$text-error"),
    Verdict.FLAKY: ("✗", "$text-error"),
    Verdict.UNUSABLE: ("?", "$text-warning"),
}
SHORT = {
    Verdict.PASS: "right",
    Verdict.CRASHED: "crash",
    Verdict.OUT_OF_MEMORY: "memory",
    Verdict.UNUSABLE: "left",
}
"""Words of at most six letters."""
RUNNING_MARK = ">"
SHORT_PHASES = {
    "running": "runs",
    "tensors": "inputs",
    "product": "matmul",
    "backward": "back",
    "copy back": "copy",
    "compare": "check",
    "control": "again",
}
"""Words of at most six letters for longer ones."""


@dataclass(frozen=True, slots=True)
class SweepState:
    """Rows with their results so far, by 1-based number, and which one runs."""

    rows: tuple[Row, ...]
    blank: str = NOT_RUN
    """What stands for a row without a result."""
    results: Mapping[int, Result] = field(default_factory=dict)
    running: int | None = None
    phase: str = ""
    device: str = "cuda"
    chip: str | None = None
    """The chip of this machine, where it is known."""
    rocm: str = ""
    """The release of ROCm that the chosen torch was built with, where it is known."""

    def with_row(self, number: int, row: Row) -> SweepState:
        """A row that was not there beforehand, or is another one than was thought."""
        before = self.rows
        if before[number - 1 : number] == (row,):
            return self
        return replace(self, rows=(*before[: number - 1], row, *before[number:]))

    def with_phase(self, number: int, phase: str) -> SweepState:
        """What the running shape is at."""
        return replace(self, running=number, phase=phase)

    def with_result(self, number: int, result: Result) -> SweepState:
        """A shape has its verdict."""
        running = None if self.running == number else self.running
        return replace(self, results={**self.results, number: result}, running=running, phase="")

    def at_rest(self) -> SweepState:
        """Nothing is being measured."""
        return replace(self, running=None, phase="")

    @property
    def measured_chip(self) -> str | None:
        """The chip that is measured, else that of this machine, where it is known."""
        known = (chip_measured(result.loaded) for result in self.results.values())
        return next((chip for chip in known if chip is not None), self.chip)

    @property
    def measured_rocm(self) -> str:
        """The ROCm that is measured, else that of the chosen torch, where it is known."""
        known = (rocm_measured(result.loaded) for result in self.results.values())
        return next((rocm for rocm in known if rocm is not None), self.rocm)

    def claim_of(self, number: int) -> Published | None:
        """What others said of a row, where that was with the chip and the ROCm at hand."""
        claim = self.rows[number - 1].published
        if claim is None or not claim.rocm or self.on_processor:
            return None
        at_hand = (self.measured_chip, self.measured_rocm)
        return claim if (claim.chip, claim.rocm) == at_hand else None

    @property
    def on_processor(self) -> bool:
        """True when no card has a part in it."""
        first = next(iter(self.results.values()), None)
        return self.device == "cpu" if first is None else first.on_processor


@dataclass(frozen=True, slots=True)
class Mark:
    """How a row stands, in a sign, a word and a colour that says the same once more."""

    sign: str
    word: str
    style: str = ""

    @property
    def short(self) -> str:
        """Sign and word where there is room for six letters."""
        return f"{self.sign} {SHORT_PHASES.get(self.word, self.word)}".strip()

    def __str__(self) -> str:
        return f"{self.sign} {self.word}".strip()


NOT_YET = Mark("·", "", "dim")


def mark_of(state: SweepState, number: int) -> Mark:
    """How a row stands."""
    if state.running == number:
        return Mark(RUNNING_MARK, shown(state.phase) or "running", "bold")
    result = state.results.get(number)
    if result is None and (claim := state.claim_of(number)) is not None:
        return Mark("", f"({shown(claim.verdict)})", "dim")  # what others said of it
    if result is None:
        return NOT_YET if state.blank == NOT_RUN else Mark("", state.blank, "dim")
    sign, style = MARKS[result.verdict]
    return Mark(sign, SHORT.get(result.verdict, result.verdict.value), style)


def line_of_row(state: SweepState, number: int) -> str:
    """A row in few words: what it is, how it stands, its times and its error, what others said."""
    row, result = state.rows[number - 1], state.results.get(number)
    parts = [mark_of(state, number).word if state.running == number else "not measured"]
    if result is not None:
        error = error_of(result)
        parts = [
            SHORT.get(result.verdict, result.verdict.value),
            f"cold {short_time(result.cold_s)}, warm {short_time(result.warm_s)}",
            error if result.detail else f"error {error}",
        ]
        parts = [part for part in parts if part not in ("cold -, warm -", "error -")]
    parts += _published(state, number)
    return f"{shown(row.label)}: {shown(', '.join(parts))}"


def _published(state: SweepState, number: int) -> list[str]:
    """What others said of it, and of which stack and card."""
    claim = state.rows[number - 1].published
    if claim is None or state.on_processor:
        return []
    cold = "" if claim.cold_s is None else f" {short_time(claim.cold_s)}"
    return [f"published: {claim.verdict}{cold} ({claim.seen_with})"]
