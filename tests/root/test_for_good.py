"""What goes without a package file of it: only where that was said, and told afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system.bases import BOOKWORM, base_tar
from tests.e2e.system.roots import Root, fresh_root
from tests.root.archive import StandIn, add_source, build, publish
from tests.root.conversation import RUNS, Event, apt_change, do_all, done_all, keep_debs, talk, undo
from tests.root.listing import dpkg_state, listing
from tests.root.stops import kill_all, stopped_at, wait_until_reached, waiting

pytestmark = pytest.mark.e2e

SETTINGS = "/etc/stand-gone.conf"
REGISTER = '[ "$1" = configure ]\nupdate-alternatives --install /opt/stand stand /opt/stand-gone 50'
GONE = StandIn(
    "stand-gone",
    "1:2.0",
    {"/opt/stand-gone/x": "x\n", SETTINGS: "as delivered\n"},
    scripts={"postinst": REGISTER, "prerm": "update-alternatives --remove stand /opt/stand-gone"},
    settings=(SETTINGS,),
)
NEEDY = StandIn("stand-needy", "1.0", fields=("Depends: stand-gone",))
SPARE = StandIn("stand-spare", "1.0", {"/opt/rocm-1.0/spare.txt": "spare\n"})
LOST = ("stand-gone", "1:2.0")
KEPT = ("stand-spare", "1.0")
BOTH = (LOST[0], KEPT[0])
PLACES = ("/etc", "/opt", "/var/lib/dpkg/alternatives")
TOLERATED = ("/etc/ld.so.cache",)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Root]:
    """A root whose archive has some packages, and of one there is no file anywhere."""
    scratch = tmp_path_factory.mktemp("bare")
    slow = waiting("stand-slow", "1.0")
    with fresh_root(BOOKWORM, base_tar(BOOKWORM)) as root:
        publish(root, SPARE, NEEDY, slow, scratch=scratch)
        add_source(root, scratch)
        deb = build(GONE, scratch)
        root.path(f"/srv/{deb.name}").write_bytes(deb.read_bytes())
        yield root


@pytest.fixture
def root(bare: Root) -> Root:
    """The same with both installed, and settings that the user changed."""
    installed = bare.run("dpkg-query", "-W", "-f", "${Package}\n").stdout.split()
    if left := {"stand-gone", "stand-spare", "stand-needy", "stand-slow"} & set(installed):
        bare.run("dpkg", "--purge", "--force-depends", *left)
    bare.run("dpkg", "-i", f"/srv/{GONE.name}_1%3a2.0_amd64.deb")
    bare.apt("install", "stand-spare=1.0")
    bare.write(SETTINGS, "changed by the user\n")
    return bare


def failure(event: Event) -> str:
    assert event["event"] == "failed", event
    return str(event["happened"])


def test_nothing_goes_of_which_no_file_is_kept_and_nothing_was_said(root: Root) -> None:
    before = dpkg_state(root)
    for run, steps in {
        "neither": (apt_change((), BOTH, purge=True),),
        "one": (keep_debs(KEPT), apt_change((), BOTH, purge=True)),
        "another version": (
            keep_debs(KEPT),
            apt_change((), BOTH, purge=True, for_good=((LOST[0], "2.0"),)),
        ),
    }.items():
        event = do_all(root, *steps, run=run.replace(" ", "-"))[-1]
        assert "No package file is kept for stand-gone 1:2.0" in failure(event)
        assert ("stand-spare" in failure(event)) is (run == "neither")
    assert dpkg_state(root) == before


@pytest.mark.parametrize("how", ["gone", "another", "a link", "no package"])
def test_a_kept_file_counts_only_while_it_is_there_and_of_that_package(
    root: Root, scratch: Path, how: str
) -> None:
    run = f"file-{how.replace(' ', '-')}"
    done_all(root, keep_debs(KEPT), run=run)
    file = root.path(f"{RUNS}/{run}/backup/debs/stand-spare_1.0.deb")
    other = root.path("/srv/other.deb")
    name = f"stand-spare-{how.replace(' ', '-')}"
    folder = scratch / name
    folder.mkdir()
    other.write_bytes(build(StandIn("stand-spare", "2.0"), folder).read_bytes())
    file.unlink()
    if how == "another":
        file.write_bytes(other.read_bytes())
    elif how == "a link":
        file.symlink_to("/srv/other.deb")
    elif how == "no package":
        file.write_bytes(b"no package\n")
    (event,) = do_all(root, apt_change((), ("stand-spare",)), run=run)
    assert "No package file is kept for stand-spare 1.0" in failure(event)


def go(root: Root, run: str) -> list[dict[str, str]]:
    """Remove both, the one for good; the package files that were kept."""
    purge = apt_change((), BOTH, purge=True, for_good=(LOST,))
    kept, _ = done_all(root, keep_debs(KEPT), purge, run=run)
    found: list[dict[str, str]] = kept["kept"]
    return found


def not_back(root: Root, run: str) -> None:
    """All is as before, but for the package that went for good, what it registered and set."""
    state = dpkg_state(root)
    assert "stand-spare 1.0 ii" in state
    assert "stand-gone" not in state
    assert not root.path(SETTINGS).exists()
    assert not root.path("/opt/stand").is_symlink()
    assert not root.path("/var/lib/dpkg/alternatives/stand").exists()
    copies = root.path(f"{RUNS}/{run}/backup").glob("*stand-gone.conf")
    assert [copy.read_text() for copy in copies] == ["changed by the user\n"]


def test_undo_brings_the_rest_back_and_names_what_it_cannot(root: Root) -> None:
    root.write("/opt/mine", "mine\n")
    root.run("update-alternatives", "--install", "/opt/other", "other", "/opt/mine", "7")
    before = listing(root, *PLACES)
    go(root, "back")
    assert "stand-spare" not in dpkg_state(root)
    for _ in range(2):
        done = undo(root, "back")
        assert done.returncode == 3, done.stdout + done.stderr
        assert "NOT UNDONE: stand-gone 1:2.0 was removed permanently" in done.stdout
        assert f"the content of {SETTINGS} is kept as {RUNS}/back/backup/" in done.stdout
        assert "Everything else is undone" in done.stdout
        assert "All changes of this run are undone" not in done.stdout
        not_back(root, "back")
    after = listing(root, *PLACES)
    gone = {path for path in before if path not in after}
    assert {path for path in gone if "stand" not in path} == set()
    assert {p for p in after if before.get(p) != after[p] and p not in TOLERATED} <= {
        "/etc", "/etc/alternatives", "/opt", "/var/lib/dpkg/alternatives"
    }  # fmt: skip
    root.run("update-alternatives", "--remove-all", "other")


def test_what_the_user_installed_again_since_is_not_named(root: Root) -> None:
    go(root, "since")
    root.run("dpkg", "-i", f"/srv/{GONE.name}_1%3a2.0_amd64.deb")
    done = undo(root, "since")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "stand-gone" not in done.stdout.replace("the alternatives", "")
    assert "stand-gone 1:2.0 ii" in dpkg_state(root)


def test_a_run_of_its_own_brings_the_rest_back_and_names_it_too(root: Root) -> None:
    (kept,) = go(root, "own")
    back = apt_change(debs=((kept["path"], kept["sha256"]),), expect_install=(KEPT,))
    restore = {"verb": "restore_settings", "run": "own"}
    with talk(root, back, restore, run="own-back") as conversation:
        assert conversation.do(1)["event"] == "done"
        events = list(conversation.events(2))
    said = [line for event in events for line in event.get("lines", ())]
    assert events[-1]["event"] == "done", events[-1]
    assert any("NOT UNDONE: stand-gone 1:2.0" in line for line in said)
    not_back(root, "own")


def test_a_kept_package_that_needs_a_lost_one_does_not_keep_the_others_away(root: Root) -> None:
    """The wizard names such a package as lost too; a request that does not is still taken back."""
    needy = ("stand-needy", "1.0")
    root.apt("install", "stand-needy=1.0")
    names = (*BOTH, "stand-needy")
    purge = apt_change((), names, purge=True, for_good=(LOST,))
    done_all(root, keep_debs(KEPT, needy), purge, run="needy")
    done = undo(root, "needy")
    assert done.returncode == 1
    assert "stand-gone 1:2.0 was removed permanently" in done.stdout
    assert "NOT UNDONE: these packages were not installed:" in done.stdout
    assert "stand-needy_1.0.deb" in done.stdout
    assert "stand-spare 1.0 ii" in dpkg_state(root)
    root.run("dpkg", "--purge", "stand-needy")


@pytest.mark.parametrize("go_on", [True, False], ids=["gone on with", "taken back"])
def test_killed_in_the_middle_it_has_the_same_two_ends(root: Root, go_on: bool) -> None:
    slow = ("stand-slow", "1.0")
    root.apt("install", "stand-slow=1.0")
    run = f"killed-{go_on}"
    purge = apt_change((), (*BOTH, "stand-slow"), purge=True, for_good=(LOST,))
    steps = (keep_debs(KEPT, slow), purge)
    place = "stand-slow-prerm-remove"
    with stopped_at(root, place), talk(root, *steps, run=run) as conversation:
        assert conversation.do(1)["event"] == "done"
        conversation.say('{"do": 2}')
        wait_until_reached(root, place)
        kill_all(root)
    if go_on:
        done_all(root, *steps, run=run)
        assert not [name for name in BOTH if name in dpkg_state(root)]
    gone = "stand-gone 1:2.0 ii" not in dpkg_state(root)
    done = undo(root, run)
    assert done.returncode == (3 if gone else 0), done.stdout + done.stderr
    state = dpkg_state(root)
    assert "stand-spare 1.0 ii" in state, [x for x in state.splitlines() if "stand" in x]
    assert "stand-slow 1.0 ii" in state
    assert gone or not go_on
