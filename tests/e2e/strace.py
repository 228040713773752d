"""What a traced session did to the world, from strace's own lines."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

CHANGING = (
    "creat,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,symlink,"
    "symlinkat,chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,mknod,"
    "mknodat,utime,utimes,utimensat,futimesat,setxattr,mount,umount2"
)
LOOKING = "open,openat,openat2,execve,execveat,connect,bind,sendto"
HARMLESS_TARGETS = re.compile(
    r"^(/dev/(tty|null|pts/\d+|ptmx)|/proc/self/.*|/proc/thread-self/.*)$"
)
CLOSED_LIST = ("dpkg-query", "rpm", "cat", "stat")

_WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|O_APPEND|O_TMPFILE")
_CALL = re.compile(r"^(?:\d+\s+)?(?P<name>\w+)\((?P<arguments>.*)\)\s+= (?P<result>-?\d+|\?)")
_PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')


def strace_command(output: Path) -> tuple[str, ...]:
    """How to trace a program and all its children; skips where strace is missing."""
    program = shutil.which("strace")
    if program is None:
        pytest.skip("strace is not installed")
    wanted = f"trace={CHANGING},{LOOKING}"
    return (program, "-f", "-qq", "-s", "300", "-e", wanted, "-o", str(output))


def changes(trace: Path) -> Iterator[str]:
    """Every call that created, changed or removed something, and every try to connect."""
    for line in trace.read_text(errors="replace").splitlines():
        call = _CALL.match(line)
        if call is not None and _changes(call["name"], call["arguments"], call["result"]):
            yield line


def _changes(name: str, arguments: str, result: str) -> bool:
    paths = _PATH.findall(arguments)
    if name in ("connect", "sendto", "bind"):
        # The event loop wakes itself through a socket pair, which has no address.
        return "AF_INET" in arguments or ("sa_family=AF_UNIX" in arguments and result == "0")
    if result.startswith("-") or name.startswith("execve"):
        return False
    if paths and HARMLESS_TARGETS.match(paths[0]):
        return False
    if name.startswith("open"):
        return _WRITING.search(arguments) is not None
    return True


def programs(trace: Path) -> list[str]:
    """Names of every program that was started, the traced one first."""
    found = []
    for line in trace.read_text(errors="replace").splitlines():
        call = _CALL.match(line)
        if call and call["name"].startswith("execve") and not call["result"].startswith("-"):
            found.append(Path(_PATH.findall(call["arguments"])[0]).name)
    return found
