"""Removal alone, clean-up alone, and reviewed plans from files: there, and back to the byte."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.e2e.system import debs, seeds
from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import detected, of_amd, packages
from tests.e2e.system.bases import OWNER, PASSWORD
from tests.e2e.system.debs import Deb
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import Difference, differences, take, told
from tests.e2e.system.states import (
    AMDGPU_INSTALL,
    DISTRIBUTION,
    LITTERED,
    ROCM_57,
    ROCM_62,
    SOURCE_LIST,
    Enter,
    State,
)
from tests.e2e.system.test_road import PYTHONS, at_a_terminal, carry_out, justified, prepared

pytestmark = pytest.mark.e2e

PLAN = f"/home/{OWNER}/plan.json"
EXIT_S = 120
ALTERNATIVES = "/var/lib/dpkg/alternatives/"


def back(root: Root) -> None:
    """Undo the last run, as its owner."""
    carry_out(root, "rollback", "--yes", says="Undone")


def not_as_before(found: Iterable[Difference], *more: str) -> tuple[Difference, ...]:
    """What differs, and is neither justified for the whole road nor here."""
    return tuple(
        each
        for each in found
        if not justified(each)
        and not any(each.name == path or each.name.startswith(f"{path}/") for path in more)
    )


def sound(root: Root) -> bool:
    """True when dpkg and apt find nothing to complain of."""
    audit = root.run("dpkg", "--audit")
    check = root.run("apt-get", "check", check=False)
    return not audit.stdout and check.returncode == 0


def gone_by(root: Root, before: dict[str, object]) -> set[str]:
    """Packages that are not installed any more."""
    after = packages(root)
    return {name for name in before if name not in after or after[name].status in ("rc", "un")}


NOT_EXACT = {
    # Made out of the time of the postinst's run, as the priorities of the whole road.
    f"{ALTERNATIVES}hipcc": "a priority out of the clock",
    f"{ALTERNATIVES}hipconfig": "a priority out of the clock",
    "/etc/alternatives/amdclang": "registered by the postinst, and not before: test_road knows it",
}


@pytest.mark.parametrize(
    ("state", "exact"), [(ROCM_57, ()), (ROCM_62, tuple(NOT_EXACT))], ids=["5.7.1", "6.2.4"]
)
def test_amds_rocm_goes_and_nothing_else_and_comes_back(
    enter: Enter, state: State, exact: tuple[str, ...]
) -> None:
    root = enter(state)
    root.give_sudo("with password")
    before, held, amds = take(root.folder), packages(root), of_amd(root)
    carry_out(root, "remove", "--yes", says="Finished.")
    assert gone_by(root, dict(held)) == amds
    assert {n: row for n, row in packages(root).items() if n in held} == {
        n: row for n, row in held.items() if n not in amds
    }
    assert of_amd(root) == set()
    assert not [path.name for path in root.path("/opt").iterdir() if "rocm" in path.name]
    assert sound(root)
    seen = detected(root)
    assert not [source for source in seen["apt_sources"] if source["amd"]]
    assert not [file["path"] for file in seen["system_files"]]
    again = root.wizard("remove")
    assert (again.returncode, again.stderr) == (0, "")
    assert "There is nothing to remove" in again.stdout
    back(root)
    left = not_as_before(differences(before, take(root.folder)), *exact)
    assert not left, told(left)


def test_a_package_of_another_architecture_goes_and_comes_back_as_that(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.give_sudo("with password")
    root.run("dpkg", "--add-architecture", "i386")
    content = {"/opt/rocm-5.7.1/lib32/libOpenCL.so.1": b"i386"}
    theirs = Deb("rocm-ocl-icd", "2.0.0.50701-98~22.04", "i386", files=content)
    place = f"/var/cache/apt/archives/{theirs.file_name}"
    debs.build(theirs, root.path(place))
    root.run("dpkg", "--install", place)
    named = "rocm-ocl-icd:i386"
    before, rows = take(root.folder), packages(root)
    assert named in {one["name"] for one in detected(root)["rocm_packages"]}
    carry_out(root, "remove", "--yes", says="Finished.")
    assert named in gone_by(root, dict(rows))
    assert of_amd(root) == set()
    back(root)
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)


def without_archive(root: Root) -> dict[str, str]:
    """AMD's source is taken away, and what apt had fetched; what was AMD's, with versions."""
    rows, amds = packages(root), of_amd(root)
    root.path(SOURCE_LIST).unlink()
    root.run("apt-get", "-qq", "update")
    root.run("apt-get", "clean")
    return {name: rows[name].version for name in amds}


def says_all(text: str, versions: dict[str, str]) -> bool:
    """True where every one of them is named with its version."""
    return all(f"{name} {version}" in text for name, version in versions.items())


def test_what_no_archive_has_goes_only_where_that_was_chosen_and_is_named(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.give_sudo("with password")
    lost = without_archive(root)
    plan = json.loads(save_plan(root, "--remove").read_text())
    before = take(root.folder)
    for words in (("remove", "--yes"), ("apply", "--plan", PLAN, "--yes")):
        done = root.wizard(*words)
        assert done.returncode == 2, done.stdout + done.stderr
        assert says_all(done.stderr, lost)
        assert "Rollback could not restore the removed packages. Nothing was changed" in done.stderr
    beside = root.wizard("apply", "--plan", PLAN, "--without-rollback", "--yes")
    assert beside.returncode == 2
    assert "Omit --without-rollback" in beside.stderr
    forged = json.dumps({**plan, "asked": ["--remove", "--without-rollback"]})
    root.write(PLAN, forged, user=OWNER)
    done = root.wizard("apply", "--plan", PLAN, "--yes")
    assert done.returncode == 2
    assert "the one the plan was made for" in done.stderr
    root.write(PLAN, json.dumps(plan, indent=1) + "\n", user=OWNER)
    assert not not_as_before(differences(before, take(root.folder)))
    plan = json.loads(save_plan(root, "--remove", "--without-rollback").read_text())
    (note,) = (
        note
        for note in plan["notes"]
        if note.startswith("These packages will be removed permanently: ")
    )
    assert says_all(note, lost)
    with at_a_terminal(root, "apply", "--plan", PLAN, "--yes") as terminal:
        terminal.wait_for("password for", EXIT_S)
        terminal.send(f"{PASSWORD}\n")
        terminal.wait_for("change nothing: ", EXIT_S)
        asked = " ".join(terminal.text().split())
        told = asked.partition(
            "These packages are removed permanently, because no package file is "
        )[2]
        assert all(f"{name}={version}" in told for name, version in lost.items())
        terminal.send("yes\n")
        terminal.wait_for("Finished.", 3 * EXIT_S)
        assert terminal.exit_code(EXIT_S) == 0
    assert not lost.keys() & {name for name, row in packages(root).items() if row.status == "ii"}
    assert sound(root)
    (script,) = root.folder.glob("var/lib/rdna1-setup/runs/*/UNDO.sh")
    undone = root.run("sh", f"/{script.relative_to(root.folder)}", check=False)
    assert undone.returncode == 3, undone.stdout + undone.stderr
    assert says_all(undone.stdout, lost)
    rest = root.wizard("rollback", "--yes")
    assert rest.returncode == 1
    assert says_all(rest.stdout, lost)
    assert f"except for {len(lost)} things" in rest.stdout
    assert sound(root)


def test_rollback_brings_back_all_but_what_went_for_good(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.give_sudo("with password")
    name, version = "miopen-hip", "2.20.0.50701-99~22.04"
    root.apt("purge", name)
    own = Deb(name, version, depends=("rocm-core",), files={"/opt/rocm-5.7.1/own": b"own\n"})
    debs.build(own, root.path(f"/root/{own.file_name}"))
    root.run("dpkg", "--install", f"/root/{own.file_name}")
    root.path(f"/root/{own.file_name}").unlink()
    before, held = take(root.folder), packages(root)
    refused = root.wizard("remove", "--yes")
    assert refused.returncode == 2
    assert f"has the package files for {name} {version}." in refused.stderr
    carry_out(root, "remove", "--without-rollback", "--yes", says="Finished.")
    assert name not in packages(root)
    with at_a_terminal(root, "rollback", "--yes") as terminal:
        terminal.wait_for("password for", EXIT_S)
        terminal.send(f"{PASSWORD}\n")
        terminal.wait_for("change nothing: ", EXIT_S)
        terminal.send("yes\n")
        terminal.wait_for("The run was undone, except for one thing", 3 * EXIT_S)
        assert terminal.exit_code(EXIT_S) == 1
        assert f"{name} {version} was removed permanently" in " ".join(terminal.text().split())
    assert packages(root) == {key: row for key, row in held.items() if key != name}
    assert sound(root)
    left = not_as_before(differences(before, take(root.folder)))
    other = tuple(each for each in left if name not in each.name and "/own" not in each.name)
    assert not other, told(other)


def test_a_library_that_somebody_replaced_is_named_and_comes_back(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.give_sudo("with password")
    link, library = (f"/opt/rocm-5.7.1/lib/libMIOpen.so.1{end}" for end in ("", ".0.50701"))
    root.write(library, "patched by hand\n", 0o755)
    root.path(link).unlink()
    root.write(link, "put in place of the link\n")
    before = take(root.folder)
    shown = root.wizard("plan", "--remove").stdout
    assert f"{link}, {library}" in " ".join(shown.split())
    carry_out(root, "remove", "--yes", says="Finished.")
    assert not root.path("/opt/rocm-5.7.1").exists()
    back(root)
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)


def test_settings_of_the_user_are_no_part_of_removal(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.give_sudo("with password")
    bashrc = root.path(seeds.BASHRC).read_text()
    carry_out(root, "remove", "--yes", says="Finished.")
    assert root.path(seeds.BASHRC).read_text() == bashrc
    assert root.path(seeds.PROFILE).exists()


def test_what_other_scripts_left_is_cleared_away_and_comes_back(enter: Enter) -> None:
    root = enter(LITTERED)
    root.give_sudo("with password")
    before, amds = take(root.folder), of_amd(root)
    lines = root.path(seeds.BASHRC).read_text().splitlines()
    carry_out(root, "clean-up", "--yes", says="Finished.")
    assert sound(root)
    assert not amds & {name for name, row in packages(root).items() if row.status == "ii"}
    assert not root.path(seeds.PROFILE).exists()
    assert not root.path(seeds.PROFILE_52).exists()
    assert root.path(seeds.SHARED).read_text() == "umask 022\n"
    assert not [path.name for path in root.path("/opt").iterdir() if "rocm" in path.name]
    kept = root.path(seeds.BASHRC).read_text().splitlines()
    assert kept == [line for line in lines if line in kept]
    assert not [line for line in kept if "ROCM" in line or "HSA_" in line]
    assert detected(root)["settings"] == []
    back(root)
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)


def test_the_distributions_rocm_stays_unless_it_is_asked_for(enter: Enter) -> None:
    root = enter(DISTRIBUTION)
    root.give_sudo("with password")
    before, held = take(root.folder), packages(root)
    done = root.wizard("remove", "--yes")
    assert done.returncode == 0
    assert "The distribution's own ROCm packages are kept" in done.stdout
    assert packages(root) == held
    theirs = {p["name"] for p in detected(root)["rocm_packages"]}
    carry_out(root, "remove", "--distribution-rocm", "--yes", says="Finished.")
    assert gone_by(root, dict(held)) == theirs
    assert sound(root)
    back(root)
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)


def test_amds_graphics_stay_when_its_installer_left_them(enter: Enter) -> None:
    root = enter(AMDGPU_INSTALL)
    root.give_sudo("with password")
    carry_out(root, "remove", "--yes", says="Finished.")
    rows = packages(root)
    assert rows["libdrm2-amdgpu"].status == "ii"
    assert "amdgpu-dkms" not in {name for name, row in rows.items() if row.status == "iF"}
    assert sound(root)


SEARCHED = {"PATH": f"{PYTHONS}/bin:/usr/local/bin:/usr/bin:/bin"}


def save_plan(root: Root, *words: str) -> Path:
    """What the owner reviews, in a file of the owner's."""
    printed = root.wizard("plan", *words, "--json", env=SEARCHED)
    assert printed.returncode == 0, printed.stderr
    root.write(PLAN, printed.stdout, user=OWNER)
    return root.path(PLAN)


