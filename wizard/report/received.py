"""Results that came in, as lines: which card, with what, and how its convolutions ended."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from wizard.conv2d.cards.received import ALL, GRADE, Received, results_on
from wizard.conv2d.words.meaning import counted
from wizard.core.lines import clean
from wizard.report.units import WIDTH

NONE = "No owner of an RDNA1 card has sent a result yet."
CAME_IN = "Results from owners who measured their cards with this program:"


def received_lines(
    received: Sequence[Received], aspect: str = ALL, width: int = WIDTH
) -> Iterator[str]:
    """Each result with its machine; what it says of one aspect where one is named."""
    for each in received:
        card = each.card
        chip = " ".join(filter(None, (card.chip.name, card.chip.gfx and f"({card.chip.gfx})")))
        stack = card.stack
        kernel = f"Linux {stack.kernel}" if stack.kernel else None
        driver = f"driver {stack.driver}" if stack.driver else None
        machine = (stack.distribution, kernel, driver)
        unfinished = "" if card.finished else "; it was not finished"
        yield ""
        yield from _wrapped(f"{counted(results_on(each, aspect))}{unfinished}.", width, "  ")
        facts = (
            ("card", chip),
            ("versions", f"torch {stack.torch or 'not stated'}"),
            ("tested", f"{card.time[:10]}, rdna1-setup {card.version} ({GRADE})"),
            ("machine", ", ".join(filter(None, machine))),
            ("file", f"assets/results/{each.name}"),
        )
        for label, text in facts:
            if text:
                yield from _wrapped(clean(text), width, f"    {label:<9}", " " * 13)


def came_in_lines(received: Sequence[Received], width: int = WIDTH) -> Iterator[str]:
    """All results, or that there is none."""
    if received:
        yield CAME_IN
        yield from received_lines(received, ALL, width)
    else:
        yield NONE


def _wrapped(text: str, width: int, head: str, indent: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=head,
        subsequent_indent=head if indent is None else indent,
        break_on_hyphens=False,
    )
