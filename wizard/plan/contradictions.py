"""Claims that exclude one another, in groups: of each group at most one can be true."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from wizard.knowledge.claims import Claim


def contradictions(
    claims: Sequence[Claim], known: Sequence[Claim]
) -> tuple[tuple[Claim, ...], ...]:
    """The groups that one of these claims belongs to, in their order; rivals may be any known.

    Each member contradicts all others of its group. Nothing is in two groups with the same rival.
    """
    by_id = {claim.id: claim for claim in known}
    place = {name: number for number, name in enumerate(by_id)}
    rivals = _rivals(known)
    groups: list[tuple[str, ...]] = []
    told: set[frozenset[str]] = set()
    for claim in claims:
        for rival in sorted(rivals.get(claim.id, ()), key=place.__getitem__):
            if frozenset((claim.id, rival)) not in told:
                group = _grown((claim.id, rival), rivals, place)
                told |= {frozenset(pair) for pair in combinations(group, 2)}
                groups.append(group)
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


def _grown(
    pair: tuple[str, str], rivals: dict[str, set[str]], place: dict[str, int]
) -> tuple[str, ...]:
    """The pair, and who contradicts all that are in it so far."""
    group: tuple[str, ...] = pair
    shared = rivals[pair[0]] & rivals[pair[1]]
    for other in sorted(shared, key=place.__getitem__):
        if all(other in rivals[member] for member in group):
            group = (*group, other)
    return group
