"""Runs of Conv2d experiments as lines: two each, newest first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from wizard.conv2d.asked import described
from wizard.conv2d.history import Account
from wizard.run.lines import clean

NONE = "No Conv2d experiment of this machine is kept."


def history_lines(accounts: Iterable[Account]) -> Iterator[str]:
    """What was asked, how it stands, and how many shapes have which verdict."""
    empty = True
    for account in accounts:
        empty = False
        run = account.run
        counts = ", ".join(f"{count} {verdict.value}" for verdict, count in account.counts)
        yield f"{run.id}  {account.state}: {clean(described(run.request))}"
        yield f"    began {clean(run.since)}; {counts or 'no verdict'}"
        if account.why:
            yield f"    {clean(account.why)}"
    if empty:
        yield NONE
