"""What is shown on the terminal, and the yes that is typed there."""

from __future__ import annotations

import contextlib
import difflib
import errno
import os
import select
import signal
import stat
import termios
import textwrap
from typing import Any, Iterable, Iterator, Sequence

from assets.root.apt import replaced
from assets.root.files import RUNS, read_at
from assets.root.keys import fingerprints
from assets.root.packages import packages
from assets.root.places import OWN_SOURCE
from assets.root.requests import Person, Plan, Request
from assets.root.trouble import Trouble, Wrong, refusal

LONGEST_SHOWN = 100_000
"""Characters of a plan on the terminal: behind a flood of them one bad line could hide."""
ANSWER_DEADLINE_S = 900.0
GONE = "These packages are removed permanently, because no package file is kept for them:"


def describe(request: Request) -> list[str]:
    """A request as the terminal shows it; everything in it was checked to be plain text."""
    wanted = request.arguments
    if request.verb == "apt_change":
        expect = wanted["expect"]
        there = replaced(wanted, packages())
        marked = [package for package in wanted["install"] if package not in expect["install"]]
        return [
            "change packages{}".format(" (settings too)" if wanted["purge"] else ""),
            *_listed("install", map("=".join, expect["install"])),
            *_listed("in place of", map("=".join, there)),
            *_listed("remove", expect["remove"]),
            *_listed("mark as installed by you", map("=".join, marked)),
            *(f"    from the file {path!a}" for path, _ in wanted["debs"]),
            *_listed(GONE, map("=".join, wanted["for_good"])),
        ]
    if request.verb == "keep_debs":
        return ["keep the package files of", *_listed("", (name for name, _ in wanted["packages"]))]
    if request.verb == "write_file":
        first = "write {}{}".format(wanted["path"], mode_in_words(wanted))
        return [first, *edited(wanted["path"], wanted["content"])]
    if request.verb in ("join_groups", "leave_groups"):
        how = "add {} to {}" if request.verb == "join_groups" else "remove {} from {}"
        return [how.format(wanted["user"], " and ".join(wanted["groups"]))]
    if request.verb == "mark":
        marks = (how for how in ("auto", "manual") if wanted[how])
        return ["mark packages", *(line for how in marks for line in _listed(how, wanted[how]))]
    if request.verb == "snapshot":
        return ["make a snapshot: {tool} {config}".format(**wanted).strip()]
    words = {
        "apt_update": "read the package lists of " + OWN_SOURCE,
        "configure": "dpkg --configure -a",
        "set_aside": "move {} into the backup",
        "put_back": "move {} back from the backup",
        "restore_settings": "restore settings, changed and deleted files, marks and alternatives "
        "of packages to their state before run {}",
    }
    return [words[request.verb].format(wanted.get("path", wanted.get("run", "")))]


def mode_in_words(wanted: dict[str, Any]) -> str:
    """The permissions of a file where they are not the usual ones, or not those that it has."""
    try:
        found = read_at(wanted["path"])
    except (OSError, Trouble):
        found = None
    was = wanted["mode"] if found is None else stat.S_IMODE(found[1].st_mode)
    if was != wanted["mode"]:
        return " (mode {:04o}, now {:04o})".format(wanted["mode"], was)
    return "" if was == 0o644 else f" (mode {was:04o})"


def edited(path: str, content: str) -> list[str]:
    """What changes in a file beside what is there now, each line whole; of keys, fingerprints.

    Of a file of stanzas each stanza that changes is shown with all its lines: without them nobody
    could tell which one is switched on.
    """
    try:
        found = read_at(path)
    except (OSError, Trouble):  # the step itself will say what is wrong with it
        found = None
    old = found[0].decode("utf-8", "surrogateescape") if found else ""
    if path.startswith("/etc/apt/keyrings/"):
        return _exchanged_keys(old, content)
    before, after = ([ascii(x)[1:-1] for x in text.split("\n")] for text in (old, content))
    whole = difflib.unified_diff(before, after, n=len(before) + len(after), lineterm="")
    rows = list(whole)[3:]
    if path.endswith(".sources") or path.startswith("/etc/apt/preferences.d/"):
        shown_rows = _changed_stanzas(rows)
    else:
        shown_rows = [row for row in rows if row[0] != " "]
    return [f"    {row[0]} {row[1:]}".rstrip() for row in shown_rows]


def _exchanged_keys(old: str, new: str) -> list[str]:
    before, after = fingerprints(old), fingerprints(new)
    if old and not before:
        before = ["(the existing file cannot be read as a key)"]
    gone = [f"    - key {key}" for key in before if key not in after]
    return gone + [f"    + key {key}" for key in after if key not in before]


