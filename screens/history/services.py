"""Runs that are over, for the history: read, compared, and handed out as files."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.conv2d.cards.result_card import Here, ResultCard
    from wizard.conv2d.runs.folders import KeptRuns, Run
    from wizard.conv2d.runs.history import Account
    from wizard.conv2d.search.setting_answer import Found
    from wizard.conv2d.verdicts import Result
    from wizard.machine.host import Host
    from wizard.places import Places

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


@dataclass(frozen=True, slots=True)
class Past:
    """What is asked of runs that are over. Each may take a while, and runs in a thread."""

    kept: Callable[[], KeptRuns]
    account: Callable[[Run], Account]
    whole: Callable[[Run], Lines]
    """Its report."""
    results: Callable[[Run], tuple[Result, ...]]
    found: Callable[[Run], Found]
    """The setting that it found. Raises Trouble."""
    compare: Callable[[Run, Run | None], Lines]
    """With another, or with the one before of the same rows. Raises Trouble."""
    card: Callable[[Run], Draft]
    """Raises Trouble."""
    script: Callable[[Run, int], Draft]
    """For the result at that place. Raises Trouble."""
    take_in: Callable[[str, Run | None], Lines]
    """The card in a file, and beside a run; it is kept where anything is. Raises Trouble."""
    is_there: Callable[[str], bool]
    write: Callable[[str, str, bool], str] | None
    """A text to a path, over what is there if so said; gives the path. Raises Trouble. None where
    nothing may be written: in a dry run."""


def past_of(host: Host, places: Places, *, live: bool) -> Past | None:
    """The runs of this machine; None for a recorded one, which has none of its own."""
    if host.name:
        return None
    return Past(
        kept=partial(_kept, places),
        account=_account,
        whole=_whole,
        results=_results,
        found=_found,
        compare=partial(_compare, host, places),
        card=partial(_card, host, places),
        script=partial(_script, places),
        take_in=partial(_take_in, host, places),
        is_there=partial(_is_there, places),
        write=partial(_write, places) if live else None,
    )


def _kept(places: Places) -> KeptRuns:
    from wizard.conv2d.runs.folders import kept_runs

    return kept_runs(places)


def _account(run: Run) -> Account:
    from wizard.conv2d.runs.history import account_of

    return account_of(run)


def _whole(run: Run) -> Lines:
    from wizard.report.run_history import run_lines

    return tuple(run_lines(run))


def _results(run: Run) -> tuple[Result, ...]:
    from wizard.conv2d.runs.history import told_by

    return told_by(run).done.results


def _found(run: Run) -> Found:
    from wizard.conv2d.asked import sweep_in
    from wizard.conv2d.runs.history import told_by
    from wizard.conv2d.search.setting_answer import found_by
    from wizard.report.past_runs import nothing_found

    found = found_by(told_by(run).done.setting, sweep_in(run.request).python)
    if found is None:
        raise nothing_found(run)
    return found


def _compare(host: Host, places: Places, run: Run, other: Run | None) -> Lines:
    from wizard.conv2d.cards.comparison import compare_runs
    from wizard.conv2d.cards.result_card import look_here
    from wizard.conv2d.runs.folders import runs_of
    from wizard.report.conv2d_compare import compare_lines
    from wizard.report.past_runs import none_before, run_before

    before = other or run_before(run, runs_of(places))
    if before is None:
        raise none_before(run)
    here = look_here(host)
    one, two = sorted((before, run), key=lambda each: each.id)
    found = compare_runs(_card_of(one, here), _card_of(two, here))
    return tuple(compare_lines(found, here.gfx))


def _card_of(run: Run, here: Here) -> ResultCard:
    """Raises ``Trouble`` for a run without results."""
    from wizard.conv2d.runs.last_sweep import sweep_of_run
    from wizard.report.past_runs import card_of, no_results

    told = sweep_of_run(run)
    if not told.results:
        raise no_results(run)
    return card_of(told, here)


def _card(host: Host, places: Places, run: Run) -> Draft:
    from wizard.conv2d.cards.card_form import card_text
    from wizard.conv2d.cards.result_card import look_here
    from wizard.report.conv2d_compare import card_lines, holds_text

    card = _card_of(run, look_here(host))
    path = f"{places.home}/conv2d-{run.id}.json"
    about = (holds_text(card), "", *card_lines(card))
    return Draft(path, card_text(card), about, (*COMMAND, "--export", "PATH", "--run", run.id))


def _script(places: Places, run: Run, place: int) -> Draft:
    from wizard.conv2d.words.repro import NoRepro, repro_of_result, row_of
    from wizard.report.conv2d_repro import repro_lines
    from wizard.report.past_runs import no_script

    result = _results(run)[place]
    try:
        text = repro_of_result(result)
    except NoRepro as error:
        raise no_script(str(error)) from None
    device = "cpu" if result.loaded.device == "cpu" else "cuda"
    shape = result.shape
    name = f"conv2d-repro-{shape.c_in}-{shape.c_out}-{shape.h}x{shape.w}.py"
    number = ("--result", str(place + 1))
    return Draft(
        f"{places.home}/{name}",
        text,
        tuple(repro_lines(row_of(result), "python3", device)),
        (*COMMAND, "--repro", "PATH", "--run", run.id, *number),
    )


def _take_in(host: Host, places: Places, typed: str, run: Run | None) -> Lines:
    from wizard.conv2d.cards.card_form import card_from, no_file
    from wizard.conv2d.cards.comparison import compare_runs
    from wizard.conv2d.cards.handed_out import place_of
    from wizard.conv2d.cards.result_card import look_here
    from wizard.report.conv2d_compare import card_lines, compare_lines

    path, here = place_of(typed, places.home), look_here(host)
    if path.exists() and not path.is_file():  # a pipe would be waited for without end
        raise no_file(path)
    card = card_from(path)
    lines = [*card_lines(card, here.gfx)]
    if run is not None and _results(run):
        lines += ["", f"Beside your run of {run.since}:", ""]
        lines += compare_lines(compare_runs(card, _card_of(run, here)), here.gfx)
    return tuple(lines)


def _is_there(places: Places, typed: str) -> bool:
    from wizard.conv2d.cards.handed_out import is_there, place_of

    return is_there(place_of(typed, places.home))


def _write(places: Places, typed: str, text: str, over: bool) -> str:
    from wizard.conv2d.cards.handed_out import not_written, place_of, write_new, write_over

    path = place_of(typed, places.home)
    try:
        (write_over if over else write_new)(path, text)
    except OSError as error:
        raise not_written(path, error) from None
    return str(path)