def test_a_reviewed_plan_is_carried_out_once_and_the_second_time_all_is_done(
    enter: Enter,
) -> None:
    root = enter(ROCM_57)
    root.give_sudo("with password")
    save_plan(root, "--remove")
    before = take(root.folder)
    words = ("apply", "--plan", PLAN, "--yes", "--json")
    first = carry_out(root, *words, says='"event": "PlanFinished", "ok": true')
    assert '"changed": true' in first.rpartition("PlanFinished")[2]
    assert of_amd(root) == set()
    after = take(root.folder)
    second = root.wizard(*words)
    assert second.returncode == 0, second.stderr
    events = [json.loads(line) for line in second.stdout.splitlines()]
    assert all(e["already_done"] for e in events if e["event"] == "StepFinished")
    assert (events[-1]["ok"], events[-1]["changed"]) == (True, False)
    assert differences(after, take(root.folder)) == ()
    back(root)
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)


def test_an_exact_plan_with_system_packages_is_carried_out_and_then_found_done(
    enter: Enter, archive: ArchiveServer, wheels: Path
) -> None:
    root = enter(ROCM_57)
    words = prepared(root, archive, wheels)
    text = save_plan(root, *words, "--exact").read_text()
    assert "rocm-core" in text
    carry_out(root, "apply", "--plan", PLAN, "--yes", says="Finished.")
    assert packages(root)["rocm-core"].version.startswith("5.2.0.50200")
    after = take(root.folder)
    second = root.wizard("apply", "--plan", PLAN, "--yes", "--json", env=SEARCHED)
    assert second.returncode == 0, second.stderr
    events = [json.loads(line) for line in second.stdout.splitlines()]
    assert (events[-1]["ok"], events[-1]["changed"]) == (True, False)
    assert not not_as_before(differences(after, take(root.folder)))
    (root.path("/etc/apt/preferences.d") / "rdna1-setup-rocm").unlink()
    third = root.wizard("apply", "--plan", PLAN, "--yes", "--json", env=SEARCHED)
    assert (third.returncode, third.stdout) == (2, "")
    assert (
        "since it was installed: /etc/apt/preferences.d/rdna1-setup-rocm has changed"
        in third.stderr
    )


