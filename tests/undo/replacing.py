"""A small environment whose torch a run has replaced, without pip and without a network."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from tests.run.places import plan_of
from wizard.core.journal import Record
from wizard.host.files import listing, prints
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.run.executor import now
from wizard.run.journal import Journal, Owned
from wizard.run.rollback import roll_back_folder
from wizard.run.rollback_folder import find_folder_rollback
from wizard.run.runs import read_record
from wizard.system.backup import Backup, folder_rows, move_aside, seen_row, write_manifest

SITE = "lib/python3.10/site-packages"
KEPT = "rdna1-setup-kept"


def install(root: Path, name: str, version: str, **files: str) -> list[Path]:
    """A distribution with these modules, and with the list of its files."""
    site = root / SITE
    info = site / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Name: {name}\nVersion: {version}\n")
    paths = [f"{info.name}/METADATA", f"{info.name}/RECORD"]
    for file, text in files.items():
        (site / f"{file}.py").write_text(text)
        paths.append(f"{file}.py")
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in paths))
    return [site / path for path in paths]


def remove(paths: list[Path]) -> None:
    """What pip does to uninstall."""
    for path in paths:
        path.unlink(missing_ok=True)
    paths[0].parent.rmdir()


def make_environment(venv: Path) -> Path:
    """A torch, a numpy that goes with it, a package that stays, and settings of the user's."""
    install(venv, "torch", "1.0", torch_old="old", torch_both="old")
    install(venv, "numpy", "1.0", numpy="old")
    install(venv, "other", "1.0", other="other")
    (venv / "pip.conf").write_text("[global]\ntimeout = 60\n")
    return venv


def aside_step(
    root: Path, *packages: tuple[str, str], files: tuple[str, ...] = ()
) -> SetAsidePackages:
    """The step that sets these packages of an environment aside."""
    site, backup = str(root / SITE), str(root / ".rdna1-setup")
    return SetAsidePackages("r", str(root), site, packages, files, "", backup)


def set_aside(step: SetAsidePackages) -> Backup:
    """Carry the step out."""
    aside = Backup(Path(step.root), Path(step.backup))
    paths = step.family_files()
    aside.folder.mkdir()
    rows = [seen_row(aside.root, path, lambda _: None) for path in paths]
    write_manifest(aside, (*folder_rows(aside.root, paths), *rows))
    move_aside(aside)
    return aside


def replaced(venv: Path, *further: SetAsidePackages) -> tuple[Record, list[Path]]:
    """A run that set torch 1.0 and numpy 1.0 aside and installed torch 2.0 and extra 1.0."""
    packages = (("torch", "1.0"), ("numpy", "1.0"))
    step = aside_step(venv, *packages, files=(str(venv / "pip.conf"),))
    plan = replace(plan_of(venv.parent, step, *further), venv=str(venv))
    run = venv.parent / "runs/1"
    journal = Journal(run)
    run.parent.mkdir()
    journal.begin(plan, "now")
    folders = sorted(listing(venv).folders)
    journal.intend(1, {"folders_before": folders, "real": os.path.realpath(venv)})
    set_aside(step)
    journal.finish(1, "moved")
    for number, each in enumerate(further, 2):
        journal.intend(number, {})
        set_aside(each)
        journal.finish(number, "moved")
    new = install(venv, "torch", "2.0", torch_new="new", torch_both="new")
    extra = install(venv, "extra", "1.0", extra="ours")
    (venv / "pip.conf").write_text("ours")
    Owned(run).add(prints(venv, (*new, *extra, venv / "pip.conf")))
    journal.close("finished", "now")
    return again(run), new


def again(run: Path) -> Record:
    """The run as its journal tells it now."""
    record = read_record(run)
    assert record is not None
    return record


def back(record: Record) -> tuple[str, ...]:
    """Go back; gives what was told."""
    return roll_back_folder(find_folder_rollback(record), record, now())
