"""What changed since the run before, in a few lines below a run."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wizard.conv2d.cards.comparison import Change, compare_results
from wizard.conv2d.verdicts import Result
from wizard.report.units import WIDTH

TOLD = 6
MORE = "To see all differences: rdna1-setup conv2d --compare"
ANOTHER_TORCH = "The previous run used torch {}."


def since_lines(before: Sequence[Result], after: Sequence[Result]) -> Iterator[str]:
    """The verdicts that changed; nothing where the two have no shape in common."""
    changes = compare_results(before, after)
    if not changes:
        return
    differing = [change for change in changes if change.differs]
    count = f"{len(differing) or 'none'} of {len(changes)} shape{'s' * (len(changes) > 1)}"
    has = "have" if len(differing) > 1 else "has"
    torch = _other_torch(before, after)
    yield from textwrap.wrap(
        f"Since the previous run: {count} measured in both {has} a different verdict. "
        f"{torch}{MORE}",
        WIDTH,
    )
    for change in differing[:TOLD]:
        yield from textwrap.wrap(f"  {_words(change)}", WIDTH, subsequent_indent="    ")
    if rest := differing[TOLD:]:
        yield f"  and {len(rest)} more"


def _words(change: Change) -> str:
    return f"{change.manner.named(change.shape)}: {change.before.words}, now {change.after.words}"


def _other_torch(before: Sequence[Result], after: Sequence[Result]) -> str:
    old, new = before[-1].loaded, after[-1].loaded
    if (old.torch, old.hip) == (new.torch, new.hip) or not old.torch:
        return ""
    return f"{ANOTHER_TORCH.format(old.torch)} "
