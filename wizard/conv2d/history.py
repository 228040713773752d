"""What became of each run, from its events: an index, newest first."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from wizard.conv2d.asked import described
from wizard.conv2d.following import ending, events_in
from wizard.conv2d.runs import Run
from wizard.conv2d.sweep import ShapeDone, SweepDone
from wizard.conv2d.verdicts import Verdict

UNDER_WAY = "under way"
FINISHED = "finished"
BROKEN_OFF = "broken off"


@dataclass(frozen=True, slots=True)
class Account:
    """A run in a line."""

    run: Run
    state: str
    """``under way``, ``finished`` or ``broken off``."""
    counts: tuple[tuple[Verdict, int], ...]
    """How many shapes have which verdict."""
    why: str
    """What broke it off; ``""`` for none."""


def account_of(run: Run) -> Account:
    """What its events tell; those of a dead runner as its journal ends them."""
    alive, events = run.is_alive(), events_in(run)
    if not alive and not any(isinstance(event, SweepDone) for event in events):
        events = (*events, *ending(run))
    verdicts = {e.number: e.result.verdict for e in events if isinstance(e, ShapeDone)}
    done = next((event for event in events if isinstance(event, SweepDone)), None)
    found = verdicts.values() if done is None else (result.verdict for result in done.results)
    counts = Counter(found)
    in_order = tuple((verdict, counts[verdict]) for verdict in Verdict if counts[verdict])
    if done is None:
        return Account(run, UNDER_WAY, in_order, "")
    trouble = done.trouble
    state = FINISHED if trouble is None else BROKEN_OFF
    return Account(run, state, in_order, "" if trouble is None else trouble.happened)


def account_form(account: Account) -> dict[str, Any]:
    """Its JSON form."""
    return {
        "run": account.run.id,
        "began": account.run.began,
        "what": described(account.run.request),
        "state": account.state,
        "verdicts": {verdict.value: count for verdict, count in account.counts},
        "why": account.why,
    }
