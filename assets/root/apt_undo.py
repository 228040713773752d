"""How a change of packages is undone: what is kept of the time before, and the calls."""

from __future__ import annotations

import contextlib
import errno
import functools
import grp
import hashlib
import os
import pwd
import re
import stat
import subprocess
import tarfile
from typing import Any, Callable, Iterable, Iterator, NamedTuple, Sequence

from assets.root.failures import explain
from assets.root.files import (
    FOLDER,
    READ,
    RUNS,
    Like,
    attributes_of,
    folder_at,
    give_attributes,
    give_form,
    like,
    look,
    opened,
    parents_of,
    write_whole,
)
from assets.root.journal import is_run_of, records_in, standing
from assets.root.package_files import deb_path, kept_path
from assets.root.packages import (
    Package,
    automatic,
    diversions,
    list_of,
    marks_of,
    package_in,
    packages,
    places_of,
    settings_of,
    sums_of,
    wait_for_locks,
)
from assets.root.processes import CHANGE_DEADLINE_S, ENVIRONMENT, FETCH_DEADLINE_S, run
from assets.root.requests import DKMS
from assets.root.step import Step
from assets.root.trouble import Trouble, as_trouble
from assets.root.undo import Call, shell_script


def note_change(
    wanted: dict[str, Any], before: dict[str, Package], files: Sequence[str], step: Step
) -> None:
    """Journal a transaction: what each package was, its settings, and the calls that undo it."""
    names = [name for name, _ in wanted["expect"]["install"]] + list(wanted["expect"]["remove"])
    there = {n: before[n].version for n in names if n in before and before[n].state != "c"}
    settings_only = [n for n in names if n in before and before[n].state == "c"]
    fresh = [n for n in names if n not in before]
    auto = automatic()
    gone = [each for each in sorted(there.items()) if each in wanted["for_good"]]
    back = [each for each in sorted(there.items()) if each not in gone]
    kept = [name for name, _ in back]
    debs = [(*each, deb_path(step, *each)) for each in back]
    local = {package_in(file): file for file in files}
    incoming = [
        (*pair, local.get(pair) or kept_path(step, *pair)) for pair in wanted["expect"]["install"]
    ]
    spot = step.run.in_backup(step.spot("alternatives"))
    calls: list[Call] = [("finish_unpacking", *(word for new in incoming for word in new))]
    calls += [("rest",), ("since", spot + "-now")]
    coming = dict(wanted["expect"]["install"])
    first = dict(there)
    for intent in reversed(step.run.intents()):
        first.update(intent["noted"].get("there", {}))
    for how, brought in (("purge", fresh), ("remove", settings_only)):
        ours = [w for n in brought for w in (n, coming.get(n, ""), first.get(n, ""))]
        calls += [("take_ours", how, *ours)] if ours else []
    calls += linked_folders(back, step)
    modules = [deb for deb in debs if DKMS.fullmatch(deb[0]) and before[deb[0]].state != "i"]
    whole = [
        word
        for deb in debs
        if deb not in modules
        for word in (*deb, coming.get(deb[0], ""), first[deb[0]])
    ]
    calls += [("bring_back", *whole)] if whole else []
    calls += [("unpack_again", *deb, before[deb[0]].state) for deb in modules]
    copies = [*keep_settings([*kept, *settings_only], step), *keep_changed(back, step)]
    copies += keep_overlaid(incoming, [*there, *settings_only], step)
    calls += [("restore_settings", copy, path) for path, copy in copies]
    calls += keep_folders(back, step)
    # apt marks all that it is asked for, and drops marks before dpkg has removed anything.
    asked = [n for n, _ in (*wanted["install"], *local)]
    touched = [n for n in {*kept, *asked} if n in before and before[n].state != "c"]
    calls += [("mark", how, *marked) for how, marked in marks_of(touched, auto) if marked]
    calls += [("settle",), *_lost_calls(kept, step), *_gone_calls(gone, step)]
    calls += [("alternatives_back", spot), ("forget_since",)]
    calls += [("forget_mark", mark) for mark in note_rollback_began(step)]
    # Last of all: what gets a second name in the backup would seem to have come since then.
    ended = run(("sh", "-c", shell_script(step.run.path, [("keep_alternatives", spot)])))
    if ended.code:
        raise explain(ended)
    step.intend({"there": there, "alternatives": spot}, calls)


