"""Root's part of a run: nobody is asked for rights where nothing is left to do."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.run.places import plan_of
from wizard.core.events import Done
from wizard.operations.groups import AddToGroups
from wizard.operations.root_step import DID_NOTHING
from wizard.run.root_part import RootPart

JOIN = AddToGroups("x", "owner", ("render", "video"))


class Asked(Exception):
    """Somebody was asked for rights."""


async def asks(argv: tuple[str, ...], stdin: int, stdout: int) -> int:
    raise Asked


async def outcome(folder: Path) -> str:
    sudo = folder / "bin" / "sudo"  # not every system has one
    sudo.parent.mkdir()
    sudo.touch(mode=0o755)
    part = RootPart(plan_of(folder, JOIN), folder, asks, {"PATH": str(sudo.parent)})
    try:
        (done,) = [item async for item in part.do(1)]
    finally:
        await part.close()
    assert isinstance(done, Done)
    return done.outcome


def members(monkeypatch: pytest.MonkeyPatch, **groups: tuple[str, ...]) -> None:
    def named(name: str) -> SimpleNamespace:
        return SimpleNamespace(gr_mem=list({**groups}[name]))

    monkeypatch.setattr("grp.getgrnam", named)


async def test_who_was_added_meanwhile_needs_no_rights_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    members(monkeypatch, render=("owner",), video=("a", "owner"))
    assert await outcome(tmp_path) in DID_NOTHING


@pytest.mark.parametrize("groups", [{"render": ("owner",), "video": ()}, {"render": ("owner",)}])
async def test_who_lacks_one_of_the_groups_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, groups: dict[str, tuple[str, ...]]
) -> None:
    members(monkeypatch, **groups)
    with pytest.raises(Asked):
        await outcome(tmp_path)


def test_the_proof_that_one_is_in_a_group_does_not_hide_that_another_gave_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Rollback leaves alone what the outcome says was there already."""
    members(monkeypatch, render=("owner",), video=("owner",))
    assert JOIN.verify({"in": []}).text == ""
