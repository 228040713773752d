"""What could not come back without others, by the fields of dpkg's list."""

from __future__ import annotations

import pytest

from wizard.apt.dependencies import dependents


def status(*rows: tuple[str, str], state: str = "install ok installed") -> str:
    """dpkg's list: names, each with more fields."""
    texts = (f"Package: {name}\nStatus: {state}\nVersion: 1\n{more}" for name, more in rows)
    return "\n\n".join((*texts, ""))


@pytest.mark.parametrize(
    ("needs", "lost"),
    [
        ("Depends: core", True),
        ("Pre-Depends: core", True),
        ("Depends: libc6, core:any (>= 1) [amd64]", True),
        ("Depends: libc6 (>= 2),\n core", True),
        ("Depends: core | absent", True),
        ("Depends: core | libc6", False),
        ("Depends: thing", True),
        ("Depends: thing-two (= 2)", True),
        ("Depends: plain (>= 1) | libc6", False),
        ("Depends: libc6", False),
        ("Recommends: core", False),
        ("Suggests: core", False),
        ("", False),
    ],
)
def test_what_only_a_lost_package_meets_is_lost_too(needs: str, lost: bool) -> None:
    core = ("core", "Provides: thing, thing-two (= 2)")
    text = status(core, ("libc6", ""), ("needy", needs))
    assert dependents(text, {"core"}, {"needy"}) == ({"needy"} if lost else set())


def test_what_the_same_package_of_another_architecture_still_meets_is_not_lost() -> None:
    both = (("core", "Architecture: amd64"), ("core", "Architecture: i386"))
    text = status(*both, ("needy", "Depends: core"))
    assert dependents(text, {"core:i386"}, {"needy"}) == set()
    assert dependents(text, {"core:i386", "core"}, {"needy"}) == {"needy"}


def test_a_name_that_is_only_provided_meets_no_wish_for_a_version() -> None:
    rows = (("core", ""), ("other", "Provides: core"), ("needy", "Depends: core (>= 1)"))
    assert dependents(status(*rows), {"core"}, {"needy"}) == {"needy"}


def test_it_goes_on_to_what_needs_what_needs_it_and_round_a_ring() -> None:
    rows = (
        ("core", ""),
        ("one", "Depends: core, two"),
        ("two", "Depends: one"),
        ("three", "Depends: two"),
        ("apart", "Depends: four"),
        ("four", "Depends: apart"),
    )
    kept = {name for name, _ in rows} - {"core"}
    assert dependents(status(*rows), {"core"}, kept) == {"one", "two", "three"}


def test_what_was_never_met_is_no_loss() -> None:
    text = status(("core", ""), ("needy", "Depends: absent"))
    assert dependents(text, {"core"}, {"needy"}) == frozenset()


def test_of_what_is_only_remembered_nothing_is_met() -> None:
    left = status(("other", "Provides: thing"), state="deinstall ok config-files")
    text = f"{left}\n{status(('core', 'Provides: thing'), ('needy', 'Depends: thing'))}"
    assert dependents(text, {"core"}, {"needy"}) == {"needy"}