def note_rollback_began(step: Step) -> list[str]:
    """The time from which what comes belongs to the rollback of other runs, in their folders.

    Should this one be cut off, UNDO.sh of those runs knows what it had brought.
    """
    marks = []
    for request in step.later:
        if request.verb == "restore_settings" and _run_of(request.arguments["run"], step):
            path = "{}/{}".format(RUNS, request.arguments["run"])
            with folder_at(path) as folder:
                if look(folder, ROLLBACK_BEGAN) is None:
                    write_whole(folder, ROLLBACK_BEGAN, b"", Like(0o600))
            marks.append(f"{path}/{ROLLBACK_BEGAN}")
    return marks


def linked_folders(packages_: Sequence[tuple[str, str]], step: Step) -> list[Call]:
    """The calls for links that somebody has put where packages have folders."""
    known = (delivered_by(*each, step).items() for each in packages_)
    links = {path for paths in known for path, one in paths if one.kind == "d"}
    found = sorted(path for path in links if os.path.islink(path) and os.path.isdir(path))
    return [("link_again", path, os.readlink(path)) for path in found]


def keep_folders(packages_: Sequence[tuple[str, str]], step: Step) -> list[Call]:
    """Keep the owners, permissions and attributes of folders that are not as packages bring them.

    The calls give them to folders that are; the others have outlived their package.
    """
    calls: dict[str, Call] = {}
    for path, one in (each for p in packages_ for each in delivered_by(*p, step).items()):
        if one.kind != "d" or path in calls or os.path.islink(path) or not os.path.isdir(path):
            continue
        with opened(path, FOLDER) as folder:
            seen = like(os.fstat(folder))
            if seen[:3] == (one.mode, one.uid, one.gid) and not attributes_of(folder):
                continue
            spot = step.spot(os.path.basename(path)[:40])
            os.mkdir(spot, 0o700, dir_fd=step.run.backup)
            with opened(spot, FOLDER, step.run.backup) as copy:
                give_form(copy, seen)
                give_attributes(folder, copy, path)
            form = f"{one.mode:o} {one.uid} {one.gid}"
            calls[path] = ("restore_folder", step.run.in_backup(spot), path, form)
    return list(calls.values())


def keep_overlaid(
    incoming: Sequence[tuple[str, str, str]], going: Iterable[str], step: Step
) -> list[tuple[str, str]]:
    """What lies where packages that come bring files, and is of none that goes: path and copy.

    dpkg writes over it without a word.
    """
    known = {path for name in going for path in list_of(name)}
    kept = []
    for name, _, file in incoming:
        moved = diversions(name)
        for path, one in (delivered_in(file) if file else {}).items():
            place = moved.get(path, path)
            folder = os.path.isdir(place) and not os.path.islink(place)
            if one.kind != "d" and path not in known and os.path.lexists(place) and not folder:
                # A second name would make it look as if it had come with this rollback.
                copy = step.keep(place)
                step.output([f"{place} existed before and is kept as {copy}"])
                kept.append((place, copy))
    return kept


def _gone_calls(gone: Sequence[tuple[str, str]], step: Step) -> list[Call]:
    """What is said of packages that do not come back; copies of their settings are kept."""
    if not gone:
        return []
    copies = [*keep_settings([name for name, _ in gone], step), *keep_changed(gone, step)]
    said: list[Call] = [("went_for_good", *(word for each in gone for word in each))]
    return [*said, *(("settings_kept", copy, path) for path, copy in copies)]


def _lost_calls(names: Iterable[str], step: Step) -> list[Call]:
    """Keep a list of what had been deleted of packages by hand, and give the call that needs it."""
    files = {path for name in names for path in places_of(list_of(name), name)}
    lost = {path for path in files if not os.path.lexists(path)}
    tops = sorted(path for path in lost if lost.isdisjoint(parents_of(os.path.dirname(path) + "/")))
    if not tops:
        return []
    spot = step.spot("lost")
    listing = "".join(path + "\n" for path in tops).encode("utf-8", "surrogateescape")
    write_whole(step.run.backup, spot, listing, Like(0o600))
    return [("lose_again", step.run.in_backup(spot))]


