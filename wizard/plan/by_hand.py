"""Root's steps as a plain script, for who may become root but not by sudo."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator
from posixpath import dirname

from wizard.operations.operation import Operation
from wizard.plan.root_steps import (
    AddToGroups,
    AptChange,
    AptUpdate,
    FinishInterrupted,
    KeepDebs,
    MakeSnapshot,
    MarkPackages,
    PutSystemPathBack,
    RestoreSettings,
    RootStep,
    SetSystemPathAside,
    TakeFromGroups,
    WriteSystemFile,
)

RUNS = "/var/lib/rdna1-setup/runs"
HEAD = """\
#!/bin/sh
# This script does what rdna1-setup would do as root. Read it, then run it as root.
# apt asks before each change. Removed and replaced files are kept in the folder below.
# rdna1-setup cannot undo this script.
set -eu
kept=/root/rdna1-setup-by-hand
mkdir -p -m 0700 "$kept"
"""


def by_hand_script(steps: Iterable[RootStep]) -> str:
    """A script for sh that does these steps, each with its reason and how it is undone."""
    return HEAD + "".join(f"\n{_comment(step)}{''.join(_lines(step))}" for step in steps)


def _comment(step: RootStep) -> str:
    undo = step.undo if isinstance(step, Operation) else step.inverse
    words = f"{step.reason} (undo: {undo})"
    return f"# {' '.join(words.split())}\n"


def _lines(step: RootStep) -> Iterator[str]:
    match step:
        case WriteSystemFile(path=path, content=content, mode=mode):
            yield _call("mkdir", "-p", dirname(path))
            yield _keep("cp -a", path)
            yield f"printf %s {shlex.quote(content)} >{shlex.quote(path)}\n"
            yield _call("chmod", f"{mode:04o}", path)
        case SetSystemPathAside(path=path):
            yield _keep("mv", path)
        case PutSystemPathBack(path=path):
            yield _not_done(f"restoring {path}. Its backup is in {RUNS}")
        case MakeSnapshot():
            yield _not_done("a snapshot. Make one yourself if you want one.")
        case RestoreSettings(run=run):
            yield _not_done(f"restoring package settings. Their earlier state is in {RUNS}/{run}")
        case AddToGroups(user=user, groups=groups):
            yield _call("usermod", "-a", "-G", ",".join(groups), user)
        case TakeFromGroups(user=user, groups=groups):
            yield from (_call("gpasswd", "-d", user, group) for group in groups)
        case AptUpdate() | AptChange() | KeepDebs() | MarkPackages() | FinishInterrupted():
            yield from _of_packages(step)


def _of_packages(
    step: AptUpdate | AptChange | KeepDebs | MarkPackages | FinishInterrupted,
) -> Iterator[str]:
    match step:
        case AptUpdate():
            yield "apt-get update\n"
        case AptChange(install=install, remove=remove, debs=debs):
            purge = ("--purge",) if step.purge else ()
            files = (deb.path for deb in debs)
            gone = (f"{name}-" for name in remove)
            options = ("--no-install-recommends", "--allow-downgrades", *purge)
            yield _call("apt-get", *options, "install", *_exact(install), *files, *gone)
        case KeepDebs(packages=packages, coming=True):  # where apt looks for them
            yield f"(cd /var/cache/apt/archives && {_download(packages)})\n"
        case KeepDebs(packages=packages):
            yield f'(cd "$kept" && {_download(packages)})\n'
        case MarkPackages(auto=auto, manual=manual):
            marks = (("auto", auto), ("manual", manual))
            yield from (_call("apt-mark", how, *names) for how, names in marks if names)
        case FinishInterrupted():
            yield "dpkg --configure -a\n"


def _download(packages: Iterable[tuple[str, str]]) -> str:
    return _call("apt-get", "download", *_exact(packages)).strip()


def _not_done(why: str) -> str:
    return _call("echo", f"Not done: {why}")


def _exact(packages: Iterable[tuple[str, str]]) -> Iterator[str]:
    return (f"{name}={version}" for name, version in packages)


def _call(*words: str) -> str:
    return f"{shlex.join(words)}\n"


def _keep(how: str, path: str) -> str:
    """Keep what lies at a path, if something does."""
    name = shlex.quote(path)
    return f'if [ -e {name} ] || [ -L {name} ]; then {how} {name} "$kept/"; fi\n'
