"""A plan rehearsed on the whole road: nothing is changed, and the real run goes as it was told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.bases import OWNER
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import TREES, WIZARD, Snapshot, differences, take, told
from tests.e2e.system.states import ROCM_57, Enter
from tests.e2e.system.test_road import carry_out, prepared
from tests.root.listing import Listing, changed, listing
from wizard.overlay.expected import why_expected

pytestmark = pytest.mark.e2e

RUNS = "var/lib/rdna1-setup/runs"
OURS = (f"/home/{OWNER}/.cache", f"/home/{OWNER}/.local", f"/{WIZARD}")
ASKING = ("/var/lib/rdna1-setup", "/var/lib/sudo", "/var/log/")
"""What it takes to ask: root's own folder, and the books of sudo and logins."""
COMPARED = tuple(f"/{tree}" for tree in TREES if tree != "home")


def test_the_road_to_rocm52_is_rehearsed_and_then_goes_as_it_was_told(
    enter: Enter, archive: ArchiveServer, wheels: Path
) -> None:
    root = enter(ROCM_57)
    words = prepared(root, archive, wheels)
    before, var = take(root.folder), listing(root, "/var", "/usr", "/boot", "/srv")
    shown = carry_out(root, "rehearse", *words, "--yes", says="The system itself was not changed.")
    assert "after the rollback: everything is as before" in " ".join(shown.split())
    assert_untouched(root, before, var)
    there, back = (changes(root, when) for when in ("there", "back"))
    assert {path for path in back if not why_expected(path)} == set()
    assert len(there) > len(back)
    carry_out(root, "apply", *words, "--yes", says="Finished.")
    really = {each.name for each in differences(before, take(root.folder))}
    assert compared(there) == compared(really)


def assert_untouched(root: Root, before: Snapshot, var: Listing) -> None:
    """Nothing is otherwise but what it took to ask."""
    found = differences(before, take(root.folder))
    left = tuple(each for each in found if not each.name.startswith(OURS))
    assert not left, told(left)
    assert changed(var, listing(root, "/var", "/usr", "/boot", "/srv"), *ASKING) == {}
    assert not (root.folder / "var/lib/rdna1-setup/rehearsal").exists()


def changes(root: Root, when: str) -> set[str]:
    """Paths that the rehearsal told to be changed."""
    (file,) = (root.folder / RUNS).glob(f"rehearsal-*/changes-{when}.jsonl")
    return {json.loads(line)["path"] for line in file.read_text().splitlines()}


def compared(names: set[str]) -> set[str]:
    """Those that both ways of looking see."""
    paths = (name for name in names if name.startswith(COMPARED))
    return {path for path in paths if not path.startswith(OURS)}
