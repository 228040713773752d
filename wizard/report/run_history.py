"""Runs of Conv2d experiments as lines: all of them, newest first, or one of them whole."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Sequence

from wizard.conv2d.asked import described, sweep_in
from wizard.conv2d.models import model_verdicts
from wizard.conv2d.runs.folders import Run
from wizard.conv2d.runs.history import UNDER_WAY, Account, account_with, told_by
from wizard.conv2d.verdicts import Loaded
from wizard.core.lines import clean
from wizard.report.conv2d_models import model_lines
from wizard.report.conv2d_outcome import outcome_lines, trouble_lines
from wizard.report.units import WIDTH

NONE = "There are no Conv2d measurements on this machine."
SO_FAR = "The measurement is still running. These are the results so far."
NO_VERDICT = "No shape has a verdict yet."
WHY_UNREADABLE = "damaged, another user's, or from a newer version"


def history_lines(accounts: Iterable[Account], unreadable: Sequence[str] = ()) -> Iterator[str]:
    """What was asked, how it stands, and how many shapes have which verdict."""
    empty = True
    for account in accounts:
        empty = False
        run = account.run
        yield f"{run.id}  {account.state}: {clean(described(run.request))}"
        yield f"    began {clean(run.since)}; {counts_text(account)}"
        if account.why:
            yield f"    {clean(account.why)}"
    if empty and not unreadable:
        yield NONE
    for path in unreadable:
        yield f"{clean(path)} cannot be read: {WHY_UNREADABLE}."


def counts_text(account: Account) -> str:
    """How many shapes have which verdict."""
    return ", ".join(f"{n} {verdict.value}" for verdict, n in account.counts) or "no verdict"


def on_text(loaded: Loaded) -> str:
    """On what it was measured, with which torch; ``""`` where it did not come to that."""
    torch = f"torch {loaded.torch}" if loaded.torch else None
    return ", ".join(clean(part) for part in (loaded.device, torch) if part)


def run_lines(run: Run) -> Iterator[str]:
    """One run whole: what was asked of it, what came out, and why it ended if it broke off."""
    told = told_by(run)
    done, account = told.done, account_with(run, told)
    yield from history_lines((account,))
    python = clean(sweep_in(run.request).python)
    on = on_text(account.loaded)
    text = f"on {on}, with {python}" if on else f"with {python}"
    yield from textwrap.wrap(text, WIDTH, initial_indent="    ", subsequent_indent="    ")
    yield ""
    if told.state == UNDER_WAY:
        yield from (SO_FAR, "")
    yield from list(outcome_lines(done, run.request)) or (NO_VERDICT,)
    if models := list(model_lines(model_verdicts(done.results))):
        yield from ("", *models)
    if done.trouble is not None:
        yield ""
        for text in trouble_lines(done.trouble):
            yield from textwrap.wrap(text, WIDTH)
