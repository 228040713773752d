"""Claims that exclude one another, in groups: of each group at most one can be true."""

from __future__ import annotations

from collections.abc import Sequence

from wizard.knowledge.claims import Claim


def contradictions(
    claims: Sequence[Claim], known: Sequence[Claim]
) -> tuple[tuple[Claim, ...], ...]:
    """The groups that one of these claims belongs to, in their order; rivals may be any known.

    Each member contradicts all others of its group. Nothing is in two groups with the same rival.
    """
    by_id = {claim.id: claim for claim in known}
    rivals = _rivals(known)
    groups: list[tuple[str, ...]] = []
    for claim in claims:
        for rival in sorted(rivals.get(claim.id, ()), key=list(by_id).index):
            if not any({claim.id, rival} <= set(group) for group in groups):
                groups.append(_grown((claim.id, rival), rivals, list(by_id)))
    return tuple(tuple(by_id[each] for each in group) for group in groups)


def _rivals(known: Sequence[Claim]) -> dict[str, set[str]]:
    """Who contradicts whom, said on either side."""
    found: dict[str, set[str]] = {claim.id: set() for claim in known}
    for claim in known:
        for other in claim.contradicts:
            if other in found:
                found[claim.id].add(other)
                found[other].add(claim.id)
    return found


def _grown(pair: tuple[str, str], rivals: dict[str, set[str]], order: list[str]) -> tuple[str, ...]:
    """The pair, and who contradicts all that are in it so far."""
    group: tuple[str, ...] = pair
    for other in order:
        if other not in group and all(other in rivals[member] for member in group):
            group = (*group, other)
    return group
