"""Files of the system that are written, moved to the backup, and moved back."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import Any, Iterator, NamedTuple, Sequence

from assets.root.failures import explain
from assets.root.files import (
    LARGEST_DEB,
    RUNS,
    Like,
    copy_attributes,
    copy_plain,
    exists,
    folder_at,
    hash_in,
    like,
    look,
    move_entry,
    parents_of,
    place_at,
    read_at,
    read_file,
    sha256,
    write_whole,
)
from assets.root.journal import is_run_of, records_in
from assets.root.packages import INFO
from assets.root.places import LOADER_FOLDER, LONGEST_CONTENT, TREES, refuse_lines
from assets.root.processes import run
from assets.root.requests import RUN
from assets.root.step import Step
from assets.root.trouble import Trouble, Wrong, as_trouble, surprise
from assets.root.undo import Call


def write_file(wanted: dict[str, Any], step: Step) -> str:
    """Write a file of ours, whole; what was there is copied into the backup first."""
    path, data = wanted["path"], wanted["content"].encode("utf-8")
    folder_path, _, name = path.rpartition("/")
    found = read_at(path)
    if found is not None and found[0] == data and _is_form(found[1], wanted["mode"]):
        return f"{path} already had this content"
    undo = _set_copy_aside(path, name, found, wanted, step)
    undo += [("remove_folder", above) for above in parents_of(path) if not exists(above)]
    step.intend({"ours": sha256(data), **_spot_of(undo)}, [*undo, *_loader_call(path)])
    heard = apt_complaint(path)
    with folder_at(folder_path, make=True) as folder:
        write_whole(folder, name, data, Like(wanted["mode"]))
    if not heard:
        refuse_what_apt_cannot_read(path, found)
    refresh_loader(path)
    written = read_at(path)
    if written is None or written[0] != data or not _is_form(written[1], wanted["mode"]):
        raise Trouble(
            f"{path} does not contain what was written to it.",
            "Another program is changing the file or its folder at the same time.",
            "Find out which program is interfering, then run the same step again.",
        )
    return f"{path} exists, {len(data)} bytes"


def apt_complaint(path: str) -> str:
    """What keeps apt from reading its settings, if it has to do with such a path; else nothing."""
    if not path.startswith("/etc/apt/"):
        return ""
    ended = run(("apt-cache", "policy"))
    lines = [line for line in ended.output.splitlines() if line.startswith("E:")]
    return " ".join(lines[:2]) if ended.code else ""


def refuse_what_apt_cannot_read(path: str, before: tuple[bytes, os.stat_result] | None) -> None:
    """Put back what was there before a file that stops apt, and raise Trouble."""
    heard = apt_complaint(path)
    if not heard:
        return
    with place_at(path) as (folder, name):
        if before is None:
            os.unlink(name, dir_fd=folder)
        else:
            write_whole(folder, name, before[0], like(before[1]))
    raise Trouble(
        f"With this {path}, apt can no longer read its settings: {heard[:300]}",
        "apt could then no longer change any package, so the old file was restored.",
        "If another apt source file lists the same repository with a different key, move that "
        "file elsewhere first.",
    )


def _is_form(seen: os.stat_result, mode: int) -> bool:
    return (stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid) == (mode, 0, 0)


def _set_copy_aside(
    path: str,
    name: str,
    found: tuple[bytes, os.stat_result] | None,
    wanted: dict[str, Any],
    step: Step,
) -> list[Call]:
    """Copy what a file holds into the backup, and give the calls that restore it."""
    data = wanted["content"].encode("utf-8")
    before = None if found is None else sha256(found[0])
    if before != wanted["before"] and before != sha256(data):
        raise Trouble(
            f"{path} has changed since the plan was made.",
            "Someone or something else changed the file, so it was left alone.",
            "Have rdna1-setup check the machine again, and review the new plan.",
        )
    # What is no UTF-8 is no letter of the new content either: no line of it passes for another.
    old = "" if found is None else found[0].decode("utf-8", "surrogateescape")
    try:
        refuse_lines(path, old, wanted["content"])
    except Wrong as error:
        raise surprise(str(error)) from None
    if found is None:
        return [("remove_ours", path, sha256(data))]
    spot = step.spot(name)
    write_whole(step.run.backup, spot, found[0], like(found[1]))
    with place_at(path) as (folder, _):
        copy_attributes(folder, name, step.run.backup, spot)
    kept = f"{step.run.path}/backup/{spot}"
    return [("restore", kept, path, sha256(data), sha256(found[0]))]


def _spot_of(undo: Sequence[Call]) -> dict[str, str]:
    """Where the backup has what was there before."""
    return {"kept": undo[0][1]} if undo[0][0] == "restore" else {}


def _loader_call(path: str) -> list[Call]:
    return [("loader",)] if path.startswith(LOADER_FOLDER + "/") else []


def refresh_loader(path: str) -> None:
    """Let the dynamic linker see a change in its folders."""
    if path.startswith(LOADER_FOLDER + "/"):
        ended = run(("ldconfig",))
        if ended.code != 0:
            raise explain(ended)


def set_aside(wanted: dict[str, Any], step: Step) -> str:
    """Move a file or tree into the backup; a tree stays on its own file system."""
    path = wanted["path"]
    with place_at(path) as (folder, name):
        if look(folder, name) is None:
            if find_kept(path, step, other_runs=False):
                return f"{path} is already in the backup"
            raise Trouble(
                f"{path} does not exist.",
                "This file or folder was moved or removed after the plan was made.",
                "Have rdna1-setup check the machine again, and review the new plan.",
            )
        if path.startswith(TREES + "/"):
            refuse_owned(path)
        spot = step.spot(name)
        kept = f"{step.run.path}/backup/{spot}"
        parked = f"{os.path.dirname(path)}/.rdna1-setup-{step.run.name}"
        undo: list[Call] = [("move_back", kept, f"{parked}/{spot}", path)]
        step.intend({"kept": kept, "parked": f"{parked}/{spot}"}, [*undo, *_loader_call(path)])
        if not move_entry(folder, name, step.run.backup, spot):
            _park(folder, name, parked, spot)
    refresh_loader(path)
    if exists(path):
        raise Trouble(
            f"{path} exists again.",
            "Another program is creating the same path at the same time.",
            "Find out which program is interfering, then run the same step again.",
        )
    return f"{path} is in the backup"


def _park(folder: int, name: str, parked: str, spot: str) -> None:
    """Move a tree into a folder of ours beside it."""
    with place_at(parked) as (parent, parking):
        if look(parent, parking) is None:
            os.mkdir(parking, 0o700, dir_fd=parent)
    with folder_at(parked) as target:
        if move_entry(folder, name, target, spot):
            return
    with place_at(parked) as (parent, parking):
        os.rmdir(parking, dir_fd=parent)
    raise Trouble(
        f"{name} cannot be moved within its own folder.",
        "It is the mount point of a separate file system, or is in a lower layer of an overlay.",
        "Unmount the file system, or make a plan without this step.",
    )


def refuse_owned(path: str) -> None:
    """Raise Trouble when a package has something at or below a path."""
    real = os.path.realpath(path)
    seen: dict[str, str] = {}
    with folder_at(INFO) as folder:
        for file in os.listdir(folder):
            if file.endswith(".list"):
                content = read_file(folder, file, LARGEST_DEB)
                for line in os.fsdecode(content[0] if content else b"").split("\n"):
                    if line.startswith("/") and _is_within(line, path, real, seen):
                        raise Trouble(
                            "{} belongs to the package {}.".format(line, file[: -len(".list")]),
                            "To remove a package's files, remove the package.",
                            "First remove the package that owns the file, then run the same step "
                            "again.",
                        )


def _is_within(line: str, path: str, real: str, seen: dict[str, str]) -> bool:
    """True for a listed path that is or lies below a tree, by its name or by where it leads."""
    if line == path or line.startswith(path + "/"):
        return True
    parent, _, name = line.rpartition("/")
    if parent not in seen:
        seen[parent] = os.path.realpath(parent)
    place = f"{seen[parent]}/{name}"
    return place == real or place.startswith(real + "/")


class Kept(NamedTuple):
    """Something in a backup."""

    place: str
    ours: str
    """Hash of what we wrote in its stead; empty where nothing was."""


def find_kept(path: str, step: Step, other_runs: bool = True) -> Kept | None:
    """What the user's backups have of a path, this run's first, then the newest."""
    if not other_runs:
        return _kept_in(step.run.intents(), path)
    found = (_kept_in(intents, path) for intents in _all_intents(step, of_others=False))
    return next((kept for kept in found if kept is not None), None)


def _kept_in(intents: Sequence[dict[str, Any]], path: str) -> Kept | None:
    for intent in reversed(intents):
        if intent["path"] == path and intent["verb"] in ("set_aside", "write_file"):
            noted = intent["noted"]
            for place in (noted.get("kept", ""), noted.get("parked", "")):
                if place and exists(place):
                    return Kept(place, noted.get("ours", ""))
    return None


def put_back(wanted: dict[str, Any], step: Step) -> str:
    """Move what was set aside back to its place; what we wrote there goes into the backup."""
    path = wanted["path"]
    own = find_kept(path, step, other_runs=False)
    kept = own or find_kept(path, step)
    if kept is None:
        if exists(path) and _was_never_replaced(path, step):
            return f"{path} is already in its place"
        raise Trouble(
            f"No backup contains {path}.",
            "This file or folder was never moved, has already been restored, or belongs to "
            "another user's run.",
            "See the list of runs (`rdna1-setup rollback --list`).",
        )
    with place_at(path) as (folder, name), place_at(kept.place) as (backup, spot):
        present = look(folder, name)
        if present is not None and _is_copy_of(folder, name, backup, spot):
            return f"{path} is already in its place"
        ours = step.spot(name)
        if present is not None:
            _refuse_changed(folder, name, path, kept)
        aside = f"{step.run.path}/backup/{ours}"
        content = "any" if own else _content_in(backup, spot)
        undo: list[Call] = [("put_away", path, kept.place, content)]
        if present is not None and not own:  # else what this run wrote it over with is undone below
            undo.append(("restore", aside, path, "", kept.ours))
        step.intend({}, undo)
        if present is not None:
            copy_plain(folder, name, step.run.backup, ours)
            os.unlink(name, dir_fd=folder)
        if not move_entry(backup, spot, folder, name):
            raise as_trouble(OSError(errno.EXDEV, os.strerror(errno.EXDEV), path))
    parking = os.path.dirname(kept.place)
    if not parking.startswith(RUNS):
        with contextlib.suppress(OSError):
            os.rmdir(parking)
    refresh_loader(path)
    return f"{path} is back in its place"


def _content_in(folder: int, name: str) -> str:
    """What ``content_of`` in UNDO.sh says of the same thing."""
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(seen.st_mode):
        return os.readlink(name, dir_fd=folder)
    return hash_in(folder, name) if stat.S_ISREG(seen.st_mode) else ""


def _is_copy_of(folder: int, name: str, backup: int, spot: str) -> bool:
    """True where it was kept, and not written over any more."""
    form = _form_in(folder, name)
    return form is not None and form == _form_in(backup, spot)


def _form_in(folder: int, name: str) -> tuple[str, int, int, int] | None:
    """Content, mode and owners of a file or link; None for anything else."""
    content = _content_in(folder, name)
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return (content, seen.st_mode, seen.st_uid, seen.st_gid) if content else None


def _was_never_replaced(path: str, step: Step) -> bool:
    """True where nothing of ours was written last: what is there was put back, or never moved.

    A step may have been cut off before it did anything, or anything was noted of it.
    """
    newest = _newest_intent(path, step)
    return newest is None or newest["verb"] != "write_file"


def _newest_intent(path: str, step: Step) -> dict[str, Any] | None:
    """The last that was noted of a path, in this run or else in the newest other one."""
    for intents in _all_intents(step, of_others=True):
        for intent in intents[::-1]:
            if intent["path"] == path:
                return intent
    return None


def _all_intents(step: Step, of_others: bool) -> Iterator[Sequence[dict[str, Any]]]:
    """Of this run first, then of the newest; of other users' runs too where that is asked."""
    yield step.run.intents()
    with folder_at(RUNS) as runs:
        names = sorted(os.listdir(runs), reverse=True)
    for name in names:
        if RUN.fullmatch(name) and name != step.run.name:
            with folder_at(f"{RUNS}/{name}") as folder:
                if of_others or is_run_of(step.person, folder):
                    yield [r for r in records_in(folder) if r.get("event") == "intent"]


def _refuse_changed(folder: int, name: str, path: str, kept: Kept) -> None:
    present = read_file(folder, name, LONGEST_CONTENT * 4)
    if present is None or not kept.ours or sha256(present[0]) != kept.ours:
        raise Trouble(
            f"{path} exists again, and rdna1-setup did not create it.",
            "Another file has since been created at the same path, and rdna1-setup left it alone.",
            f"The old file is at {kept.place}. Move one of the two files elsewhere yourself.",
        )
