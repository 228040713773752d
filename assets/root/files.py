"""Files of the system, reached through no link and written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import stat
from typing import Any, BinaryIO, Iterable, Iterator, NamedTuple

from assets.root.places import LONGEST_CONTENT
from assets.root.trouble import Trouble

STATE = "/var/lib/rdna1-setup"
RUNS = STATE + "/runs"
LARGEST_DEB = 8 << 30
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CREATE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
APPEND = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


@contextlib.contextmanager
def folder_at(path: str, make: bool = False) -> Iterator[int]:
    """A folder that root alone can change, reached through no link; made where it is wanted."""
    descriptor = os.open("/", FOLDER)
    try:
        reached = ""
        for name in path.strip("/").split("/"):
            reached += "/" + name
            below = _folder_in(descriptor, name, reached, make)
            os.close(descriptor)
            descriptor = below
            _refuse_writable_by_others(descriptor, reached)
        yield descriptor
    finally:
        os.close(descriptor)


def _folder_in(descriptor: int, name: str, path: str, make: bool) -> int:
    if make and look(descriptor, name) is None:
        os.mkdir(name, 0o755, dir_fd=descriptor)
        os.fsync(descriptor)
    try:
        return os.open(name, FOLDER, dir_fd=descriptor)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.ENOTDIR):
            error.filename = path
            raise
    raise Trouble(
        f"{path} must be a folder, but is a link or a file.",
        "The root helper does not follow links here, because they could point anywhere.",
        "Replace the link or file with a real folder, or make a plan that does not need that "
        "folder.",
    )


def _refuse_writable_by_others(descriptor: int, path: str) -> None:
    seen = os.fstat(descriptor)
    if seen.st_uid != 0 or seen.st_mode & 0o022:
        raise Trouble(
            f"Users other than root can change the folder {path}.",
            "Other users could replace the files that root writes to this folder.",
            f"Run `sudo chown root: {path} && sudo chmod go-w {path}`, then start again.",
        )


@contextlib.contextmanager
def opened(path: str, flags: int, folder: int | None = None) -> Iterator[int]:
    """A descriptor of what lies there, closed in the end."""
    descriptor = os.open(path, flags, dir_fd=folder)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def place_at(path: str, make: bool = False) -> Iterator[tuple[int, str]]:
    """The folder of a path, open, and the name in it."""
    folder, _, name = path.rpartition("/")
    with folder_at(folder, make) as descriptor:
        yield descriptor, name


def look(folder: int, name: str) -> os.stat_result | None:
    """What lies in a folder by that name, itself and not what it leads to; None for nothing."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return None


def exists(path: str) -> bool:
    """True for anything at that path, also for a link that leads nowhere."""
    try:
        with place_at(path) as (folder, name):
            return look(folder, name) is not None
    except (FileNotFoundError, Trouble):
        return False


def read_file(folder: int, name: str, longest: int) -> tuple[bytes, os.stat_result] | None:
    """Content and state of a regular file; None for nothing; raises Trouble for anything else."""
    found = open_plain(folder, name, longest)
    if found is None:
        return None
    with found as file:
        seen = os.fstat(file.fileno())
        return file.read(longest + 1), seen


def open_plain(folder: int, name: str, longest: int) -> BinaryIO | None:
    """A regular file to be read; None for nothing; raises Trouble for anything else."""
    try:
        descriptor = os.open(name, READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise no_regular_file(name) from None
    seen = os.fstat(descriptor)
    if not stat.S_ISREG(seen.st_mode) or seen.st_size > longest:
        os.close(descriptor)
        raise no_regular_file(name)
    return os.fdopen(descriptor, "rb")


def parts_of(file: Any, size: int) -> Iterator[bytes]:
    """A file by and by, and no further than it was long: its owner could make it ever longer."""
    while size > 0 and (part := file.read(min(1 << 20, size))):
        size -= len(part)
        yield part


def no_regular_file(name: str) -> Trouble:
    return Trouble(
        f"{name} is a link, is not a regular file, or is far too large.",
        "rdna1-setup reads and replaces only regular files, because a link could point anywhere.",
        "Check the file with `ls -l`. Move it out of the way if you do not need it, then start "
        "again.",
    )


class Like(NamedTuple):
    """Permissions, owner and time that a written file is given."""

    mode: int
    uid: int = 0
    gid: int = 0
    times_ns: tuple[int, int] | None = None


def like(seen: os.stat_result) -> Like:
    """As a file that was seen."""
    times = (seen.st_atime_ns, seen.st_mtime_ns)
    return Like(stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid, times)


def write_whole(folder: int, name: str, data: bytes, form: Like) -> None:
    """Write a file through a draft beside it: after a kill there is the old one or the new one."""
    write_parts(folder, name, (data,), form)


def write_parts(folder: int, name: str, parts: Iterable[bytes], form: Like) -> None:
    """The same for what is too large to be held in memory."""
    draft = f".{name}.rdna1-setup"
    with contextlib.suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=folder)
    try:
        with os.fdopen(os.open(draft, CREATE, 0o600, dir_fd=folder), "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            give_form(file.fileno(), form)
            os.fsync(file.fileno())
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise
    os.fsync(folder)


def give_form(descriptor: int, form: Like) -> None:
    os.fchown(descriptor, form.uid, form.gid)
    os.fchmod(descriptor, form.mode)
    if form.times_ns is not None:
        os.utime(descriptor, ns=form.times_ns)


def copy_plain(source: int, name: str, target: int, new: str) -> None:
    """Copy a plain file or a link with its owner, permissions and times."""
    seen = os.stat(name, dir_fd=source, follow_symlinks=False)
    if stat.S_ISLNK(seen.st_mode):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new, dir_fd=target)
        os.symlink(os.readlink(name, dir_fd=source), new, dir_fd=target)
        os.chown(new, seen.st_uid, seen.st_gid, dir_fd=target, follow_symlinks=False)
        times = (seen.st_atime_ns, seen.st_mtime_ns)
        os.utime(new, ns=times, dir_fd=target, follow_symlinks=False)
        return
    found = open_plain(source, name, LARGEST_DEB)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), name)
    with found as file:
        seen = os.fstat(file.fileno())
        write_parts(target, new, parts_of(file, seen.st_size), like(seen))
    copy_attributes(source, name, target, new)