ROLLBACK_BEGAN = "rollback_began"
"""In the folder of a run: its time is when a run that undoes it began to bring packages."""
RESTORING = (
    "remove_folder",
    "link_again",
    "restore_folder",
    "unpack_again",
    "restore_settings",
    "mark",
    "lose_again",
    "went_for_good",
    "settings_kept",
)


def restore_settings(wanted: dict[str, Any], step: Step) -> str:
    """What packages that came back from a run's backup do not bring along: how they stood there.

    Settings and files that were changed, files that had been deleted, marks, alternatives; and that
    packages which dpkg was only told to remove are to stay. Drafts of files that the run was
    writing when it was cut off go, and empty folders that it made.
    """
    wait_for_locks(step)
    verbs = ("apt_change", "mark", "write_file")
    changes = [i for i in _run_of(wanted["run"], step) if i["verb"] in verbs]
    if not changes:
        return "run {} changed no package and no file".format(wanted["run"])
    spots = [i["noted"]["alternatives"] for i in changes if "alternatives" in i["noted"]]
    begun = next((i for i in step.run.intents() if "alternatives" in i["noted"]), None)
    spot = step.run.in_backup(step.spot("alternatives"))
    calls: list[Call] = [("since", begun["noted"]["alternatives"] if begun else spot)]
    mentioned = [call for i in reversed(changes) for call in i["undo"] if call[0] in RESTORING]
    calls += [("drop_draft", i["path"]) for i in changes if i["verb"] == "write_file"]
    calls += mentioned
    there = [pair for i in changes for pair in i["noted"].get("there", {}).items()]
    calls += [("stay", *(word for pair in there for word in pair))] if there else []
    calls += [("alternatives_back", *spots)] if spots else []
    present = packages()
    modules = [c[1] for c in mentioned if c[0] == "unpack_again" and c[1] not in present]
    undo: list[Call] = [("take_out", "--purge", *modules)] if modules else []
    marked = {n for c in mentioned if c[0] == "mark" for n in c[2:] if n in present}
    undo += [("mark", how, *names) for how, names in marks_of(marked, automatic()) if names]
    step.intend({}, undo)
    script = step.spot("restore.sh")
    write_whole(
        step.run.backup, script, os.fsencode(shell_script(step.run.path, calls)), Like(0o700)
    )
    ended = step.follow(("sh", step.run.in_backup(script)), CHANGE_DEADLINE_S)
    left = ended.code
    if not 0 <= left <= 100:
        raise explain(ended)
    with folder_at("{}/{}".format(RUNS, wanted["run"])) as folder, contextlib.suppress(OSError):
        os.unlink(ROLLBACK_BEGAN, dir_fd=folder)
    known = "settings, changed and deleted files, marks and alternatives are as before run {}"
    if left:
        known += f", except for {left} (see above)"
    return known.format(wanted["run"])


def _run_of(name: str, step: Step) -> list[dict[str, Any]]:
    """The intents of a run that the user who asks may undo."""
    try:
        with folder_at(f"{RUNS}/{name}") as folder:
            theirs = is_run_of(step.person, folder)
            intents = standing(records_in(folder)) if theirs else None
    except FileNotFoundError:  # root was asked for, and never began
        return []
    if intents is None:
        raise Trouble(
            f"This user has no run with the ID {name}.",
            "Only the user who started a run can undo it.",
            "See the list of runs (`rdna1-setup rollback --list`).",
        )
    return intents


def keep_settings(names: Iterable[str], step: Step) -> list[tuple[str, str]]:
    """Copies of the settings files of packages that may go: path and copy of each."""
    settings = (path for name in names for path in places_of(settings_of(name), name))
    paths = sorted({each for one in settings for each in (one, *editors_copies(one))})
    return [(path, step.keep(path)) for path in paths if os.path.lexists(path)]


def editors_copies(path: str) -> list[str]:
    """What dpkg purges with a settings file: older ones of editors and of its own beside it."""
    folder, _, name = path.rpartition("/")
    form = r"{0}(?:~|~[0-9]+~|%|\.bak|\.dpkg-(?:dist|new|old|tmp))|#{0}#".format(re.escape(name))
    try:
        found = sorted(other for other in os.listdir(folder) if re.fullmatch(form, other))
    except OSError:
        return []
    paths = [f"{folder}/{other}" for other in found]
    return [each for each in paths if os.path.isfile(each) or os.path.islink(each)]


