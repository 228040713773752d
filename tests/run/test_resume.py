"""Which steps of a run that was cut off, or spoilt since, are done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.run.places import plan_of
from wizard.core.journal import Record
from wizard.operations.clear_executable_stack import ClearExecutableStack
from wizard.operations.drop_downloads import DropDownloads
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.plan.form import plan_form
from wizard.run.journal import Journal, Owned
from wizard.run.resume import done_steps
from wizard.run.rollback_folder import remains
from wizard.system.backup import FILE, Backup, Row, write_manifest
from wizard.system.whole_file import draft_of


def test_downloads_are_dropped_anew_where_the_wheels_are_installed_anew(tmp_path: Path) -> None:
    venv, run = tmp_path / "venv", tmp_path / "run"
    venv.mkdir()
    run.mkdir()
    (venv / "module.py").write_text("ours")
    Owned(run).add({"module.py": (4, 0)})
    work = str(tmp_path / "work")
    fetch = FetchWheels("r", f"{work}/lock.json", work, f"{work}/lock.txt")
    install = InstallWheels("r", "/uv", str(venv), work, f"{work}/lock.txt")
    plan = plan_of(tmp_path, fetch, install, DropDownloads("r", work))
    outcomes = {1: "fetched", 2: "installed", 3: "dropped"}
    record = Record("1", str(run), "now", plan_form(plan), outcomes, {}, "finished")
    assert done_steps(plan, record) == frozenset({1, 2, 3})
    (venv / "module.py").unlink()
    assert done_steps(plan, record) == frozenset()


def test_a_setuptools_that_gave_way_to_a_newer_one_leaves_the_installation_done(
    tmp_path: Path,
) -> None:
    """Venvs of Python 3.11 and older bring one, and newer releases of torch ask for a later one."""
    venv, run = tmp_path / "venv", tmp_path / "run"
    site = venv / "lib/python3.11/site-packages"
    newer = site / "setuptools-84.2.1.dist-info"
    newer.mkdir(parents=True)
    (newer / "RECORD").touch()
    run.mkdir()
    names = ("setuptools-66.1.1.dist-info/RECORD", "setuptools/old.py", newer.name + "/RECORD")
    Owned(run).add({f"lib/python3.11/site-packages/{name}": (0, 0) for name in names})
    install = InstallWheels("r", "/uv", str(venv), "work", "lock.txt")
    fetch = FetchWheels("r", "work/lock.json", "work", "work/lock.txt")
    plan = plan_of(tmp_path, fetch, install)
    record = Record("1", str(run), "now", plan_form(plan), {1: "", 2: ""}, {}, "finished")
    assert 2 in done_steps(plan, record)
    (newer / "RECORD").unlink()
    assert 2 not in done_steps(plan, record)


def test_a_copy_of_a_library_that_was_cut_off_is_ours_and_the_library_beside_it_is_not(
    tmp_path: Path,
) -> None:
    run, lib = tmp_path / "run", tmp_path / "venv/lib/python3.11/site-packages/torch/lib"
    lib.mkdir(parents=True)
    Journal(run).begin(
        plan := plan_of(
            tmp_path,
            ClearExecutableStack("r", str(tmp_path / "venv"), ("libamdhip64.so",)),
        ),
        "now",
    )
    (lib / "libamdhip64.so").write_text("whole")
    draft_of(lib / "libamdhip64.so").write_text("half")
    record = Record("1", str(run), "now", plan_form(plan), {}, {1: {}}, "unfinished")
    (found,) = remains(record, 1)
    assert found.endswith("/torch/lib/.libamdhip64.so.rdna1-setup")


def test_what_was_removed_from_a_backup_asks_for_no_second_move_once_wheels_are_installed(
    tmp_path: Path,
) -> None:
    venv, run = tmp_path / "venv", tmp_path / "run"
    backup = venv / ".rdna1-setup"
    backup.mkdir(parents=True)
    run.mkdir()
    write_manifest(Backup(venv, backup), (Row("torch.py", FILE, 0o644, 1, 1, ""),))
    work = str(tmp_path / "work")
    fetch = FetchWheels("r", f"{work}/lock.json", work, f"{work}/lock.txt")
    aside = SetAsidePackages("r", str(venv), str(venv), (), (), work, str(backup))
    install = InstallWheels("r", "/uv", str(venv), work, f"{work}/lock.txt")
    plan = plan_of(tmp_path, fetch, aside, install)
    begun = Record("1", str(run), "now", plan_form(plan), {2: "moved"}, {2: {}}, "unfinished")
    assert 2 not in done_steps(plan, begun)
    assert 2 in done_steps(plan, replace(begun, intents={2: {}, 3: {}}))
