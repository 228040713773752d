"""Who says so: the claims about one stack as text."""

from __future__ import annotations

from textual.content import Content

from screens.words import shown
from wizard.knowledge.claims import Claim, Grade

ORDER = tuple(Grade)


def claims_of(stack: str, claims: tuple[Claim, ...]) -> tuple[Claim, ...]:
    """The claims about a stack, best supported first."""
    about = (claim for claim in claims if stack in claim.stacks)
    return tuple(sorted(about, key=lambda claim: ORDER.index(claim.grade)))


def claims_text(stack: str, claims: tuple[Claim, ...]) -> Content:
    """Every claim about a stack with all that is needed to weigh it."""
    chosen = claims_of(stack, claims)
    if not chosen:
        return Content("Nobody's statement about this stack is in our data.")
    refuted = sum(claim.grade is Grade.REFUTED for claim in chosen)
    last = f", then {refuted} refuted" if refuted else ""
    head = (
        f"{len(chosen) - refuted} statements, best supported first{last}. They are other "
        "people's: we have run nothing on an RDNA1 card.\n"
    )
    by_id = {claim.id: claim for claim in claims}
    return Content("\n").join([Content(head), *(_claim(claim, by_id) for claim in chosen)])


def _claim(claim: Claim, by_id: dict[str, Claim]) -> Content:
    lines = [
        Content.styled(
            f"{claim.leaning.upper()} · {claim.grade.value} · {shown(claim.topic)}",
            "bold $text-primary",
        ),
        Content(f"  {shown(claim.text)}"),
        _fact("who", f"{claim.who}, {claim.date}"),
        _fact("card", f"{claim.card} {' '.join(claim.gfx)}"),
        _fact("versions", claim.versions),
        _fact("method", claim.method),
        _fact("source", claim.source),
    ]
    lines += [_other("contradicts", other, by_id) for other in claim.contradicts]
    lines += [_other("supports", other, by_id) for other in claim.supports]
    return Content("\n").join([*lines, Content("")])


def _fact(label: str, text: str) -> Content:
    return Content.assemble((f"  {label:<12}", "$text-muted"), shown(text) or "not said")


def _other(label: str, other: str, by_id: dict[str, Claim]) -> Content:
    claim = by_id.get(other)
    text = f"“{claim.text}” ({claim.who}, {claim.grade.value})" if claim else other
    return _fact(label, text)