def keep_changed(packages_: Sequence[tuple[str, str]], step: Step) -> list[tuple[str, str]]:
    """What somebody changed of the files of packages that may go, kept: path and copy of each."""
    kept = []
    for number, (name, version) in enumerate(packages_):
        step.progress(number, len(packages_), "packages", name, "compare")
        for path in changed_files(name, version, step):
            copy = step.keep(path, linked=True)
            step.output([f"{path} was changed and is kept as {copy}"])
            kept.append((path, copy))
    return kept


class Delivered(NamedTuple):
    """What a package file has at a path."""

    kind: str
    """``f`` file, ``d`` folder, ``l`` link, ``?`` anything else."""
    mode: int
    uid: int
    gid: int
    target: str


def changed_files(name: str, version: str, step: Step) -> Iterator[str]:
    """Files and links of a package that are not as it brings them, but for its settings."""
    settings = set(settings_of(name))
    sums = sums_of(name)
    delivered = delivered_by(name, version, step)
    moved = diversions(name)
    for path in list_of(name):
        place = moved.get(path, path)
        if path not in settings and is_changed(place, delivered.get(path), sums.get(path)):
            yield place


def is_changed(path: str, delivered: Delivered | None, md5: str | None) -> bool:
    """True for a file or link that is not as its package brought it; raises Trouble for a folder.

    Without its package file nothing is known but the hash of its files.
    """
    try:
        seen = os.lstat(path)
    except OSError:  # it was deleted, perhaps with its folder
        return False
    if stat.S_ISREG(seen.st_mode):
        return _is_changed_file(path, seen, delivered, md5)
    if delivered is None:
        return md5 is not None and not stat.S_ISDIR(seen.st_mode)
    if stat.S_ISLNK(seen.st_mode):  # one to a folder stands for a folder
        link = ("l", os.readlink(path))
        return delivered.kind != "d" and (delivered.kind, delivered.target) != link
    if stat.S_ISDIR(seen.st_mode) and delivered.kind != "d":
        raise Trouble(
            f"{path} is a folder, but the package contains a file with this path.",
            "The package cannot be restored while the folder is in the way. Nothing was changed.",
            f"Move it out of the way (`sudo mv {path} {path}.mine`), then run the same step again.",
        )
    return delivered.kind in "fl"


def _is_changed_file(
    path: str, seen: os.stat_result, delivered: Delivered | None, md5: str | None
) -> bool:
    if delivered is not None:
        form = ("f", stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid)
        if form != (delivered.kind, delivered.mode, delivered.uid, delivered.gid):
            return True
    with open(os.open(path, READ), "rb") as file:
        if md5 is None or attributes_of(file.fileno()):
            return True
        found = hashlib.md5()  # noqa: S324 - it is what dpkg keeps of its files
        for chunk in iter(lambda: file.read(1 << 20), b""):
            found.update(chunk)
    return found.hexdigest() != md5


def delivered_by(name: str, version: str, step: Step) -> dict[str, Delivered]:
    """What the package file in the backup has, by path; nothing where none is kept."""
    path = kept_path(step, name, version)
    return delivered_in(path) if path else {}


@functools.lru_cache(maxsize=None)
def delivered_in(path: str) -> dict[str, Delivered]:
    """What a package file in the backup has, by path."""
    argv = ("timeout", str(int(FETCH_DEADLINE_S)), "dpkg-deb", "--fsys-tarfile", path)
    process = subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        cwd="/",
        start_new_session=True,
    )
    try:
        with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
            return {"/" + os.path.normpath(one.name): _delivered(one) for one in tar}
    except tarfile.TarError as error:
        raise as_trouble(OSError(errno.EIO, str(error), path)) from None
    finally:
        process.kill()
        process.communicate()


def _delivered(one: tarfile.TarInfo) -> Delivered:
    kind = "d" if one.isdir() else "l" if one.issym() else "?"
    kind = "f" if one.isreg() or one.islnk() else kind
    uid = _number_here(pwd.getpwnam, one.uname, one.uid)
    gid = _number_here(grp.getgrnam, one.gname, one.gid)
    return Delivered(kind, one.mode, uid, gid, one.linkname)


def _number_here(find: Callable[[str], Any], name: str, number: int) -> int:
    """The number that a user or group has on this system."""
    try:
        return int(find(name)[2])
    except (KeyError, ValueError):
        return number
