"""Files of the system that are written, moved to the backup, and moved back."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from typing import Any, Iterator, Sequence, Tuple

from assets.root.failures import explain
from assets.root.files import (
    LARGEST_DEB,
    RUNS,
    Like,
    copy_attributes,
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
    path, mode, data = wanted["path"], wanted["mode"], wanted["content"].encode("utf-8")
    found = read_at(path)
    if found is not None and _is(found, data, mode):
        return f"{path} already had this content"
    _refuse_other_content(wanted, None if found is None else found[0])
    noted = {"ours": sha256(data)}
    if found is None:
        undo: list[Call] = [("remove_ours", path, sha256(data))]
    else:
        noted["kept"] = _keep_content(path, found, step)
        undo = [("restore", noted["kept"], path, sha256(data), sha256(found[0]))]
    undo += [("remove_folder", above) for above in parents_of(path) if not exists(above)]
    step.intend(noted, [*undo, *_loader_call(path)])
    heard = apt_complaint(path)
    with place_at(path, make=True) as (folder, name):
        write_whole(folder, name, data, Like(mode))
    if not heard:
        refuse_what_apt_cannot_read(path, found)
    refresh_loader(path)
    written = read_at(path)
    if written is None or not _is(written, data, mode):
        raise Trouble(
            f"{path} does not contain what was written to it.",
            "Another program is changing the file or its folder at the same time.",
            "Find out which program is interfering, then run the same step again.",
        )
    return f"{path} exists, {len(data)} bytes"


def _is(found: tuple[bytes, os.stat_result], data: bytes, mode: int) -> bool:
    """True for a file of root's with this content and these permissions."""
    form = (stat.S_IMODE(found[1].st_mode), found[1].st_uid, found[1].st_gid)
    return found[0] == data and form == (mode, 0, 0)


def _refuse_other_content(wanted: dict[str, Any], found: bytes | None) -> None:
    """Raise Trouble where something else would be replaced, or lines may not stand there."""
    before = None if found is None else sha256(found)
    if before not in (wanted["before"], sha256(wanted["content"].encode("utf-8"))):
        raise Trouble(
            f"{wanted['path']} has changed since the plan was made.",
            "Someone or something else changed the file, so it was left alone.",
            "Have rdna1-setup check the machine again, and review the new plan.",
        )
    # What is no UTF-8 is no letter of the new content either: no line of it passes for another.
    old = (found or b"").decode("utf-8", "surrogateescape")
    try:
        refuse_lines(wanted["path"], old, wanted["content"])
    except Wrong as error:
        raise surprise(str(error)) from None


def _keep_content(path: str, found: tuple[bytes, os.stat_result], step: Step) -> str:
    """Keep the very bytes that were looked at, with the form of their file; where."""
    with place_at(path) as (folder, name):
        spot = step.spot(name)
        write_whole(step.run.backup, spot, found[0], like(found[1]))
        copy_attributes(folder, name, step.run.backup, spot)
    return step.run.in_backup(spot)


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
            if kept_in(step.run.intents(), path):
                return f"{path} is already in the backup"
            raise Trouble(
                f"{path} does not exist.",
                "This file or folder was moved or removed after the plan was made.",
                "Have rdna1-setup check the machine again, and review the new plan.",
            )
        if path.startswith(TREES + "/"):
            refuse_owned(path)
        spot = step.spot(name)
        kept = step.run.in_backup(spot)
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


Kept = Tuple[str, str]
"""Where a backup has something, and the hash of what we wrote in its stead, empty for nothing."""


def noted_of(path: str, intents: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What was noted of a path, the newest first."""
    return [intent for intent in reversed(intents) if intent["path"] == path]


def intents_of_others(step: Step, every: bool) -> Iterator[list[dict[str, Any]]]:
    """The intents of earlier runs of this user, or of every user, the newest run first."""
    with folder_at(RUNS) as runs:
        names = sorted(os.listdir(runs), reverse=True)
    for name in names:
        if RUN.fullmatch(name) and name != step.run.name:
            with folder_at(f"{RUNS}/{name}") as folder:
                if every or is_run_of(step.person, folder):
                    yield [r for r in records_in(folder) if r.get("event") == "intent"]


def kept_in(intents: Sequence[dict[str, Any]], path: str) -> Kept | None:
    """The newest that a backup still has of a path."""
    for intent in noted_of(path, intents):
        noted = intent["noted"]
        if intent["verb"] in ("set_aside", "write_file"):
            for place in (noted.get("kept", ""), noted.get("parked", "")):
                if place and exists(place):
                    return place, noted.get("ours", "")
    return None


def put_back(wanted: dict[str, Any], step: Step) -> str:
    """Move what was set aside back to its place; what we wrote there goes into the backup."""
    path = wanted["path"]
    own = kept_in(step.run.intents(), path)
    earlier = (kept_in(intents, path) for intents in intents_of_others(step, every=False))
    kept = own or next(filter(None, earlier), None)
    if kept is None:
        if exists(path) and _was_never_replaced(path, step):
            return f"{path} is already in its place"
        raise Trouble(
            f"No backup contains {path}.",
            "This file or folder was never moved, has already been restored, or belongs to "
            "another user's run.",
            "See the list of runs (`rdna1-setup rollback --list`).",
        )
    place, ours = kept
    with place_at(path) as (folder, name), place_at(place) as (backup, spot):
        present = look(folder, name) is not None
        if present and _form_in(folder, name) == _form_in(backup, spot) is not None:
            return f"{path} is already in its place"
        if present:
            _refuse_changed(folder, name, path, kept)
        content = "any" if own else _content_in(backup, spot)
        undo: list[Call] = [("put_away", path, place, content)]
        aside = step.keep(path) if present else ""
        if aside and not own:  # else what this run wrote it over with is undone below
            undo.append(("restore", aside, path, "", ours))
        step.intend({}, undo)
        if present:
            os.unlink(name, dir_fd=folder)
        if not move_entry(backup, spot, folder, name):
            raise as_trouble(OSError(errno.EXDEV, os.strerror(errno.EXDEV), path))
    if not place.startswith(RUNS):
        with contextlib.suppress(OSError):
            os.rmdir(os.path.dirname(place))
    refresh_loader(path)
    return f"{path} is back in its place"


def _content_in(folder: int, name: str) -> str:
    """What ``content_of`` in UNDO.sh says of the same thing."""
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(seen.st_mode):
        return os.readlink(name, dir_fd=folder)
    return hash_in(folder, name) if stat.S_ISREG(seen.st_mode) else ""


def _form_in(folder: int, name: str) -> tuple[str, int, int, int] | None:
    """Content, mode and owners of a file or link; None for anything else."""
    content = _content_in(folder, name)
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    return (content, seen.st_mode, seen.st_uid, seen.st_gid) if content else None


def _was_never_replaced(path: str, step: Step) -> bool:
    """True where nothing of ours was written last: what is there was put back, or never moved.

    A step may have been cut off before it did anything, or anything was noted of it.
    """
    for intents in (step.run.intents(), *intents_of_others(step, every=True)):
        for newest in noted_of(path, intents):
            return bool(newest["verb"] != "write_file")
    return True


def _refuse_changed(folder: int, name: str, path: str, kept: Kept) -> None:
    present = read_file(folder, name, LONGEST_CONTENT * 4)
    if present is None or not kept[1] or sha256(present[0]) != kept[1]:
        raise Trouble(
            f"{path} exists again, and rdna1-setup did not create it.",
            "Another file has since been created at the same path, and rdna1-setup left it alone.",
            f"The old file is at {kept[0]}. Move one of the two files elsewhere yourself.",
        )