def test_a_plan_that_is_not_true_any_more_is_refused_and_changes_nothing(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.give_sudo("with password")
    save_plan(root, "--remove")
    root.apt("purge", "miopen-hip")
    before = take(root.folder)
    done = root.wizard("apply", "--plan", PLAN, "--yes", "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the one the plan was made for" in done.stderr
    assert "miopen-hip" in done.stderr
    assert differences(before, take(root.folder)) == ()


def test_a_removal_that_was_killed_is_gone_on_with_and_taken_back_whole(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.give_sudo("with password")
    before = take(root.folder)
    with at_a_terminal(root, "remove", "--yes") as terminal:
        terminal.wait_for("password for", EXIT_S)
        terminal.send(f"{PASSWORD}\n")
        terminal.wait_for("change nothing: ", EXIT_S)
        terminal.send("yes\n")
        terminal.wait_for("[2/", EXIT_S)
    assert root.wizard("watch").returncode == 0
    carry_out(root, "remove", "--yes", says="Finished.")
    (run,) = root.wizard("rollback", "--list").stdout.splitlines()
    assert run.endswith("finished")
    assert of_amd(root) == set()
    assert sound(root)
    back(root)
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)


def test_the_wizard_leads_there_by_keys_alone(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.give_sudo("with password")
    before = take(root.folder)
    with at_a_terminal(root) as terminal:
        terminal.wait_for("remove ROCm, or", EXIT_S)
        for key, shown in (
            ("x", "Enter Choose"),
            ("n", "What do you want to remove?"),
            ("\r", "y removes"),
            ("y", "password for"),
            (f"{PASSWORD}\n", "change nothing: "),
            ("yes\n", "Press Enter to finish"),
            ("\r", "you can undo it"),
        ):
            terminal.send(key)
            terminal.wait_for(shown, 2 * EXIT_S)
        terminal.send("q")
        assert terminal.exit_code(EXIT_S) == 0
    assert of_amd(root) == set()
    back(root)
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)


def test_root_s_no_leaves_all_as_it_is(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.give_sudo("without password")
    before = take(root.folder)
    with at_a_terminal(root, "remove", "--yes") as terminal:
        terminal.wait_for("change nothing: ", EXIT_S)
        terminal.send("no\n")
        terminal.wait_for("Nothing was changed", EXIT_S)
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)
