"""Package files that are kept in the backup."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import stat
from typing import Any, Iterator

from assets.root.failures import DOWNLOAD, explain, recognised
from assets.root.files import (
    CREATE,
    LARGEST_DEB,
    READ,
    RUNS,
    copy_plain,
    folder_at,
    hash_in,
    look,
    no_regular_file,
    parts_of,
    place_at,
)
from assets.root.packages import ARCHIVES, native, package_in
from assets.root.processes import FETCH_DEADLINE_S, Ended, run
from assets.root.requests import RUN, Person
from assets.root.step import Step
from assets.root.trouble import Trouble, counted


def deb_name(name: str, version: str) -> str:
    """The file that a package of this version is kept in."""
    return f"{name.replace(':', '_')}_{version.replace(':', '%3a')}.deb"


def deb_path(step: Step, name: str, version: str) -> str:
    """The same with its folder."""
    return step.run.in_backup(f"debs/{deb_name(name, version)}")


def kept_path(step: Step, name: str, version: str) -> str:
    """Where a package file is kept; empty where none is."""
    path = deb_path(step, name, version)
    return path if os.path.exists(path) else ""


def is_kept(step: Step, name: str, version: str) -> bool:
    """True where the backup has the package file; it was looked through when it was kept."""
    path = kept_path(step, name, version)
    return bool(path) and package_in(path) == (name, version)


@contextlib.contextmanager
def as_person(person: Person) -> Iterator[None]:
    """With the rights of the user who asks: what that user cannot read is not read for them."""
    if person.uid == 0:
        yield
        return
    groups = os.getgroups()
    os.initgroups(person.name, person.gid)
    os.setegid(person.gid)
    os.seteuid(person.uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.setgroups(groups)


def take_deb(path: str, wanted: str, step: Step) -> str:
    """A copy of a package file in root's own space, its hash checked there."""
    copy = f"{wanted}.deb"
    target = step.run.in_backup(f"debs/{copy}")
    if look(step.run.debs, copy) is not None:
        return target
    if re.fullmatch(re.escape(RUNS) + "/" + RUN.pattern + "/backup/debs/[A-Za-z0-9._+%~-]+", path):
        with place_at(path) as (folder, name):
            source = os.open(name, READ, dir_fd=folder)
    else:
        with as_person(step.person):
            source = os.open(path, READ)
    with os.fdopen(source, "rb") as file:
        seen = os.fstat(source)
        if not stat.S_ISREG(seen.st_mode) or seen.st_size > LARGEST_DEB:
            raise no_regular_file(path)
        if _copy_hashed(file, step.run.debs, copy, seen.st_size) != wanted:
            os.unlink(copy + ".part", dir_fd=step.run.debs)
            raise Trouble(
                f"{path} is not the file you reviewed: its SHA-256 differs.",
                "The file has been changed or damaged since you reviewed it, so it was not used.",
                "Have rdna1-setup make or download the file again.",
            )
    os.rename(copy + ".part", copy, src_dir_fd=step.run.debs, dst_dir_fd=step.run.debs)
    os.fsync(step.run.debs)
    return target


def _copy_hashed(source: Any, folder: int, name: str, size: int) -> str:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(name + ".part", dir_fd=folder)
    found = hashlib.sha256()
    with os.fdopen(os.open(name + ".part", CREATE, 0o600, dir_fd=folder), "wb") as copy:
        for part in parts_of(source, size):
            found.update(part)
            copy.write(part)
        copy.flush()
        os.fsync(copy.fileno())
    return found.hexdigest()


def keep_debs(wanted: dict[str, Any], step: Step) -> tuple[str, dict[str, Any]]:
    """A package file of each package in the backup, each looked into."""
    step.intend({}, ())
    kept = []
    total = len(wanted["packages"])
    for number, (name, version) in enumerate(wanted["packages"]):
        step.progress(number, total, "packages", name, "keep")
        how = keep_deb(step, name, version)
        step.output([f"{name} {version}: {how}"])
        digest = hash_in(step.run.debs, deb_name(name, version))
        path = deb_path(step, name, version)
        kept.append({"name": name, "version": version, "path": path, "sha256": digest})
    return "{} kept".format(counted(len(kept), "package file")), {"kept": kept}


def keep_deb(step: Step, name: str, version: str) -> str:
    """How a package file came into the backup; raises Trouble when none could be had."""
    if _is_whole(step, name, version):
        return "already kept"
    _copy_from_cache(step, name, version)
    if _is_whole(step, name, version):
        return "from apt's cache"
    ended = _download(step, name, version)
    if _is_whole(step, name, version):
        return "downloaded"
    trouble = recognised(ended, DOWNLOAD)
    if trouble is not None:
        meaning = f"{name} {version} could not be downloaded. Nothing was removed."
        raise Trouble(trouble.happened, meaning, trouble.next_step)
    raise Trouble(
        f"No package file for {name} {version} was found.",
        "Neither apt's cache nor any configured archive has the package file. Nothing was removed.",
        "Configure the package's archive again, or remove the apt source of an archive that no "
        "longer exists. Then run `sudo apt-get update`, undo this run and start over. The new "
        "plan names the packages that no archive has.",
    )


def _is_whole(step: Step, name: str, version: str) -> bool:
    """True for a package file in the backup that can be read to its end; another is removed."""
    path = deb_path(step, name, version)
    if is_kept(step, name, version) and run(("dpkg-deb", "-c", path), FETCH_DEADLINE_S).code == 0:
        return True
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
    return False


def _copy_from_cache(step: Step, name: str, version: str) -> None:
    base, _, architecture = name.partition(":")
    with contextlib.suppress(FileNotFoundError), folder_at(ARCHIVES) as folder:
        for one in [architecture] if architecture else [native(), "all"]:
            file = f"{base}_{version.replace(':', '%3a')}_{one}.deb"
            if look(folder, file) is not None:
                copy_plain(folder, file, step.run.debs, deb_name(name, version))
                return


def _download(step: Step, name: str, version: str) -> Ended:
    """Let apt fetch it; that it fails is no trouble yet, but for a lack of room."""
    fetched = step.run.in_backup("fetched")
    shutil.rmtree(fetched, ignore_errors=True)
    os.mkdir(fetched, 0o700)
    argv = ("apt-get", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30", "download")
    ended = run((*argv, f"{name}={version}"), FETCH_DEADLINE_S, folder=fetched)
    if ended.code != 0 and "No space left on device" in ended.output:
        raise explain(ended)
    for file in os.listdir(fetched):
        if file.endswith(".deb"):
            os.rename(f"{fetched}/{file}", deb_path(step, name, version))
            break
    return ended