def attributes_of(descriptor: int) -> list[str]:
    """Names of the extended attributes of an open file, ACLs among them."""
    try:
        names = os.listxattr(descriptor)
    except OSError as error:
        if error.errno != errno.ENOTSUP:
            raise
        return []
    return [name for name in names if name != "security.selinux"]  # its policy gives that one


def copy_attributes(source: int, name: str, target: int, new: str) -> None:
    """Give a copy the ACLs and extended attributes of a plain file; raises Trouble without them."""
    with opened(name, READ, source) as old, opened(new, READ, target) as copy:
        give_attributes(old, copy, name)


def give_attributes(old: int, copy: int, name: str) -> None:
    for key in attributes_of(old):
        try:
            os.setxattr(copy, key, os.getxattr(old, key))
        except OSError as error:
            raise Trouble(
                f"The attribute {key} of {name} could not be copied: {error.strerror}.",
                "The backup's file system does not support this attribute, so it would be lost "
                "in the backup.",
                f"If you do not need this attribute, remove it (`setfattr -x {key} FILE`), then "
                "run the same step again.",
            ) from None


def keep_whole(source: int, name: str, target: int, new: str) -> None:
    """Give a file or link a second name, so that nothing of it is lost; between mounts, a copy."""
    seen = os.stat(name, dir_fd=source, follow_symlinks=False)
    # Of what has one of these bits, dpkg takes away all permissions before it removes a name.
    if not (stat.S_ISREG(seen.st_mode) and seen.st_mode & 0o7000):
        with contextlib.suppress(OSError):
            os.link(name, new, src_dir_fd=source, dst_dir_fd=target, follow_symlinks=False)
            return
    copy_plain(source, name, target, new)


def move_entry(source: int, name: str, target: int, new: str) -> bool:
    """Move a file, link or tree; between file systems only what is no tree. False when it cannot.

    Never onto something: the caller has looked, and holds both folders.
    """
    if look(target, new) is not None:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
    try:
        os.rename(name, new, src_dir_fd=source, dst_dir_fd=target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        seen = os.stat(name, dir_fd=source, follow_symlinks=False)
        if stat.S_ISDIR(seen.st_mode):
            return False
        copy_plain(source, name, target, new)
        os.unlink(name, dir_fd=source)
    os.fsync(target)
    os.fsync(source)
    return True


def sha256(data: bytes) -> str:
    """The hash by which we know contents."""
    return hashlib.sha256(data).hexdigest()


def append_line(descriptor: int, record: dict[str, Any]) -> None:
    """Append one JSON line as a whole or not at all; a torn line before it stays alone."""
    size = os.fstat(descriptor).st_size
    data = json.dumps(record).encode("ascii") + b"\n"
    if size and os.pread(descriptor, 1, size - 1) != b"\n":
        data = b"\n" + data
    try:
        while data:
            data = data[os.write(descriptor, data) :]
    except OSError:
        with contextlib.suppress(OSError):
            os.ftruncate(descriptor, size)
        raise


def read_lines(descriptor: int) -> list[dict[str, Any]]:
    """Every whole record of a file of JSON lines; what a crash cut off is skipped."""
    records = []
    size = os.fstat(descriptor).st_size
    for line in os.pread(descriptor, size, 0).split(b"\n")[:-1]:
        with contextlib.suppress(ValueError):
            record = json.loads(line.decode("utf-8"))
            if isinstance(record, dict):
                records.append(record)
    return records


def hash_in(folder: int, name: str) -> str:
    found = hashlib.sha256()
    with os.fdopen(os.open(name, READ, dir_fd=folder), "rb") as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            found.update(chunk)
    return found.hexdigest()


def parents_of(path: str) -> Iterator[str]:
    while path.rpartition("/")[0]:
        path = path.rpartition("/")[0]
        yield path


def read_at(path: str) -> tuple[bytes, os.stat_result] | None:
    """Content and state of a plain file of ours or the system's; None for nothing."""
    try:
        with place_at(path) as (folder, name):
            return read_file(folder, name, LONGEST_CONTENT * 4)
    except FileNotFoundError:  # not even its folder
        return None


def real_place(path: str) -> str:
    """The same path with its folders where links lead: dpkg follows them."""
    folder, _, name = path.rpartition("/")
    return os.path.realpath(folder or "/").rstrip("/") + "/" + name
