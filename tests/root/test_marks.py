"""apt's marks are as before, whether or not a package went, by UNDO.sh and by a run of its own."""

from __future__ import annotations

import itertools

import pytest

from tests.e2e.system.roots import Root
from tests.root.conversation import apt_change, do_all, done_all, keep_debs
from tests.root.test_restore import WAYS, come_back

pytestmark = pytest.mark.e2e
CORE, TOOL, SPARE = ("stand-core", "1.0"), ("stand-tool", "1.0"), ("stand-spare", "1.0")
DYING = """#!/bin/sh
case "$*" in *--remove*|*--purge*) exit 2 ;; esac
exec /usr/bin/dpkg.real "$@"
"""
_numbers = itertools.count(1)


@pytest.fixture
def run() -> str:
    """The name of a run that no other test has."""
    return f"marks-{next(_numbers)}"


@pytest.fixture
def marked(root: Root) -> Root:
    """A root in which one package is there for another alone."""
    root.run("dpkg", "--purge", "--force-depends", "stand-core", "stand-tool", "stand-spare")
    root.apt("install", "stand-tool=1.0", "stand-core=1.0")
    root.run("apt-mark", "auto", "stand-core")
    return root


def automatic(root: Root) -> list[str]:
    return root.run("apt-mark", "showauto").stdout.split()


@pytest.mark.parametrize("way", WAYS)
def test_marks_come_back_where_dpkg_ended_before_it_removed_anything(
    marked: Root, run: str, way: str
) -> None:
    marked.run("mv", "/usr/bin/dpkg", "/usr/bin/dpkg.real")
    marked.write("/usr/bin/dpkg", DYING, 0o755)
    change = apt_change((), ("stand-core", "stand-tool"), purge=True)
    _, failed = do_all(marked, keep_debs(CORE, TOOL), change, run=run)
    marked.run("mv", "/usr/bin/dpkg.real", "/usr/bin/dpkg")
    assert failed["event"] == "failed"
    assert automatic(marked) == []  # apt has dropped it
    come_back(marked, run, way, [])
    assert automatic(marked) == ["stand-core"]


@pytest.mark.parametrize("way", WAYS)
def test_what_was_asked_for_beside_what_comes_is_automatic_again(
    marked: Root, run: str, way: str
) -> None:
    done_all(marked, apt_change((CORE, SPARE), expect_install=(SPARE,)), run=run)
    assert automatic(marked) == []
    come_back(marked, run, way, [])
    assert automatic(marked) == ["stand-core"]


@pytest.mark.parametrize("way", WAYS)
def test_marks_that_a_step_changed_are_as_before(marked: Root, run: str, way: str) -> None:
    """One that was automatic before stays so: only what changed is turned round."""
    done_all(marked, {"verb": "mark", "auto": ["stand-core", "stand-tool"], "manual": []}, run=run)
    come_back(marked, run, way, [])
    assert automatic(marked) == ["stand-core"]


def test_a_package_that_is_gone_for_ever_takes_no_other_s_mark_along(
    marked: Root, run: str
) -> None:
    kept = apt_change((), ("stand-core", "stand-tool"), purge=True, for_good=(TOOL,))
    done_all(marked, keep_debs(CORE), kept, run=run)
    told = come_back(marked, run, "UNDO.sh", [])
    assert "stand-tool 1.0 was removed permanently" in told
    assert automatic(marked) == ["stand-core"]