def _changed_stanzas(rows: Sequence[str]) -> list[str]:
    """The stanzas of a comparison in which something changes."""
    kept: list[str] = []
    stanza: list[str] = []
    for row in [*rows, " "]:
        stanza.append(row)
        if row == " ":
            kept += stanza[:-1] if any(each[0] != " " for each in stanza) else []
            stanza = []
    return kept


def _listed(title: str, names: Iterable[str]) -> list[str]:
    whole = "{} {}".format(title, " ".join(names)).strip()
    if whole == title:
        return []
    return textwrap.wrap(
        whole,
        74,
        initial_indent="    ",
        subsequent_indent="      ",
        break_on_hyphens=False,
        break_long_words=False,
    )


def shown(plan: Plan) -> str:
    """The plan as the terminal shows it before anything is done."""
    lines = [
        "",
        f"rdna1-setup asks to do exactly this as root (digest {plan.digest}):",
    ]
    for number, request in enumerate(plan.steps, 1):
        first, *rest = describe(request)
        lines += [f"{number:3d}. {first}", *rest]
    lines += [f"To undo it without rdna1-setup: {RUNS}/{plan.run}/UNDO.sh", ""]
    whole = "\n".join(lines)
    if len(whole) > LONGEST_SHOWN:
        raise Wrong(f"it is too long to read ({len(whole)} characters)")
    return whole


def confirm(plan: Plan, person: Person) -> None:
    """Take a typed yes on the real terminal; raises Trouble without it."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        if plan.yes and not person.through_sudo:
            return
        raise Trouble(
            "There is no terminal in which to prompt you.",
            "A person must confirm in a terminal what will be done as root. Nothing was changed.",
            "Start rdna1-setup in a terminal. Only root itself, for example in a container, can "
            "confirm in advance.",
        ) from None
    try:
        write_all(terminal, shown(plan).encode())
        answer = answer_on(terminal)
    except Wrong as error:
        raise refusal("The plan", error) from None
    except (OSError, termios.error) as error:
        raise _unanswerable(error) from None
    finally:
        os.close(terminal)
    if answer.strip() != b"yes":
        raise Trouble(
            "The plan was not confirmed.",
            "Nothing is done as root unless you type the word yes. Nothing was changed.",
            "Start rdna1-setup again when you are ready.",
        )


def write_all(descriptor: int, data: bytes) -> None:
    """Write all of it: somebody who stops us for a moment must not hide the rest of a plan."""
    while data:
        data = data[os.write(descriptor, data) :]


def answer_on(terminal: int) -> bytes:
    """What is typed to the question; nothing when it does not come in time.

    Raises OSError or termios.error where the terminal cannot be had, or is gone.
    """
    with contextlib.nullcontext() if is_lent(terminal) else in_foreground(terminal):
        termios.tcflush(terminal, termios.TCIFLUSH)  # what was typed before it was asked
        write_all(terminal, b"Type yes to do it, or anything else to change nothing: ")
        if not select.select((terminal,), (), (), ANSWER_DEADLINE_S)[0]:
            return b""
        answer = os.read(terminal, 100)
        if not answer:
            termios.tcgetattr(terminal)  # fails for one that is gone, which reads as ended
        return answer


def is_lent(terminal: int) -> bool:
    """True once we may read from it.

    sudo brings us to the foreground of its terminal as soon as we want to read. sudo-rs starts what
    it gives pipes in the background and leaves it there, so that it fails.
    """
    os.set_blocking(terminal, False)
    try:
        os.read(terminal, 100)
    except BlockingIOError:
        pass
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return False
    finally:
        os.set_blocking(terminal, True)
    return True


@contextlib.contextmanager
def in_foreground(terminal: int) -> Iterator[None]:
    """A terminal that is ours to read; afterwards, however it ends, it is whose it was before."""
    before = os.tcgetpgrp(terminal)
    masked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
    try:
        os.tcsetpgrp(terminal, os.getpgrp())
        yield
    finally:
        with contextlib.suppress(OSError):
            os.tcsetpgrp(terminal, before)
        signal.pthread_sigmask(signal.SIG_SETMASK, masked)


def _unanswerable(error: Exception) -> Trouble:
    return Trouble(
        f"The confirmation question could not be shown in the terminal: {error.args[-1]}.",
        "The terminal was closed, or another program is using it. Nothing was changed.",
        "Start rdna1-setup again in a separate terminal window, and leave it open until you have "
        "answered the question.",
    )
