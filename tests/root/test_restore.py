"""What package files do not bring along comes back too, by UNDO.sh and by a run of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.system.roots import OWNER, Root
from tests.root.archive import StandIn, build
from tests.root.conversation import (
    RUNS,
    apt_change,
    do_all,
    done_all,
    keep_debs,
    site_packages,
    talk,
    undo,
    write_file,
)
from tests.root.listing import Listing, dpkg_state, listing

pytestmark = pytest.mark.e2e
SETTINGS = "/etc/stand-choice.conf"
REGISTER = """
[ "$1" = configure ]
for name in stand-choice stand-extra; do
    update-alternatives --install /opt/$name $name /opt/rocm-9.0 $(date +%s | cut -c 5-) \
        --slave /opt/$name.conf $name.conf /etc/stand-choice.conf
done"""
UNREGISTER = "for name in stand-choice stand-extra; do\n\
update-alternatives --remove $name /opt/rocm-9.0; done"
CHOICE = StandIn(
    "stand-choice",
    "1.0",
    {"/opt/rocm-9.0/bin/x": "x\n", "/opt/rocm-9.0/lib/y": "y\n", SETTINGS: "as delivered\n"},
    scripts={"postinst": REGISTER, "prerm": UNREGISTER},
    settings=(SETTINGS,),
)
MODULE = StandIn(
    "amdgpu-dkms",
    "1:6.3",
    {"/usr/src/amdgpu-6.3/x": "x\n", "/etc/modprobe.d/stand.conf": "as delivered\n"},
    scripts={"postinst": "echo once >>/srv/built\nexit 10"},
    settings=("/etc/modprobe.d/stand.conf",),
)
PLACES = ("/etc", "/opt", "/usr/src", "/var/lib/dpkg/alternatives")
TOLERATED = ("/etc/ld.so.cache",)
WAYS = ("UNDO.sh", "a run of its own")


def install(root: Root, package: StandIn, scratch: Path, *, check: bool = True) -> None:
    folder = scratch / f"{package.name}-{len(list(scratch.iterdir()))}"
    folder.mkdir()
    deb = build(package, folder)
    file = f"/var/cache/apt/archives/{deb.name}"
    root.path(file).write_bytes(deb.read_bytes())
    root.run("dpkg", "-i", file, check=check)


@pytest.fixture
def chosen(root: Root, scratch: Path) -> Root:
    """A root with alternatives, settings that the user changed and a package that does not fit."""
    installed = root.run("dpkg-query", "-W", "-f", "${Package}\n").stdout.split()
    if left := {CHOICE.name, MODULE.name} & set(installed):
        root.run("dpkg", "--purge", "--force-depends", "--force-remove-reinstreq", *left)
    root.path("/srv/built").unlink(missing_ok=True)
    install(root, CHOICE, scratch)
    root.run("update-alternatives", "--remove", "stand-extra", "/opt/rocm-9.0")
    # As if it had been installed long ago, with another priority out of the clock.
    record = root.path("/var/lib/dpkg/alternatives/stand-choice")
    lines = record.read_text().splitlines()
    lines[lines.index("/opt/rocm-9.0") + 1] = "12345"
    record.write_text("\n".join(lines) + "\n")
    root.write(SETTINGS, "changed by the user\n", 0o600)
    return root


def seen(root: Root) -> tuple[Listing, str]:
    found = listing(root, *PLACES)
    return {k: v for k, v in found.items() if not k.startswith(TOLERATED)}, dpkg_state(root)


def go(root: Root, run: str, *packages: tuple[str, str]) -> list[dict[str, str]]:
    """Keep and purge them; the package files that were kept."""
    purge = apt_change((), tuple(name for name, _ in packages), purge=True)
    kept, _ = done_all(root, keep_debs(*packages), purge, run=run)
    found: list[dict[str, str]] = kept["kept"]
    return found


def come_back(root: Root, run: str, way: str, kept: list[dict[str, str]]) -> str:
    """By one of the two ways; what was told."""
    if way == "UNDO.sh":
        done = undo(root, run)
        return done.stdout + done.stderr
    names = tuple((one["name"], one["version"]) for one in kept)
    debs = tuple((one["path"], one["sha256"]) for one in kept)
    change = (apt_change(debs=debs, expect_install=names),) if kept else ()
    events = do_all(root, *change, {"verb": "restore_settings", "run": run}, run=f"{run}-back")
    assert [event["event"] for event in events] == ["done"] * len(events), events
    return str(events[-1]["outcome"])


@pytest.mark.parametrize("way", WAYS)
def test_changed_settings_and_alternatives_are_as_before(chosen: Root, way: str) -> None:
    before = seen(chosen)
    run = f"settings-{WAYS.index(way)}"
    kept = go(chosen, run, ("stand-choice", "1.0"))
    assert SETTINGS not in seen(chosen)[0]
    come_back(chosen, run, way, kept)
    assert seen(chosen) == before
    assert chosen.path(SETTINGS).read_text() == "changed by the user\n"


@pytest.mark.parametrize("way", WAYS)
def test_what_had_been_deleted_is_not_there_again(chosen: Root, way: str) -> None:
    """The package comes back whole, for its scripts look for its files."""
    chosen.run("rm", "-r", "/opt/rocm-9.0", "/opt/stand-choice", SETTINGS)
    before = seen(chosen)
    run = f"deleted-{WAYS.index(way)}"
    kept = go(chosen, run, ("stand-choice", "1.0"))
    come_back(chosen, run, way, kept)
    assert seen(chosen) == before
    assert chosen.run("dpkg", "-L", "stand-choice").stdout.count("/opt/rocm-9.0/") == 4


def break_off(root: Root, run: str, kept: list[dict[str, str]]) -> None:
    """A way back that ends once the packages are there, before anything else is restored."""
    names = tuple((one["name"], one["version"]) for one in kept)
    debs = tuple((one["path"], one["sha256"]) for one in kept)
    change = apt_change(debs=debs, expect_install=names)
    rest = {"verb": "restore_settings", "run": run}
    with talk(root, change, rest, run=f"{run}-back") as conversation:
        assert conversation.do(1)["event"] == "done"


def test_what_had_been_deleted_goes_again_after_a_way_back_that_was_cut_off(chosen: Root) -> None:
    """But for an alternative that had been removed: whose it is then, nobody can tell."""
    chosen.run("rm", "-r", "/opt/rocm-9.0", "/opt/stand-choice", SETTINGS)
    before = seen(chosen)
    break_off(chosen, "cut-off", go(chosen, "cut-off", ("stand-choice", "1.0")))
    done = undo(chosen, "cut-off")
    assert done.returncode == 0, done.stdout
    chosen.run("update-alternatives", "--remove-all", "stand-extra")
    assert seen(chosen) == before


def test_what_somebody_lays_beside_it_after_a_way_back_that_was_cut_off_stays(chosen: Root) -> None:
    chosen.run("rm", "-r", "/opt/rocm-9.0")
    break_off(chosen, "beside", go(chosen, "beside", ("stand-choice", "1.0")))
    chosen.write("/opt/rocm-9.0/lib/mine", "mine\n")
    done = undo(chosen, "beside")
    assert "NOT UNDONE: /opt/rocm-9.0 did not exist before, but" in done.stdout
    assert chosen.path("/opt/rocm-9.0/lib/mine").read_text() == "mine\n"
    assert chosen.path(SETTINGS).read_text() == "changed by the user\n"
    chosen.run("rm", "-r", "/opt/rocm-9.0")


@pytest.mark.parametrize("taken_back", [True, False], ids=["taken back", "ended"])
def test_what_came_again_by_hand_after_a_way_back_that_ended_stays(
    chosen: Root, scratch: Path, taken_back: bool
) -> None:
    """Nobody can tell then that it is not to be there."""
    chosen.run("rm", "-r", "/opt/rocm-9.0")
    run = f"by-hand-{taken_back}"
    kept = go(chosen, run, ("stand-choice", "1.0"))
    if taken_back:
        break_off(chosen, run, kept)
        assert undo(chosen, f"{run}-back").returncode == 0
    else:
        come_back(chosen, run, "a run of its own", kept)
        chosen.run("dpkg", "--purge", "stand-choice")
    install(chosen, CHOICE, scratch)
    undo(chosen, run)
    assert chosen.path("/opt/rocm-9.0/bin/x").is_file()


def test_settings_written_since_stay_where_a_way_back_changes_packages_twice(
    chosen: Root, scratch: Path
) -> None:
    install(chosen, StandIn("stand-brought", "1.0", {"/opt/brought": "x\n"}), scratch)
    (kept,) = go(chosen, "twice", ("stand-choice", "1.0"))
    chosen.write(SETTINGS, "written since\n")
    back = apt_change(
        debs=((kept["path"], kept["sha256"]),), expect_install=(("stand-choice", "1.0"),)
    )
    brought = ("stand-brought", "1.0")
    take = apt_change((), (brought[0],), purge=True, for_good=(brought,))
    restore = {"verb": "restore_settings", "run": "twice"}
    events = done_all(chosen, take, back, restore, run="twice-back")
    assert "except for 1 (see above)" in events[-1]["outcome"]
    assert chosen.path(SETTINGS).read_text() == "written since\n"


def test_nothing_goes_where_it_cannot_be_told_what_came(chosen: Root) -> None:
    """Such as on a full disk: here a file is in the way of the folder that is to tell."""
    chosen.run("rm", "-r", "/opt/rocm-9.0")
    go(chosen, "untold", ("stand-choice", "1.0"))
    script = chosen.path(f"{RUNS}/untold/UNDO.sh").read_text()
    (folder,) = (line.split()[1] for line in script.splitlines() if line.startswith("since /"))
    chosen.write(folder, "in the way\n")
    done = undo(chosen, "untold")
    assert done.returncode == 1
    assert chosen.path("/opt/rocm-9.0/bin/x").is_file()


@pytest.mark.parametrize("way", WAYS)
def test_a_module_that_did_not_build_waits_again_and_is_not_built(
    root: Root, scratch: Path, way: str
) -> None:
    install(root, MODULE, scratch, check=False)
    root.write(MODULE.settings[0], "changed by the user\n")
    before, packages = seen(root)
    assert "amdgpu-dkms 1:6.3 iF" in packages
    run = f"module-{WAYS.index(way)}"
    go(root, run, ("amdgpu-dkms", "1:6.3"))
    built = root.path("/srv/built").read_text()
    told = come_back(root, run, way, [])
    assert "NOT UNDONE" not in told
    after, packages_after = seen(root)
    assert packages_after == packages
    assert after == before
    assert root.path("/srv/built").read_text() == built
    if way == WAYS[1]:  # and that way back has its own
        assert undo(root, f"{run}-back").returncode == 0
        assert "amdgpu-dkms" not in dpkg_state(root)
    root.run("dpkg", "--purge", "--force-all", "amdgpu-dkms")


@pytest.mark.parametrize("way", WAYS)
def test_what_was_changed_since_by_others_stays(chosen: Root, way: str) -> None:
    run = f"since-{WAYS.index(way)}"
    kept = go(chosen, run, ("stand-choice", "1.0"))
    chosen.write("/opt/mine", "mine\n")
    register = ("update-alternatives", "--install")
    chosen.run(*register, "/opt/stand-choice", "stand-choice", "/opt/mine", "7")
    chosen.run(*register, "/opt/other", "other", "/opt/mine", "7")
    come_back(chosen, run, way, kept)
    told = chosen.run("update-alternatives", "--query", "stand-choice").stdout
    assert "Alternative: /opt/mine" in told
    assert "Alternative: /opt/rocm-9.0" in told
    assert chosen.path("/opt/other").is_symlink()
    chosen.run("update-alternatives", "--remove-all", "stand-choice")
    chosen.run("update-alternatives", "--remove-all", "other")


@pytest.mark.parametrize("way", WAYS)
def test_what_a_run_was_cut_off_in_writing_goes_with_the_folders_it_made(
    root: Root, way: str
) -> None:
    run = f"draft-{WAYS.index(way)}"
    path = "/etc/udev/rules.d/70-kfd.rules"
    done_all(root, write_file(path, 'KERNEL=="kfd", GROUP="render"\n'), run=run)
    root.path(path).rename(root.path("/etc/udev/rules.d/.70-kfd.rules.rdna1-setup"))
    come_back(root, run, way, [])
    assert not root.path("/etc/udev").exists()


def test_settings_that_were_written_since_are_kept_and_named(chosen: Root) -> None:
    go(chosen, "written", ("stand-choice", "1.0"))
    chosen.run("dpkg", "-i", f"{RUNS}/written/backup/debs/stand-choice_1.0.deb")
    chosen.write(SETTINGS, "newer\n")
    done = undo(chosen, "written")
    assert f"NOT UNDONE: {SETTINGS} has been changed since" in done.stdout
    assert chosen.path(SETTINGS).read_text() == "newer\n"


@pytest.mark.parametrize("way", WAYS)
def test_what_the_package_has_instead_of_a_setting_that_is_kept_is_not_left_beside_it(
    chosen: Root, way: str
) -> None:
    run = f"beside-{WAYS.index(way)}"
    kept = go(chosen, run, ("stand-choice", "1.0"))
    chosen.write(SETTINGS, "newer\n")
    come_back(chosen, run, way, kept)
    assert chosen.path(SETTINGS).read_text() == "newer\n"
    assert not chosen.path(f"{SETTINGS}.dpkg-dist").exists()


def test_nobody_restores_by_the_run_of_another_user(chosen: Root) -> None:
    go(chosen, "private", ("stand-choice", "1.0"))
    text = f"""
import sys; sys.path.append({site_packages(chosen)!r})
from assets.root.apt_undo import _run_of
from assets.root.requests import Person
from assets.root.trouble import Trouble
class Step:
    person = Person({OWNER!r}, 1000, 4711, True)
try: _run_of("private", Step)
except Trouble as trouble: print(trouble.happened)
"""
    told = chosen.run("/usr/bin/python3", "-I", "-c", text).stdout
    assert told == "This user has no run with the ID private.\n"
