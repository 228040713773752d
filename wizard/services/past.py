"""Runs of Conv2d that are over: read, compared, and handed out as files."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wizard.commands.looking import places_of

if TYPE_CHECKING:
    from wizard.conv2d.cards.result_card import Here, ResultCard
    from wizard.conv2d.runs.folders import KeptRuns, Run
    from wizard.conv2d.runs.history import Account
    from wizard.conv2d.sweep import Found
    from wizard.conv2d.verdicts import Result
    from wizard.host.host import Host

COMMAND = ("rdna1-setup", "conv2d")
Lines = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """A file that could be written."""

    path: str
    """Where it would go, unless its owner says otherwise."""
    text: str
    about: Lines
    """What it holds, in words: it leaves the machine."""
    command: Lines
    """The shell line that writes the same; ``PATH`` stands for the place."""

    @property
    def line(self) -> str:
        """The shell line with the usual place."""
        return shlex.join(self.path if word == "PATH" else word for word in self.command)


class Past:
    """The runs of one machine. Each question may take a while, and runs in a thread."""

    def __init__(self, host: Host, *, live: bool) -> None:
        self._host, self._places, self._live = host, places_of(host), live
        self.is_here = not host.name
        """False for a recorded machine, which has none of its own."""

    def kept(self) -> KeptRuns:
        """Every run that is kept."""
        from wizard.conv2d.runs.folders import KeptRuns, kept_runs

        return kept_runs(self._places) if self.is_here else KeptRuns()

    def account(self, run: Run) -> Account:
        """What a run came to."""
        from wizard.conv2d.runs.history import account_of

        return account_of(run)

    def whole(self, run: Run) -> Lines:
        """The report of a run."""
        from wizard.report.conv2d_runs import run_lines

        return tuple(run_lines(run))

    def results(self, run: Run) -> tuple[Result, ...]:
        """What a run measured."""
        from wizard.conv2d.runs.history import told_by

        return told_by(run).done.results

    def found(self, run: Run) -> Found:
        """The setting that a run found. Raises Trouble."""
        from wizard.conv2d.requests import sweep_in
        from wizard.conv2d.runs.history import told_by
        from wizard.conv2d.sweep import found_by
        from wizard.report.conv2d_runs import nothing_found

        found = found_by(told_by(run).done.setting, sweep_in(run.request).python)
        if found is None:
            raise nothing_found(run)
        return found

    def compare(self, run: Run, other: Run | None) -> Lines:
        """A run with another, or with the one before of the same rows. Raises Trouble."""
        from wizard.conv2d.cards.comparison import compare_runs
        from wizard.conv2d.runs.folders import runs_of
        from wizard.report.conv2d_runs import compare_lines, none_before, run_before

        before = other or run_before(run, runs_of(self._places))
        if before is None:
            raise none_before(run)
        here = self._here()
        one, two = sorted((before, run), key=lambda each: each.id)
        found = compare_runs(_card_of(one, here), _card_of(two, here))
        return tuple(compare_lines(found, here.gfx))

    def card(self, run: Run) -> Draft:
        """A run as a card for others. Raises Trouble."""
        from wizard.conv2d.cards.card_form import card_text
        from wizard.report.conv2d_runs import card_lines, holds_text

        card = _card_of(run, self._here())
        path = f"{self._places.home}/conv2d-{run.id}.json"
        about = (holds_text(card), "", *card_lines(card))
        return Draft(path, card_text(card), about, (*COMMAND, "--export", "PATH", "--run", run.id))

    def script(self, run: Run, place: int) -> Draft:
        """A script for the result at that place. Raises Trouble."""
        from wizard.conv2d.repro import NoRepro, repro_of_result, row_of
        from wizard.report.conv2d_row import repro_lines
        from wizard.report.conv2d_runs import no_script

        result = self.results(run)[place]
        try:
            text = repro_of_result(result)
        except NoRepro as error:
            raise no_script(str(error)) from None
        device = "cpu" if result.loaded.device == "cpu" else "cuda"
        shape = result.shape
        name = f"conv2d-repro-{shape.c_in}-{shape.c_out}-{shape.h}x{shape.w}.py"
        return Draft(
            f"{self._places.home}/{name}",
            text,
            tuple(repro_lines(row_of(result), "python3", device)),
            (*COMMAND, "--repro", "PATH", "--run", run.id, "--result", str(place + 1)),
        )

    def take_in(self, typed: str, run: Run | None) -> Lines:
        """The card in a file, and beside a run; it is kept where anything is. Raises Trouble."""
        from wizard.conv2d.cards.card_form import card_from, no_file, place_of
        from wizard.conv2d.cards.comparison import compare_runs
        from wizard.report.conv2d_runs import card_lines, compare_lines

        path, here = place_of(typed, self._places.home), self._here()
        if path.exists() and not path.is_file():  # a pipe would be waited for without end
            raise no_file(path)
        card = card_from(path)
        lines = [*card_lines(card, here.gfx)]
        if run is not None and self.results(run):
            lines += ["", f"Beside your run from {run.since}:", ""]
            lines += compare_lines(compare_runs(card, _card_of(run, here)), here.gfx)
        return tuple(lines)

    def is_there(self, typed: str) -> bool:
        """True where something is at a path."""
        from wizard.conv2d.cards.card_form import is_there, place_of

        return is_there(place_of(typed, self._places.home))

    def write(self, typed: str, text: str, over: bool) -> str:
        """A text to a path, over what is there if so said; gives the path. Raises Trouble."""
        from wizard.conv2d.cards.card_form import not_written, place_of, write_new, write_over

        if not self._live:
            raise ValueError("a dry run writes nothing")
        path = place_of(typed, self._places.home)
        try:
            (write_over if over else write_new)(path, text)
        except OSError as error:
            raise not_written(path, error) from None
        return str(path)

    def _here(self) -> Here:
        from wizard.conv2d.cards.result_card import look_here

        return look_here(self._host)


def _card_of(run: Run, here: Here) -> ResultCard:
    """Raises ``Trouble`` for a run without results."""
    from wizard.conv2d.runs.history import sweep_of_run
    from wizard.report.conv2d_runs import card_of, no_results

    told = sweep_of_run(run)
    if not told.results:
        raise no_results(run)
    return card_of(told, here)
