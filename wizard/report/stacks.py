"""Stacks and approaches as lines: what became of each, beside each other, and who says what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from wizard.advice.comparison import Aspect, Column
from wizard.conv2d.cards.received import ALL, GRADE, Received, results_on
from wizard.conv2d.verdicts import results_text
from wizard.core.lines import WIDTH, cut, wrapped
from wizard.knowledge.claims import TOPICS, Approach, Claim, Grade, overdue

STATE_CELLS = 13


def approach_head(approach: Approach) -> str:
    """An approach on one line: its state first."""
    stack = f" ({approach.stack})" if approach.stack else ""
    return f"{approach.state:<{STATE_CELLS}}{approach.title}{stack}"


def approach_lines(approach: Approach, width: int = WIDTH) -> Iterator[str]:
    """Why it is in that state, how it is gone, and who said so."""
    yield from wrapped(approach.because, width)
    for number, text in enumerate(approach.by_hand):
        yield from wrapped(text, width, "How:    " if number == 0 else "        ")
    yield from wrapped(f"{approach.source} ({approach.date})", width, "Source: ")


def approach_aspect(approach: Approach) -> Aspect:
    """An approach as something that claims stand behind."""
    return Aspect(
        f"road-{approach.id}",
        approach.title,
        approach.state,
        approach.because.rstrip("."),
        approach.claims,
    )


LABEL_CELLS = 16
NARROWEST = 12
"""Cells of a column below which words would be cut."""
WIDEST = 21


def sheet_lines(columns: Sequence[Column]) -> Iterator[str]:
    """All columns as plain text, in as many tables as the page asks for."""
    room = WIDTH - LABEL_CELLS
    most = room // NARROWEST
    for start in range(0, len(columns), most):
        shown = columns[start : start + most]
        cells = min(WIDEST, room // len(shown))
        if start:
            yield ""
        yield _line("", [column.head for column in shown], cells)
        yield _line("torch", [column.torch for column in shown], cells)
        for number, aspect in enumerate(shown[0].aspects):
            words = [_cell_text(column.aspects[number], cells - 1) for column in shown]
            yield _line(aspect.title, words, cells)


def _cell_text(aspect: Aspect, cells: int) -> str:
    """The word; its first part alone where all of it is too long."""
    word = aspect.word if len(aspect.word) <= cells else aspect.word.partition(",")[0]
    return cut(word, cells)


def _line(label: str, texts: Sequence[str], cells: int) -> str:
    return (f"{label:<{LABEL_CELLS}}" + "".join(f"{text:<{cells}}" for text in texts)).rstrip()


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
        yield from wrapped(f"{results_text(results_on(each, aspect))}{unfinished}.", width, "  ")
        facts = (
            ("card", chip),
            ("versions", f"torch {stack.torch or 'not stated'}"),
            ("tested", f"{card.time[:10]}, rdna1-setup {card.version} ({GRADE})"),
            ("machine", ", ".join(filter(None, machine))),
            ("file", f"assets/results/{each.name}"),
        )
        for label, text in facts:
            if text:
                yield from wrapped(text, width, f"    {label:<{LABEL}}")


BEST = 2
"""How many claims of each side are shown before the rest is asked for."""
LABEL = 9
LONG_AGO = "more than a year ago"
OTHERS = (
    "These are other people's reports, and answers that libraries gave without a card. We have not "
    "run anything on an RDNA1 card."
)
NO_CLAIM = "No published statement supports this verdict. Its basis is given above."
MEASURED, OTHER_USE = "measured", "other use"
HEADS = {
    MEASURED: "MEASURED WITH THIS PROGRAM",
    "for": "FOR IT",
    "against": "AGAINST IT",
    "unknown": "OPEN",
    "refuted": "REFUTED",
    OTHER_USE: "ABOUT ANOTHER USE",
}


def evidence_lines(
    aspect: Aspect,
    known: Sequence[Claim],
    day: date,
    width: int = WIDTH,
    *,
    whole: bool = False,
    more: str = "",
    received: Sequence[Received] = (),
) -> Iterator[str]:
    """The verdict and why, then the claims of each side, those that the verdict names first.

    Results that were ``received`` stand above all that was only said.

    ``day``: of the reader, who is told of sources that nobody has looked at for long before it.
    ``whole``: every claim. ``more``: how the reader gets the rest, for example ``m shows``.
    """
    by_id = {claim.id: claim for claim in known}
    claims = [by_id[each] for each in aspect.claims if each in by_id]
    yield from verdict_lines(aspect, width)
    if aspect.meaning:
        yield from wrapped(f"{aspect.title}: {aspect.meaning}", width, "  ")
    if received:
        yield from ("", f"{HEADS[MEASURED]}: {len(received)}")
        yield from received_lines(received, aspect.id, width)
    if not claims:
        yield from ("", *wrapped(NO_CLAIM, width))
        return
    for side, head in HEADS.items():
        group = [
            claim
            for claim in claims
            if side == (OTHER_USE if aspect.is_other_use(claim) else claim.side)
        ]
        shown = group if whole else group[:BEST]
        left = len(group) - len(shown)
        rest = f"; {more} the other {left}" if left and more else ""
        if group:
            yield from ("", f"{head}: {len(group)}{rest}")
        for claim in shown:
            use = TOPICS[claim.topic] if side == OTHER_USE else ""
            yield from ("", *claim_lines(claim, day, width, _rivals(claim, known), use))
    yield from ("", *wrapped(OTHERS, width))


def verdict_lines(aspect: Aspect, width: int = WIDTH) -> Iterator[str]:
    """The word, and why."""
    yield f"{aspect.title}: {aspect.word}"
    yield from wrapped(f"{aspect.because.rstrip('.')}.", width, "  ")


def claim_lines(
    claim: Claim, day: date, width: int, rivals: Sequence[Claim] = (), use: str = ""
) -> Iterator[str]:
    """One claim with all that is needed to judge it, and who says otherwise.

    ``use``: what it is about, where that is not what was asked.
    """
    yield from wrapped(claim.text, width, "  ")
    facts = (
        ("use", use),
        ("who", f"{claim.who}, {claim.date} ({claim.grade.value})"),
        ("card", " ".join((claim.card, *claim.gfx)) or "not stated"),
        ("versions", claim.versions or "not stated"),
        ("tested", claim.method or "not stated"),
        ("checked", f"{claim.checked}, {LONG_AGO}" if overdue(claim.checked, day) else ""),
        ("setting", f"only with the preset {claim.setting}" if claim.setting else ""),
    )
    for label, text in facts:
        if text:
            yield from wrapped(text, width, f"    {label:<{LABEL}}")
    yield from wrapped(claim.source, width, "    link ", "      ")
    for rival in rivals:
        text = f"{rival.text} ({rival.grade.value}: {rival.who}, {rival.date})"
        yield from wrapped(text, width, "    but ")


def _rivals(claim: Claim, known: Sequence[Claim]) -> list[Claim]:
    """Who contradicts a claim; who is refuted does not, but where it is refuted itself."""
    standing = [c for c in known if c.id in claim.contradicts or claim.id in c.contradicts]
    return [c for c in standing if c.grade is not Grade.REFUTED]
