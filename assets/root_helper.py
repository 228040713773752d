#!/usr/bin/python3
"""Does as root what a reviewed plan asks for, and can do nothing else.

One file, standard library alone, Python 3.8 and later, started once a run as
``sudo -- /usr/bin/python3 -I root_helper.py`` with pipes as standard input and output.

Protocol, version 1: JSON lines. First the whole plan; every request in it is one of the verbs of
``VERBS`` with checked arguments, or all of it is refused. What it asks for is shown on the real
terminal, where ``yes`` must be typed. Then ``{"do": N}`` carries out a step and ``{"end": true}``
ends; so does the end of the input, once the running step is finished.

What is shown on the terminal belongs to this process; all the rest is done by another one in a
session of its own, so that it outlives the terminal, sudo and the wizard. It writes what happens to
standard output, which may be gone, and to ``events.jsonl`` in the folder of the run.

In this order: requests and their checks; places, and what may stand in files there; files, safely;
the run with its journal, events, backup and way back; programs; apt and dpkg; kept package files;
the other verbs; the terminal, the hand-over and the loop.

Before anything is changed the journal of the run says so, and ``UNDO.sh`` can take it back.
"""

from __future__ import annotations

import base64
import contextlib
import difflib
import errno
import fcntl
import functools
import grp
import hashlib
import json
import os
import pwd
import re
import resource
import select
import shlex
import shutil
import signal
import stat
import struct
import subprocess
import sys
import termios
import textwrap
import time
from typing import (
    Any,
    BinaryIO,
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

PROTOCOL = 1
STATE = "/var/lib/rdna1-setup"
RUNS = STATE + "/runs"
OWN_SOURCE = "/etc/apt/sources.list.d/rdna1-setup-rocm.list"
ENVIRONMENT = {
    "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "DEBIAN_FRONTEND": "noninteractive",
    "NEEDRESTART_SUSPEND": "1",
}
"""All that a child is given; nothing is inherited."""

LONGEST_PLAN = 4 << 20
LONGEST_COMMAND = 4096
LONGEST_CONTENT = 1 << 20
LARGEST_DEB = 8 << 30
MOST_STEPS = 500
MOST_PACKAGES = 5000
LONGEST_SHOWN = 100_000
"""Characters of a plan on the terminal: behind a flood of them one bad line could hide."""
LONGEST_EVENT = 40_000
"""Characters of output in one event."""

PLAN_DEADLINE_S = 60.0
ANSWER_DEADLINE_S = 900.0
SHORT_DEADLINE_S = 180.0
FETCH_DEADLINE_S = 1800.0
CHANGE_DEADLINE_S = 6 * 3600.0
"""Afterwards it is left to itself: to end dpkg at work does more harm than to let it work."""
LOCK_PATIENCE_S = 120.0
READER_PATIENCE_S = 5.0
"""How long a wizard that reads nothing may hold us up, once."""


class Trouble(Exception):
    """A failure that was foreseen: what happened, what it means, what to do next."""

    def __init__(self, happened: str, meaning: str, next_step: str) -> None:
        super().__init__(happened)
        self.happened = happened
        self.meaning = meaning
        self.next_step = next_step

    def told(self) -> Dict[str, str]:
        """The three texts as fields of an event."""
        return {
            "happened": self.happened,
            "meaning": self.meaning,
            "next_step": self.next_step,
        }


def as_trouble(error: OSError) -> Trouble:
    """A failed call of the kernel in plain words."""
    what = "A file" if error.filename is None else os.fsdecode(error.filename)
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Trouble(
            "The disk is full: {} could not be written.".format(what),
            "The journal lists every change that was made.",
            "Free up some space on the file system that contains /var and /etc, then run the "
            "same step again.",
        )
    if error.errno == errno.EROFS:
        return Trouble(
            "{} could not be changed: the file system is read-only.".format(what),
            "The kernel often remounts a failing disk read-only.",
            "Look at the kernel log (sudo dmesg). Once the file system is writable, run "
            "the step again.",
        )
    return Trouble(
        "{} could not be used: {}.".format(what, error.strerror or error),
        "The system refused the operation, so the step was not finished.",
        "Fix the problem, then run the same step again.",
    )


class Wrong(Exception):
    """A plan or request that is not one of ours; the text says what is wrong with it."""


class Request(NamedTuple):
    """One verb with arguments that were checked."""

    verb: str
    arguments: Dict[str, Any]

    @property
    def digest(self) -> str:
        """The same for the same request, in any session."""
        form = json.dumps([self.verb, self.arguments], sort_keys=True)
        return hashlib.sha256(form.encode()).hexdigest()


class Plan(NamedTuple):
    """The first line that comes in."""

    run: str
    steps: Tuple[Request, ...]
    digest: str
    yes: bool


class Person(NamedTuple):
    """The user behind sudo, or root itself."""

    name: str
    uid: int
    gid: int
    through_sudo: bool


Check = Callable[[Any], Any]
"""Gives the value as it is used; raises Wrong."""

RUN = re.compile(r"[0-9A-Za-z][0-9A-Za-z-]{0,63}")
SHA256 = re.compile(r"[0-9a-f]{64}")
PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]{0,126}[a-z0-9+.](?::[a-z0-9][a-z0-9-]{1,15})?")
"""Without a minus at the end: to apt-get ``name-`` means to remove ``name``."""
VERSION = re.compile(r"(?:[0-9]{1,9}:)?[0-9A-Za-z][0-9A-Za-z.+~-]{0,127}")
USER = re.compile(r"[a-z_][a-z0-9_.-]{0,31}")
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
"""All but tab and line feed."""
GROUPS = ("render", "video")

DKMS = re.compile(r"(?:amdgpu|rock|rocm)-dkms(?::.*)?")
NEVER_REMOVED = re.compile(
    # AMD has copies of some of these, with -amdgpu inside or behind their names: those may go.
    r"(?:linux-firmware|firmware-.*|linux-(?:image|modules|generic|headers).*"
    r"|libdrm(?:2|-amdgpu1|-common|-radeon1|-intel1|-nouveau2)"
    r"|mesa-(?!amdgpu-).*|lib(?:gl1|egl|glx|glapi)-mesa.*|libgbm1|libgl1|libglx0|libegl1"
    r"|xserver-xorg-core|xserver-xorg-video-(?:amdgpu|ati|radeon|all)"
    r"|ocl-icd-libopencl1|libllvm[0-9]+(?:\.[0-9]+)*(?:t64)?"
    r"|dpkg|apt|libapt-pkg.*|libc6|libc-bin|libstdc\+\+6|coreutils|bash|dash|systemd|init"
    r"|sudo|sudo-rs|passwd|login|python3|python3-minimal|udev|kmod|initramfs-tools|grub-.*"
    r")(?::.*)?"
)
"""What keeps the system, its screen and this program going."""


def strict_json(line: bytes) -> Any:
    """One JSON value: UTF-8, no key twice, whole numbers of a sane length only."""
    try:
        return json.loads(
            line.decode("utf-8"),
            object_pairs_hook=_without_duplicates,
            parse_int=_small_number,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
    except RecursionError:
        raise Wrong("it is nested too deeply") from None
    except ValueError as error:  # UnicodeDecodeError and JSONDecodeError are such
        raise Wrong("it is not JSON ({})".format(str(error)[:80])) from None


def _without_duplicates(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Wrong("a key occurs twice in one object")
    return found


def _small_number(digits: str) -> int:
    if len(digits) > 10:
        raise Wrong("a number is too long")
    return int(digits)


def _no_number(_: str) -> Any:
    raise Wrong("only whole numbers are allowed")


def read_plan(line: bytes, person: Person) -> Plan:
    """The plan of a first line, every request in it checked; raises Wrong."""
    plan = strict_json(line)
    if type(plan) is not dict or not {"schema", "run", "steps"} <= set(plan):
        raise Wrong("schema, run and steps are missing")
    if set(plan) - {"schema", "run", "steps", "yes"}:
        raise Wrong("it has unknown keys")
    if type(plan["schema"]) is not int or plan["schema"] != PROTOCOL:
        raise Wrong("its schema is not {}".format(PROTOCOL))
    if type(plan.get("yes", False)) is not bool:
        raise Wrong("yes is not true or false")
    try:
        name = matching(RUN)(plan["run"])
    except Wrong as error:
        raise Wrong("run: {}".format(error)) from None
    steps = plan["steps"]
    if type(steps) is not list or not 0 < len(steps) <= MOST_STEPS:
        raise Wrong("there must be 1 to {} steps".format(MOST_STEPS))
    requests = tuple(_step(number, step, person) for number, step in enumerate(steps, 1))
    digest = hashlib.sha256(line.rstrip(b"\n")).hexdigest()[:12]
    return Plan(name, requests, digest, plan.get("yes", False))


def _step(number: int, request: Any, person: Person) -> Request:
    try:
        return read_request(request, person)
    except Wrong as error:
        raise Wrong("step {}: {}".format(number, error)) from None


def read_request(request: Any, person: Person) -> Request:
    """One request, its arguments checked; raises Wrong."""
    verb, checks = shape_of(request)
    return check_arguments(verb, checks, request, person)


def shape_of(request: Any) -> Tuple[str, Dict[str, Check]]:
    """The verb of a request and the checks of its arguments; raises Wrong unless all are there."""
    if type(request) is not dict or type(request.get("verb")) is not str:
        raise Wrong("a step is an object with a verb")
    verb = request["verb"]
    if verb not in VERBS:
        raise Wrong("its verb is unknown")
    if set(request) - {"verb"} != set(VERBS[verb]):
        raise Wrong("{} takes exactly {}".format(verb, ", ".join(VERBS[verb]) or "nothing"))
    return verb, VERBS[verb]


def check_arguments(
    verb: str, checks: Dict[str, Check], request: Dict[str, Any], person: Person
) -> Request:
    """The request with each argument as it is used; raises Wrong."""
    arguments = {}
    for name, check in checks.items():
        try:
            arguments[name] = check(request[name])
        except Wrong as error:
            raise Wrong("{} of {}: {}".format(name, verb, error)) from None
    whole = WHOLE.get(verb)
    if whole:
        whole(arguments, person)
    return Request(verb, arguments)


def matching(pattern: Any) -> Check:
    """A check: text that matches from its first to its last character."""

    def check(value: Any) -> str:
        if type(value) is not str or len(value) > 4096 or not pattern.fullmatch(value):
            raise Wrong("it does not have the right form")
        return value

    return check


def several(check: Check, most: int = MOST_PACKAGES) -> Check:
    """A check: a list of such values, none of them twice."""

    def check_all(value: Any) -> Tuple[Any, ...]:
        if type(value) is not list or len(value) > most:
            raise Wrong("it is not a list of at most {}".format(most))
        checked = tuple(check(item) for item in value)
        if len(set(checked)) != len(checked):
            raise Wrong("something occurs twice in it")
        return checked

    return check_all


def truth(value: Any) -> bool:
    """A check: true or false."""
    if type(value) is not bool:
        raise Wrong("it is not true or false")
    return value


def text(value: Any) -> str:
    """A check: lines of text that UTF-8 can hold, without control characters."""
    if type(value) is not str or len(value) > LONGEST_CONTENT:
        raise Wrong("it is not a text of at most {} characters".format(LONGEST_CONTENT))
    if CONTROL.search(value):
        raise Wrong("it contains control characters")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise Wrong("it cannot be written as UTF-8") from None
    return value


def file_mode(value: Any) -> int:
    """A check: permissions of a file that only root can change."""
    if type(value) is not int or not 0o400 <= value <= 0o755 or value & 0o022 or value & 0o400 == 0:
        raise Wrong("it is not the mode of a file that only root can change")
    return value


def hash_or_none(value: Any) -> Optional[str]:
    """A check: a SHA-256 in hex, or null."""
    return None if value is None else matching(SHA256)(value)


def pair(value: Any) -> Tuple[str, str]:
    """A check: name and version of a package."""
    if type(value) is not list or len(value) != 2:
        raise Wrong("a package is a name and a version")
    return matching(PACKAGE)(value[0]), matching(VERSION)(value[1])


def local_deb(value: Any) -> Tuple[str, str]:
    """A check: path and hash of a package file."""
    if type(value) is not dict or set(value) != {"path", "sha256"}:
        raise Wrong("a package file is a path and a sha256")
    path = value["path"]
    if (
        type(path) is not str
        or not path.startswith("/")
        or len(path.encode("utf-8", "replace")) > 1024
    ):
        raise Wrong("it is not an absolute path")
    if CONTROL.search(path) or "\n" in path or "\t" in path or os.path.normpath(path) != path:
        raise Wrong("it is not a plain path")
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        raise Wrong("it is not a path") from None
    return path, matching(SHA256)(value["sha256"])


def expectation(value: Any) -> Dict[str, Any]:
    """A check: exactly what apt must mean to do."""
    if type(value) is not dict or set(value) != {"install", "remove"}:
        raise Wrong("it is not an object of install and remove")
    return {
        "install": several(pair)(value["install"]),
        "remove": several(matching(PACKAGE))(value["remove"]),
    }


def allowed_change(arguments: Dict[str, Any], _: Person) -> None:
    """Raise Wrong for a transaction that is refused whatever apt says."""
    expect = arguments["expect"]
    if not (arguments["install"] or arguments["remove"] or arguments["debs"]):
        raise Wrong("it has no changes")
    incoming = [name for name, _ in (*arguments["install"], *expect["install"])]
    outgoing = [*arguments["remove"], *expect["remove"]]
    refuse_always(incoming, outgoing)
    for names in ([n for n, _ in expect["install"]], [n for n, _ in arguments["install"]]):
        if len(set(names)) != len(names):
            raise Wrong("a package would be installed in two versions")
    if set(incoming) & set(outgoing):
        raise Wrong("a package would be both installed and removed")
    gone = [name for name, _ in arguments["for_good"]]
    if len(set(gone)) != len(gone) or not set(gone) <= set(expect["remove"]):
        raise Wrong("packages without a package file must be among those to remove, each once")


def refuse_always(incoming: Iterable[str], outgoing: Iterable[str]) -> None:
    """Raise Wrong for packages that never come in or never go."""
    for name in incoming:
        if DKMS.fullmatch(name):
            raise Wrong("{} builds a kernel module and is never installed".format(name))
    for name in outgoing:
        if NEVER_REMOVED.fullmatch(name):
            raise Wrong("{} is never removed".format(name))


def allowed_member(arguments: Dict[str, Any], person: Person) -> None:
    """Raise Wrong unless it is about the user who asks, and about at least one group."""
    if person.through_sudo and arguments["user"] != person.name:
        raise Wrong("groups can be changed only for the user who asks")
    if not arguments["groups"]:
        raise Wrong("it names no group")


def allowed_mark(arguments: Dict[str, Any], _: Person) -> None:
    """Raise Wrong unless each package is named once."""
    names = [*arguments["auto"], *arguments["manual"]]
    if not names or len(set(names)) != len(names):
        raise Wrong("each package must be named once")


def allowed_snapshot(arguments: Dict[str, Any], _: Person) -> None:
    """Raise Wrong unless a configuration is named exactly where the tool has several."""
    if bool(arguments["config"]) != (arguments["tool"] == "snapper"):
        raise Wrong("snapper needs the name of a configuration, and timeshift takes none")


NAME = r"[A-Za-z0-9_][A-Za-z0-9._+@=~-]{0,119}"
ROCM_TREE = r"/opt/(?:rocm|amdgpu)[A-Za-z0-9._+-]*(?:/[A-Za-z0-9._+-]+)*/?"
SOURCE_LINE = re.compile(
    r"deb \[(?:arch=[a-z0-9]+(?:,[a-z0-9]+)* )?signed-by=/etc/apt/keyrings/" + NAME + r"\] "
    r"(?:https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~%+=-]+)*"
    r"|file:(?://)?(?:/[A-Za-z0-9._~%+=-]+)+)/? "
    r"(?:\./|/|[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*(?: [a-z0-9][a-z0-9._/-]*)+)"
)
KEY_BLOCK = (
    r"-----BEGIN PGP PUBLIC KEY BLOCK-----\n(?:[A-Za-z]+: [ -~]*\n)*\n?"
    r"((?:[A-Za-z0-9+/]{1,76}\n)*[A-Za-z0-9+/]{1,76}={0,2}\n)(?:=[A-Za-z0-9+/]{4}\n)?"
    r"-----END PGP PUBLIC KEY BLOCK-----"
)
KEY = re.compile(r"\s*(?:" + KEY_BLOCK + r"\s*)+")
PUBLIC_KEY = 6
"""The tag of the packet that a primary key is."""
OF_A_KEY = (2, 6, 13, 14, 17)
"""Signatures, keys, names, subkeys, pictures. Some readers take other packets for keys too."""
PIN_LINE = re.compile(
    r"(?:Explanation: [ -~]*|Package: [A-Za-z0-9*?+. _:/-]+"
    r"|Pin: (?:release|origin|version) [A-Za-z0-9\"=,.*~+:_ /-]+"
    r"|Pin-Priority: (?:-1|[1-9][0-9]{0,2}|1000))"
)
VARIABLE = r"(?:HSA|HIP|ROCR|ROCM|MIOPEN|AMD|GPU|PYTORCH|TORCH)_[A-Z0-9_]{1,80}"
NAMES_A_FILE = (
    r"[A-Z0-9_]{0,80}_(?:PATH|DIR|ROOT|HOME|LIB|LIBS|FILE|NVCC|TOOLS)(?:_[A-Z0-9_]{0,80})?="
)
"""What such a variable names is loaded or run by every program, root's too."""
PROFILE_LINE = re.compile(
    r"(?!.*\.\.)(?:export " + VARIABLE + r"=(?:" + ROCM_TREE + r"|\"" + ROCM_TREE + r"\")"
    r"|export (?!" + NAMES_A_FILE + r")" + VARIABLE + r"=(?:[A-Za-z0-9._:,+-]*"
    r"|\"[A-Za-z0-9._:,+ -]*\")"
    r"|unset " + VARIABLE + r"(?: " + VARIABLE + r")*"
    r"|export PATH=(\"?)\$\{?PATH\}?(?::" + ROCM_TREE + r")+\1)"
)
LOADER_LINE = re.compile(r"(?!.*\.\.)" + ROCM_TREE)
CARD = r"(?:kfd|(?:renderD|card)[0-9*?\[\]-]+)"
UDEV_MATCH = r"(?:SUBSYSTEM==\"(?:kfd|drm)\"|KERNEL==\"" + CARD + r"(?:\|" + CARD + r")*\")"
"""A graphics card: a rule without it would be one for every disk."""
UDEV_GIFT = r"(?:TAG\+=\"uaccess\"|GROUP:?=\"(?:render|video)\"|MODE:?=\"0?[0-6]{3}\")"
UDEV_LINE = re.compile(UDEV_MATCH + r"(?:, *" + UDEV_MATCH + r")*(?:, *" + UDEV_GIFT + r")*")
SWITCH_LINE = re.compile(r"Enabled: (?:yes|no)")


class Place(NamedTuple):
    """A folder in which files may be written."""

    folder: str
    name: Any
    """What their names match."""
    rule: Callable[[str, str], Optional[str]]
    """Old and new content to the first line that may not stand there, or None."""


BLANKS = " \t"
"""What the programs that read these files skip; to them other blanks of Unicode are letters."""


def acts(line: str) -> bool:
    """False for an empty line and for a comment."""
    plain = line.strip(BLANKS)
    return bool(plain) and not plain.startswith("#")


def only_lines(pattern: Any) -> Callable[[str, str], Optional[str]]:
    """A rule: each line is a comment, of this form, or was there before, in the same order."""

    def rule(old: str, new: str) -> Optional[str]:
        known = iter(old.split("\n"))
        for line in new.split("\n"):
            if not acts(line) or pattern.fullmatch(line.strip(BLANKS)):
                continue
            if line not in known:  # takes all up to it out of the iterator: order matters
                return line
        return None

    return rule


def only_settings(old: str, new: str) -> Optional[str]:
    """A rule for scripts of the shell: among lines of others it allows no new comment.

    Inside a text in quotes or a here-document it would be none.
    """
    lines = new.split("\n")
    if all(not acts(line) or PROFILE_LINE.fullmatch(line.strip(BLANKS)) for line in lines):
        return None
    known = iter(old.split("\n"))
    for above, line in zip(["", *lines], lines):  # noqa: B905 - not in Python 3.8
        plain = line.strip(BLANKS)
        alone = not above.endswith("\\")  # else it would go on with what stands above
        ours = alone and (not plain or PROFILE_LINE.fullmatch(plain))
        if not ours and line not in known:
            return line
    return None


def only_rules(old: str, new: str) -> Optional[str]:
    """A rule for udev: rules that were there before, whole with the lines that they go on in.

    A line less, or one between them, would make another rule of the rest, such as for every disk.
    """
    known = iter(udev_rules(old))
    for rule in udev_rules(new):
        if acts(rule) and not UDEV_LINE.fullmatch(rule.strip(BLANKS)) and rule not in known:
            return rule.split("\n", 1)[0]
    return None


def udev_rules(content: str) -> List[str]:
    """The lines of a file of rules, each with those that continue it; a comment continues none."""
    found: List[str] = []
    goes_on = False
    for line in content.split("\n"):
        comment = line.lstrip(BLANKS).startswith("#")
        if goes_on:
            found[-1] += "\n" + line
        else:
            found.append(line)
        goes_on = goes_on if comment else line.rstrip(BLANKS).endswith("\\")
    return found


Field = Tuple[str, Tuple[str, ...]]
"""A field of a stanza: its first line, and the lines that continue it."""


def only_stanzas(old: str, new: str) -> Optional[str]:
    """A rule for deb822: stanzas that were there before, in that order, switched on or off.

    Whole fields are compared: a line that is put between a field and its continuation would
    take what follows for itself, such as the key of a ``Signed-By``.
    """
    known = iter([_unswitched(stanza) for stanza in stanzas(old)])
    for stanza in stanzas(new):
        blank = [line for _, more in stanza for line in more if not line.strip(BLANKS)]
        if blank:  # the end of a stanza to some readers, and to others not
            return blank[0]
        switches = [field for field in stanza if _is_switch(field)]
        odd = [first for first, more in switches if more or not SWITCH_LINE.fullmatch(first)]
        if odd or len(switches) > 1:
            return odd[0] if odd else switches[1][0]
        if _unswitched(stanza) not in known:  # takes all up to it out of the iterator
            return stanza[0][0]
    return None


def stanzas(content: str) -> List[List[Field]]:
    """The stanzas of a deb822 file as apt reads them, without comments."""
    found: List[List[Field]] = [[]]
    for line in content.split("\n"):
        if line.startswith("#"):
            continue
        if not line:
            found.append([])
        elif line[0] in BLANKS and found[-1]:
            first, more = found[-1][-1]
            found[-1][-1] = (first, (*more, line))
        else:
            found[-1].append((line, ()))
    return [stanza for stanza in found if stanza]


def _is_switch(field: Field) -> bool:
    return field[0].partition(":")[0].strip(BLANKS).lower() == "enabled"


def _unswitched(stanza: Sequence[Field]) -> List[Field]:
    return [field for field in stanza if not _is_switch(field)]


def only_keys(_: str, new: str) -> Optional[str]:
    """A rule: armoured public keys whose fingerprints can be shown, and nothing else."""
    return None if KEY.fullmatch(new) and fingerprints(new) else new.split("\n", 1)[0]


def fingerprints(armoured: str) -> List[str]:
    """The fingerprints of all primary keys in a file; none where it cannot be read to its end.

    RFC 9580, 4.2 (packets) and 5.5.4 (fingerprints).
    """
    found = []
    try:
        for letters in re.findall(KEY_BLOCK, armoured):
            for tag, body in _packets(base64.b64decode(letters.replace("\n", ""), validate=True)):
                if tag not in OF_A_KEY:
                    raise ValueError("this packet does not belong to a public key")
                if tag == PUBLIC_KEY:
                    found.append(_fingerprint(body))
    except (ValueError, IndexError, struct.error):
        return []
    return found


def _packets(raw: bytes) -> Iterator[Tuple[int, bytes]]:
    """Tag and body of each packet; raises ValueError or IndexError for what is none."""
    at = 0
    while at < len(raw):
        head = raw[at]
        if not head & 0x80:
            raise ValueError("this is not a packet")
        tag = head & 0x3F if head & 0x40 else head >> 2 & 0x0F
        at, length = _new_length(raw, at + 1) if head & 0x40 else _old_length(raw, at + 1, head & 3)
        if at + length > len(raw):
            raise ValueError("the packet is cut off")
        yield tag, raw[at : at + length]
        at += length


def _new_length(raw: bytes, at: int) -> Tuple[int, int]:
    """Where the body of a packet begins, and how long it is."""
    first = raw[at]
    if first < 192:
        return at + 1, first
    if first < 224:
        return at + 2, (first - 192 << 8) + raw[at + 1] + 192
    if first < 255:
        raise ValueError("the packet is written in parts")
    return at + 5, int.from_bytes(raw[at + 1 : at + 5], "big")


def _old_length(raw: bytes, at: int, kind: int) -> Tuple[int, int]:
    if kind == 3:
        raise ValueError("the packet has no end")
    width = 1 << kind
    return at + width, int.from_bytes(raw[at : at + width], "big")


def _fingerprint(key: bytes) -> str:
    if key[0] == 4:
        whole = b"\x99" + struct.pack(">H", len(key)) + key
        return hashlib.sha1(whole).hexdigest().upper()  # noqa: S324 - as its form has it
    if key[0] == 6:
        whole = b"\x9b" + struct.pack(">I", len(key)) + key
        return hashlib.sha256(whole).hexdigest().upper()
    raise ValueError("the key has another version")


PLACES = (
    Place("/etc/apt/sources.list.d", re.compile(NAME + r"\.list"), only_lines(SOURCE_LINE)),
    Place("/etc/apt/sources.list.d", re.compile(NAME + r"\.sources"), only_stanzas),
    Place("/etc/apt", re.compile(r"sources\.list"), only_lines(SOURCE_LINE)),
    Place(
        "/etc/apt/preferences.d",
        re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,119}(?:\.pref)?"),
        only_lines(PIN_LINE),
    ),
    # Another maker's key is not ours to exchange: packages would come from somebody else.
    Place(
        "/etc/apt/keyrings",
        re.compile(r"(?=[^/]*(?:rocm|amdgpu|rdna1))" + NAME + r"\.asc"),
        only_keys,
    ),
    Place("/etc/profile.d", re.compile(NAME + r"\.sh"), only_settings),
    Place("/etc/ld.so.conf.d", re.compile(NAME + r"\.conf"), only_lines(LOADER_LINE)),
    Place("/etc/udev/rules.d", re.compile(NAME + r"\.rules"), only_rules),
)
MOVABLE = re.compile(
    r"/etc/apt/(?:sources\.list|preferences)\.d/" + NAME + r"|/etc/apt/keyrings/" + NAME + r""
    r"|/etc/(?:profile|ld\.so\.conf|udev/rules)\.d/" + NAME + r""
    r"|/etc/apt/trusted\.gpg\.d/(?=[^/]*rocm)" + NAME + r""
    r"|/opt/(?:rocm|amdgpu)[A-Za-z0-9._+-]{0,80}"
    r"|/etc/OpenCL/vendors/amdocl[A-Za-z0-9._-]{0,80}"
    r"|/etc/modprobe\.d/blacklist-radeon[A-Za-z0-9._-]{0,80}"
    r"|/etc/alternatives/rocm[A-Za-z0-9._+-]{0,80}"
    r"|/var/lib/dpkg/alternatives/rocm[A-Za-z0-9._+-]{0,80}"
)
LOADER_FOLDER = "/etc/ld.so.conf.d"
TREES = "/opt"


def place_of(path: str) -> Optional[Place]:
    """The place that a path lies in, or None where nothing may be written."""
    folder, _, name = path.rpartition("/")
    found = (place for place in PLACES if place.folder == folder and place.name.fullmatch(name))
    return next(found, None)


def writable(value: Any) -> str:
    """A check: a file in one of the places."""
    if type(value) is not str or len(value) > 300 or place_of(value) is None:
        raise Wrong("writing there is not allowed")
    return value


def allowed_content(arguments: Dict[str, Any], _: Person) -> None:
    """Raise Wrong for a new file with a line that may not stand in it.

    What replaces a file is looked at once more beside the file that is really there.
    """
    if arguments["before"] is None:
        refuse_lines(arguments["path"], "", arguments["content"])


def shortened(line: str, most: int) -> str:
    """A line in ASCII, with a mark where its end is left out."""
    whole = ascii(line)
    return (
        whole
        if len(whole) <= most
        else "{} ... and {} more".format(whole[:most], len(whole) - most)
    )


def refuse_lines(path: str, old: str, new: str) -> None:
    """Raise Wrong for a line that was not there before and is not of the form of that place."""
    place = place_of(path)
    line = "" if place is None else place.rule(old, new)
    if line is not None:
        raise Wrong("{}: this line is not allowed there: {}".format(path, shortened(line, 120)))


NAMES = several(matching(PACKAGE))
VERSIONS = several(pair)
VERBS: Dict[str, Dict[str, Check]] = {
    "apt_update": {},
    "apt_change": {
        "install": VERSIONS,
        "remove": NAMES,
        "purge": truth,
        "debs": several(local_deb, 100),
        "expect": expectation,
        "for_good": VERSIONS,
    },
    "keep_debs": {"packages": VERSIONS},
    "write_file": {"path": writable, "content": text, "mode": file_mode, "before": hash_or_none},
    "set_aside": {"path": matching(MOVABLE)},
    "put_back": {"path": matching(re.compile(MOVABLE.pattern + r"|/etc/apt/sources\.list"))},
    "join_groups": {
        "user": matching(USER),
        "groups": several(matching(re.compile("|".join(GROUPS))), 2),
    },
    "leave_groups": {
        "user": matching(USER),
        "groups": several(matching(re.compile("|".join(GROUPS))), 2),
    },
    "mark": {"auto": NAMES, "manual": NAMES},
    "configure": {},
    "restore_settings": {"run": matching(RUN)},
    "snapshot": {
        "tool": matching(re.compile("timeshift|snapper")),
        "config": matching(re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_-]{0,63})?")),
    },
}
"""Everything that can be asked for: the verbs, and the check of each of their arguments."""
WHOLE: Dict[str, Callable[[Dict[str, Any], Person], None]] = {
    "apt_change": allowed_change,
    "write_file": allowed_content,
    "join_groups": allowed_member,
    "leave_groups": allowed_member,
    "mark": allowed_mark,
    "snapshot": allowed_snapshot,
}
"""Checks of a request as a whole."""


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
        "{} must be a folder, but is a link or a file.".format(path),
        "The root helper does not follow links here, because they could point anywhere.",
        "Replace the link or file with a real folder, or make a plan that does not need that "
        "folder.",
    )


def _refuse_writable_by_others(descriptor: int, path: str) -> None:
    seen = os.fstat(descriptor)
    if seen.st_uid != 0 or seen.st_mode & 0o022:
        raise Trouble(
            "Users other than root can change the folder {}.".format(path),
            "Other users could replace the files that root writes to this folder.",
            "Run `sudo chown root: {0} && sudo chmod go-w {0}`, then start again.".format(path),
        )


@contextlib.contextmanager
def opened(folder: Optional[int], name: str) -> Iterator[Optional[int]]:
    """A folder that is no link, open; None where there is none."""
    descriptor = None
    with contextlib.suppress(OSError):
        if folder is not None or name.startswith("/"):
            descriptor = os.open(name, FOLDER, dir_fd=folder)
    try:
        yield descriptor
    finally:
        if descriptor is not None:
            os.close(descriptor)


@contextlib.contextmanager
def place_at(path: str, make: bool = False) -> Iterator[Tuple[int, str]]:
    """The folder of a path, open, and the name in it."""
    folder, _, name = path.rpartition("/")
    with folder_at(folder, make) as descriptor:
        yield descriptor, name


def look(folder: int, name: str) -> Optional[os.stat_result]:
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


def read_file(folder: int, name: str, longest: int) -> Optional[Tuple[bytes, os.stat_result]]:
    """Content and state of a regular file; None for nothing; raises Trouble for anything else."""
    found = open_plain(folder, name, longest)
    if found is None:
        return None
    with found as file:
        seen = os.fstat(file.fileno())
        return file.read(longest + 1), seen


def open_plain(folder: int, name: str, longest: int) -> Optional[BinaryIO]:
    """A regular file to be read; None for nothing; raises Trouble for anything else."""
    try:
        descriptor = os.open(name, READ, dir_fd=folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise _no_regular_file(name) from None
    seen = os.fstat(descriptor)
    if not stat.S_ISREG(seen.st_mode) or seen.st_size > longest:
        os.close(descriptor)
        raise _no_regular_file(name)
    return os.fdopen(descriptor, "rb")


def read_plain(path: str) -> bytes:
    """A short file of root's; nothing where there is none."""
    try:
        with open(path, "rb") as file:
            return file.read(65_536)
    except OSError:
        return b""


def parts_of(file: Any, size: int) -> Iterator[bytes]:
    """A file by and by, and no further than it was long: its owner could make it ever longer."""
    while size > 0 and (part := file.read(min(1 << 20, size))):
        size -= len(part)
        yield part


def _no_regular_file(name: str) -> Trouble:
    return Trouble(
        "{} is a link, is not a regular file, or is far too large.".format(name),
        "rdna1-setup reads and replaces only regular files, because a link could point anywhere.",
        "Check the file with `ls -l`. Move it out of the way if you do not need it, then start "
        "again.",
    )


class Like(NamedTuple):
    """Permissions, owner and time that a written file is given."""

    mode: int
    uid: int = 0
    gid: int = 0
    times_ns: Optional[Tuple[int, int]] = None


def like(seen: os.stat_result) -> Like:
    """As a file that was seen."""
    times = (seen.st_atime_ns, seen.st_mtime_ns)
    return Like(stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid, times)


def write_whole(folder: int, name: str, data: bytes, form: Like) -> None:
    """Write a file through a draft beside it: after a kill there is the old one or the new one."""
    write_parts(folder, name, (data,), form)


def write_parts(folder: int, name: str, parts: Iterable[bytes], form: Like) -> None:
    """The same for what is too large to be held in memory."""
    draft = ".{}.rdna1-setup".format(name)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(draft, dir_fd=folder)
    try:
        with os.fdopen(os.open(draft, CREATE, 0o600, dir_fd=folder), "wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            _give_form(file.fileno(), form)
            os.fsync(file.fileno())
        os.replace(draft, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(draft, dir_fd=folder)
        raise
    os.fsync(folder)


def _give_form(descriptor: int, form: Like) -> None:
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


def attributes_of(descriptor: int) -> List[str]:
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
    with contextlib.ExitStack() as stack:
        old = stack.enter_context(open(os.open(name, READ, dir_fd=source), "rb"))
        copy = stack.enter_context(open(os.open(new, READ, dir_fd=target), "rb"))
        _give_attributes(old.fileno(), copy.fileno(), name)


def _give_attributes(old: int, copy: int, name: str) -> None:
    for key in attributes_of(old):
        try:
            os.setxattr(copy, key, os.getxattr(old, key))
        except OSError as error:
            raise Trouble(
                "The attribute {} of {} could not be copied: {}.".format(key, name, error.strerror),
                "The backup's file system does not support this attribute, so it would be lost "
                "in the backup.",
                "If you do not need this attribute, remove it (`setfattr -x {} FILE`), then run "
                "the same step again.".format(key),
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


def append_line(descriptor: int, record: Dict[str, Any]) -> None:
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


def read_lines(descriptor: int) -> List[Dict[str, Any]]:
    """Every whole record of a file of JSON lines; what a crash cut off is skipped."""
    records = []
    size = os.fstat(descriptor).st_size
    for line in os.pread(descriptor, size, 0).split(b"\n")[:-1]:
        with contextlib.suppress(ValueError):
            record = json.loads(line.decode("utf-8"))
            if isinstance(record, dict):
                records.append(record)
    return records


UNDO_HEAD = r"""#!/bin/sh
# Undoes what this run of rdna1-setup changed as root, the latest change first.
# Needs neither network nor rdna1-setup. As root, also from a recovery console:
#     sh @HERE@/UNDO.sh
PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive
export PATH LC_ALL DEBIAN_FRONTEND
umask 022
here=@HERE@
failed=0
missing=0
gone_for_good=
say() { printf '%s\n' "$*"; }
could_not() { say "NOT UNDONE: $*"; failed=$((failed + 1)); }
is_there() { [ -e "$1" ] || [ -L "$1" ]; }
md5_of() { md5sum <"$1" | cut -d ' ' -f 1; }
hash_of() { if [ -f "$1" ] && [ ! -L "$1" ]; then sha256sum <"$1" | cut -d ' ' -f 1; fi; }
native=$(dpkg --print-architecture)
# NAME FIELDS: of that package alone; a bare name is of this system's own architecture, or of all
asked() {
    dpkg-query -W -f '${binary:Package} '"$2"'\n' "$1" 2>/dev/null |
        sed -n "s/^$1\(:$native\)\{0,1\} //p"
}
state_of() { asked "$1" '${db:Status-Abbrev}${Version}'; }
# NAME...: as dpkg must be given them, for a bare name may stand for several packages
exact() { for each; do asked "$each" '${binary:Package}'; done; }
"""
UNDO_CHECKS = r"""
[ "$(id -u)" = 0 ] || { say "Run this as root: sudo sh $here/UNDO.sh"; exit 1; }
cd / || exit 1
if ! touch "$here/.writable" 2>/dev/null; then
    say "This file system cannot be written to. In a recovery console, run: mount -o remount,rw /"
    exit 1
fi
if [ -n "$(find "$here/journal.jsonl" -newer "$here/.writable" 2>/dev/null)" ]; then
    say "By this clock ($(date)) the run is in the future: newer files cannot be recognized."
    say "Set the clock (date -s), then run this again."
    say "If the clock is right, run this first: touch $here/journal.jsonl"
    exit 1
fi
rm -f "$here/.writable" "$here/must_come"
if [ "${1-}" != --locked ] && command -v flock >/dev/null 2>&1; then
    # -o: what we start does not hold the lock, should it stay
    flock -n -o -E 75 @STATE@/lock sh "$here/UNDO.sh" --locked
    code=$?
    [ "$code" = 75 ] && say "rdna1-setup is running as root right now. Wait until it has finished."
    exit "$code"
fi
"""
UNDO_FUNCTIONS = r"""
# FROM TO: there again with owner, permissions, times, ACLs and attributes, or not at all. A copy:
# of a second name the backup would change with the file; where cp cannot keep all, a second name
put_there() {
    rm -f "$2.rdna1-undo"
    {
        cp -RP --preserve=mode,ownership,timestamps,xattr "$1" "$2.rdna1-undo" 2>/dev/null ||
            { rm -f "$2.rdna1-undo" && ln -P "$1" "$2.rdna1-undo"; }
    } && mv -fT "$2.rdna1-undo" "$2"
}
# A B: two names of one file
is_same() { [ "$(stat -c %d:%i "$1" 2>/dev/null)" = "$(stat -c %d:%i "$2" 2>/dev/null)" ]; }
content_of() { if [ -L "$1" ]; then readlink "$1"; else hash_of "$1"; fi; }
# PATH: what a kill left of our writing
drop_draft() { rm -f "${1%/*}/.${1##*/}.rdna1-setup"; }
# PATH HASH: a file that we wrote where none was
remove_ours() {
    drop_draft "$1"
    is_there "$1" || return 0
    if [ "$(hash_of "$1")" = "$2" ]; then rm -f "$1" && say "removed $1" || could_not "$1"
    else could_not "$1 has been changed since. Remove it yourself if you do not need it"; fi
}
# BACKUP PATH OURS BEFORE: a file that we wrote over another one
restore() {
    drop_draft "$2"
    if [ "$(hash_of "$2")" = "$4" ]; then return 0; fi
    if is_there "$2" && [ "$(hash_of "$2")" != "$3" ]; then
        could_not "$2 has been changed since. The earlier version is $1"; return 0
    fi
    if ! is_there "$1" && ! is_there "$2"; then must_come "$2" "$1"
    elif ! is_there "$1"; then could_not "$2 cannot be restored, because $1 is gone"
    elif put_there "$1" "$2"; then say "restored $2"
    else could_not "$2, which is kept as $1"; fi
}
# PATH BACKUP: what is not there, and has no backup; unless it comes from an earlier one, it is lost
must_come() { is_there "$1" || printf '%s\n' "$1" "$2" >>"$here/must_come"; }
name_lost() {
    [ -f "$here/must_come" ] || return 0
    while IFS= read -r path && IFS= read -r kept; do
        is_there "$path" || could_not "$path does not exist, and neither does its backup ($kept)"
    done <"$here/must_come"
    rm -f "$here/must_come"
}
# PATH: a folder that we made
remove_folder() { if [ -d "$1" ]; then rmdir "$1" 2>/dev/null && say "removed $1"; fi; return 0; }
# FROM TO: a tree lies on the file system of its place
move_there() {
    if [ -d "$1" ] && [ ! -L "$1" ]; then mv -T "$1" "$2"
    else put_there "$1" "$2" && rm -f "$1"; fi
}
# BACKUP PARKED PATH: something that we moved away
move_back() {
    from=$1
    is_there "$from" || from=$2
    if [ -z "$from" ] || ! is_there "$from"; then must_come "$3" "$1"; return 0; fi
    if is_there "$3"; then could_not "$3 exists again. The earlier version is $from"
    elif mkdir -p "${3%/*}" && move_there "$from" "$3"; then
        say "moved back $3"
        case "${from%/*}" in */.rdna1-setup-*) rmdir "${from%/*}" 2>/dev/null ;; esac
    else could_not "$3"; fi
    return 0
}
# PATH BACKUP CONTENT: something that we put back, unless it still is in the backup. What this run
# itself had moved away comes back below, as it is by now
put_away() {
    if is_there "$2" || ! is_there "$1"; then return 0; fi
    if [ "$3" = any ] || [ "$(content_of "$1")" = "$3" ]; then move_back "$1" '' "$2"
    else could_not "$1 has been changed since. If you do not need it, move it out of the way"; fi
}
# FOLDER: the way back of a change begins; how the alternatives stood then is kept in FOLDER
since() { now=$1 && keep_alternatives "$1"; }
# PATH: has it come, or come again, since then
has_come() { [ -n "$(find "$1" -maxdepth 0 -cnewer "$now/links" 2>/dev/null)" ]; }
# PATH: is it as a package brings it, so that nothing is lost with it
is_as_delivered() {
    if [ ! -f "$1" ] || [ -L "$1" ]; then return 1; fi
    md5=$(md5_of "$1")
    dpkg-query -W -f '${Conffiles}\n' | grep -qxF -e " $1 $md5" ||
        cat /var/lib/dpkg/info/*.md5sums | grep -qxF -e "$md5  ${1#/}"
}
# BACKUP PATH: a file of a package that went with it: of its settings, or one that was changed
restore_settings() {
    is_there "$1" || { could_not "$2 cannot be restored, because $1 is gone"; return 0; }
    is_same "$1" "$2" && return 0
    if is_there "$2" && ! has_come "$2" && ! is_as_delivered "$2"; then
        [ "$(content_of "$1")" = "$(content_of "$2")" ] ||
            could_not "$2 has been changed since. The earlier version is $1"
        # what the package has instead has come just now, for dpkg keeps such a file as well
        has_come "$2.dpkg-dist" && rm -f "$2.dpkg-dist"
        return 0
    fi
    if mkdir -p "${2%/*}" && put_there "$1" "$2"; then say "restored $2"
    else could_not "$2, which is kept as $1"; fi
    [ -f "$2" ] && cmp -s "$2" "$2.dpkg-new" && rm -f "$2.dpkg-new"
    return 0
}
# PATH TARGET: a link where a package has a folder; dpkg takes it away and makes a folder
link_again() {
    if [ -L "$1" ]; then return 0; fi
    if ! is_there "$1"; then mkdir -p "${1%/*}" && ln -s "$2" "$1" || could_not "the link $1 to $2"
    elif ! has_come "$1"; then could_not "$1 has been changed since. It was a link to $2"
    elif mv -T "$1" "$1.rdna1-undo" && ln -s "$2" "$1" && cp -aT "$1.rdna1-undo/" "$1/"; then
        rm -rf --one-file-system "$1.rdna1-undo" && say "restored $1"
    else could_not "the link $1 to $2. Its content is in $1.rdna1-undo"; fi
}
# COPY PATH FORM: a folder of a package that was another one's, and that came as it is delivered
restore_folder() {
    if [ -L "$2" ] || [ "$(stat -c '%a %u %g' "$2" 2>/dev/null)" != "$3" ]; then return 0; fi
    cp -RT --preserve=mode,ownership,xattr "$1" "$2" && say "restored $2" || could_not "$2"
}
# PATH: what of it has not come with this way back, nor with packages of one that was cut off
strangers_in() {
    if ! { [ -d "$now/links" ] && find "$1" ! -cnewer "$now/links" | sort >"$now/older"; }; then
        say "$1" # nothing can be told of it
    elif [ -f "$here/going_back" ]; then
        find "$1" ! -cnewer "$here/going_back"
        sort -u /var/lib/dpkg/info/*.list | comm -13 - "$now/older"
    else cat "$now/older"; fi
}
# LIST: files of packages that had been deleted before; those that came back with them go again
lose_again() {
    [ -f "$1" ] || { could_not "$1 is gone: deleted files may exist again"; return 0; }
    while IFS= read -r path; do
        is_there "$path" || continue
        if [ -z "$(strangers_in "$path")" ]; then
            rm -rf --one-file-system "$path" && say "removed again $path" || could_not "$path"
        elif has_come "$path" || [ -f "$here/going_back" ]; then
            could_not "$path did not exist before, but contains something older"
        fi
    done <"$1"
}
# FILE: a way back that began has been taken back
not_going_back() { rm -f "$1"; }
alternatives=/var/lib/dpkg/alternatives
# RECORD: the links of an alternative
links_of() {
    {
        read -r _ && read -r link || return 0
        printf '%s\n' "$link" "/etc/alternatives/${1##*/}"
        while read -r name && [ -n "$name" ] && read -r link; do
            printf '%s\n' "$link" "/etc/alternatives/$name"
        done
    } <"$1"
}
# RECORD: where its links lead
leading() { links_of "$1" | while read -r link; do say "$link $(readlink "$link")"; done; }
# RECORD: what can be chosen
choices_of() {
    [ -f "$1" ] || return 0
    slaves=0
    {
        read -r _ && read -r _ || return 0
        while read -r name && [ -n "$name" ] && read -r _; do slaves=$((slaves + 1)); done
        while read -r choice && [ -n "$choice" ] && read -r _; do
            printf '%s\n' "$choice"
            for _ in $(seq "$slaves"); do read -r _; done
        done
    } <"$1"
}
# FOLDER: a copy of all alternatives, their records and where their links lead
keep_alternatives() {
    [ -d "$1" ] && return 0
    rm -rf "$1.part"
    copy_alternatives "$1.part" && mv -T "$1.part" "$1" || could_not "a copy of $alternatives"
}
copy_alternatives() {
    mkdir -p "$1/records" "$1/links" || return 1
    for record in "$alternatives"/*; do
        case "$record" in *.dpkg-tmp) continue ;; esac
        [ -f "$record" ] || continue
        cp -p "$record" "$1/records/" || return 1
        leading "$record" >"$1/links/${record##*/}" || return 1
    done
}
# FOLDER NAME: is it as it was when that copy was made
is_as_in() {
    if [ ! -f "$1/records/$2" ]; then ! is_there "$alternatives/$2"; return; fi
    cmp -s "$1/records/$2" "$alternatives/$2" &&
        [ "$(leading "$alternatives/$2")" = "$(cat "$1/links/$2")" ]
}
# FOLDER: what a change made of the alternatives, once it has ended
keep_changed() {
    for record in "$1"/records/* "$alternatives"/*; do
        is_there "$record" && { is_as_in "$1" "${record##*/}" || say "${record##*/}"; }
    done >"$1/changed.part"
    mv "$1/changed.part" "$1/changed"
}
# NAME FOLDER...: did these changes, or this way back, touch it; one that was cut off may have
was_touched() {
    touched=$1
    shift
    for folder; do
        [ -f "$folder/changed" ] || return 0
        grep -qxF "$touched" "$folder/changed" && return 0
    done
    return 1
}
# FOLDER NAME: what somebody else has registered since then and before this way back began
others() {
    choices_of "$alternatives/$2" | while read -r choice; do
        choices_of "$1/records/$2" | grep -qxF "$choice" && continue
        choices_of "$now/records/$2" | grep -qxF "$choice" && [ -e "$choice" ] && say "$choice"
    done
}
# FOLDER...: alternatives are as they were when the first change began; of those that these changes
# have not touched, as they were before this way back
alternatives_back() {
    first=$1
    for record in "$first"/records/* "$now"/records/* "$alternatives"/*; do
        name=${record##*/}
        case "$name" in *.dpkg-tmp|'*') continue ;; esac
        wanted=$now
        was_touched "$name" "$@" && wanted=$first
        is_as_in "$wanted" "$name" && continue
        if [ -n "$gone_for_good" ] && ! has_all_choices "$wanted/records/$name"; then
            say "$name is not changed: what it pointed to was removed permanently"
            continue
        fi
        found=$(others "$wanted" "$name")
        if [ -n "$found" ]; then say "$name is left unchanged: $found has been added since"
        else alternative_back "$wanted" "$name" || could_not "the alternatives of $name"; fi
    done
}
# FOLDER NAME
alternative_back() {
    if [ ! -f "$1/records/$2" ]; then update-alternatives --quiet --remove-all "$2"; return; fi
    if [ -f "$alternatives/$2" ]; then
        links_of "$alternatives/$2" | while read -r link; do
            grep -qF "$link " "$1/links/$2" || lead "$link" ''
        done
    fi
    cp -p "$1/records/$2" "$alternatives/$2.dpkg-tmp" &&
        mv -f "$alternatives/$2.dpkg-tmp" "$alternatives/$2" || return 1
    while read -r link target; do lead "$link" "$target"; done <"$1/links/$2"
    is_as_in "$1" "$2" && say "the alternatives of $2 are as before"
}
# LINK TARGET: a link of an alternative; without a target there is none
lead() {
    if is_there "$1" && [ ! -L "$1" ]; then return; fi
    [ "$(readlink "$1")" = "$2" ] && return
    if [ -z "$2" ]; then rm -f "$1"
    else ln -sfn "$2" "$1.dpkg-tmp" && mv -fT "$1.dpkg-tmp" "$1"; fi
}
# RECORD: is everything there that can be chosen
has_all_choices() {
    choices_of "$1" | while read -r choice; do [ -e "$choice" ] || exit 1; done
}
forget_since() { rm -rf "$now"; }
# USER GROUP
is_in() { id -nG "$1" | tr ' ' '\n' | grep -qx "$2"; }
leave() { if is_in "$1" "$2"; then gpasswd -d "$1" "$2" || could_not "$1 is in the group $2"; fi; }
join() { is_in "$1" "$2" || gpasswd -a "$1" "$2" || could_not "$1 is not in the group $2"; }
rest() { configure_all || :; }
settle() { configure_all || could_not "dpkg --configure failed"; }
# All that waits, but for what would build a kernel module: that is for whoever wants it
configure_all() {
    waiting=$(dpkg-query -W -f '${db:Status-Abbrev} ${binary:Package}\n' | sed -n 's/^.[UFWt]. //p')
    modules='^\(amdgpu\|rock\|rocm\)-dkms\(:.*\)\{0,1\}$'
    if ! printf '%s\n' "$waiting" | grep -q "$modules"; then
        dpkg --force-confold --configure -a
        return
    fi
    waiting=$(printf '%s\n' "$waiting" | grep -v "$modules")
    # shellcheck disable=SC2086 # names of packages hold no blanks
    [ -z "$waiting" ] || dpkg --force-confold --configure $waiting || return
    dpkg --triggers-only -a
}
# NAME VERSION FILE STATE: what builds a kernel module, and had failed to, is where it was
unpack_again() {
    if is_of_others "$1" "$2"; then
        stays "The earlier version is $2"
        return 0
    fi
    case "$(state_of "$1")" in
        ?[UFi]?"$2") ;;
        *) dpkg --force-depends --force-downgrade --unpack "$3" || could_not "$1 $2" ;;
    esac
    case "$4$(state_of "$1")" in F?U?"$2") fail_to_configure "$1" ;; esac
    return 0
}
# NAME: as it had failed, but without its script, which would build the module: for this one call,
# a script that fails lies over it
fail_to_configure() {
    printf '#!/bin/sh\nexit 1\n' >"$here/backup/fails" && chmod 0755 "$here/backup/fails"
    unshare --mount sh -c 'mount --bind "$1" "$2" && exec dpkg --configure "$3"' sh \
        "$here/backup/fails" "/var/lib/dpkg/info/${1%%:*}.postinst" "$1" >/dev/null 2>&1
    say "$1 is not configured: $(state_of "$1")"
}
# (NAME VERSION FILE)...: what was cut off in the middle of unpacking is unpacked to its end first,
# for dpkg knows only then which files it brought
finish_unpacking() {
    while [ $# -ge 3 ]; do
        case "$(state_of "$1")" in ?H*|??R*)
            file=$3
            [ -f "$file" ] || file=$(package_file "$1" "$2")
            if [ -n "$file" ]; then dpkg --force-depends --force-downgrade --unpack "$file" || :; fi
            ;;
        esac
        shift 3
    done
}
# NAME VERSION: its file in apt's cache, or from the repository where that can be reached
package_file() {
    version=$(printf %s "$2" | sed 's/:/%3a/g')
    case "$1" in *:*) architectures=${1#*:} ;; *) architectures="$native all" ;; esac
    for architecture in $architectures; do
        file="/var/cache/apt/archives/${1%%:*}_${version}_$architecture.deb"
        if [ -f "$file" ]; then printf %s "$file"; return; fi
    done
    mkdir -p "$here/backup/again" && cd "$here/backup/again" || return
    apt-get -qq download "$1=$2" >/dev/null 2>&1
    for architecture in $architectures; do
        file="$here/backup/again/${1%%:*}_${version}_$architecture.deb"
        if [ -f "$file" ]; then printf %s "$file"; fi
    done
}
# NAME VERSION...: is it there in another version than these
is_of_others() {
    others_name=$1
    case "$(state_of "$others_name")" in ''|?[ncH]*) return 1 ;; esac
    others_version=$(asked "$others_name" '${Version}')
    shift
    for known; do [ "$known" = "$others_version" ] && return 1; done
    return 0
}
# WHAT: what is said of it, and what to do about it
stays() { could_not "$others_name $others_version has been installed since, and is kept. $*"; }
# NAME FIRST THEN: is it back already as the run found it first, when another version was THEN
is_back() { [ "$2" != "$3" ] && [ -n "$2" ] && is_installed "$1" "$2"; }
# HOW (NAME VERSION FIRST)...: packages that we brought
take_ours() {
    ours=
    how=$1
    shift
    while [ $# -ge 3 ]; do
        if is_back "$1" "$3" "$2"; then :
        elif is_of_others "$1" "$2"; then stays "If you do not need it, run: apt-get $how $1"
        else ours="$ours $1"; fi
        shift 3
    done
    # shellcheck disable=SC2086 # names of packages hold no blanks
    take_out "--$how" $ours
}
# NAME: settings of a package that we brought, as somebody has edited them since
keep_edited() {
    dpkg-query -W -f '${Conffiles}\n' "$1" |
        sed -n 's/^ \(\/.*\) \([0-9a-f]\{32\}\)\( obsolete\)\{0,1\}$/\2 \1/p' |
        while read -r sum path; do
            [ -f "$path" ] && [ "$(md5_of "$path")" != "$sum" ] || continue
            keep_newer "$path"
        done
}
# NAME FILE: what lies where a package that comes back has files, and is none of its own
keep_in_the_way() {
    dpkg-query -L "$1" >"$here/backup/listed" 2>/dev/null
    dpkg-deb --fsys-tarfile "$2" | tar -t --quoting-style=literal | while IFS= read -r path; do
        path=/${path#./}
        case "$path" in */) continue ;; esac
        if ! is_there "$path" || { [ -d "$path" ] && [ ! -L "$path" ]; }; then continue; fi
        grep -qxF -e "$path" "$here/backup/listed" || keep_newer "$path"
    done
    rm -f "$here/backup/listed"
}
# PATH: what was put there, or changed, since
keep_newer() {
    newer=$here/backup/newer$1
    while is_there "$newer"; do
        if cmp -s "$1" "$newer"; then return 0; fi
        newer=$newer~
    done
    mkdir -p "${newer%/*}" && put_there "$1" "$newer" &&
        say "$1 has been changed since. It is kept as $newer" || say "$1 could not be kept"
}
# HOW NAME...: packages that we brought, in whichever version
take_out() {
    how=$1
    shift
    found=
    for name; do
        case "$(state_of "$name")" in
            ''|?n*) ;;
            ?c*) [ "$how" = --purge ] && found="$found $name" ;;
            *) found="$found $name" ;;
        esac
    done
    [ -z "$found" ] && return 0
    if [ "$how" = --purge ]; then for name in $found; do keep_edited "$name"; done; fi
    # apt would keep its mark of a dependency, since dpkg does not tell it that the package goes
    # shellcheck disable=SC2086 # names of packages hold no blanks
    apt-mark manual $found >/dev/null 2>&1
    # shellcheck disable=SC2046,SC2086
    dpkg --force-depends --force-remove-reinstreq "$how" $(exact $found) ||
        could_not "these packages were not removed:$found"
}
# NAME VERSION: is it there; one that dpkg was only told to remove is to stay
is_installed() {
    case "$(state_of "$1")" in
        [rp]i?"$2") printf '%s install\n' "$(exact "$1")" | dpkg --set-selections ;;
        ?i?"$2") ;;
        *) return 1 ;;
    esac
}
# (NAME VERSION)...: packages that were there before: those that are there are to stay
stay() { while [ $# -ge 2 ]; do is_installed "$1" "$2" || :; shift 2; done; }
# (NAME VERSION FILE OURS FIRST)...: packages that were there before, in whose stead we brought OURS
bring_theirs_back() {
    theirs=
    while [ $# -ge 5 ]; do
        if is_back "$1" "$5" "$2"; then :
        elif is_of_others "$1" "$2" "$4"; then
            stays "To restore the earlier $2, remove it and run this again"
        else theirs="$theirs $1 $2 $3"; fi
        shift 5
    done
    # shellcheck disable=SC2086 # nor do versions and our own file names
    bring_back $theirs
}
# (NAME VERSION FILE)...: the same, whatever is there
bring_back() {
    files=
    while [ $# -ge 3 ]; do
        if is_installed "$1" "$2"; then :
        elif [ -f "$3" ]; then keep_in_the_way "$1" "$3" && files="$files $3"
        elif apt-get -y --allow-downgrades --no-install-recommends install "$1=$2"; then :
        else could_not "$1 $2: no package file was kept, and apt cannot download it"; fi
        shift 3
    done
    [ -z "$files" ] && return 0
    # shellcheck disable=SC2086 # our own file names hold no blanks
    dpkg --force-confold --force-downgrade -i $files ||
        could_not "these packages were not installed:$files"
}
# (NAME VERSION)...: packages of which no file was kept; what the user installed since is there
went_for_good() {
    gone_for_good=yes
    while [ $# -ge 2 ]; do
        if ! is_installed "$1" "$2"; then
            say "NOT UNDONE: $1 $2 was removed permanently, and no package file was kept"
            missing=$((missing + 1))
        fi
        shift 2
    done
}
# BACKUP PATH: a file of such a package, which does not come back without it
settings_kept() {
    is_there "$2" || ! is_there "$1" || say "the content of $2 is kept as $1"
}
# auto|manual NAME...: those that are there; apt-mark marks none of them where it knows one not
mark() {
    how=$1
    shift
    found=
    for name; do case "$(state_of "$name")" in ''|?[nc]*) ;; *) found="$found $name" ;; esac; done
    [ -z "$found" ] && return 0
    # shellcheck disable=SC2086 # names of packages hold no blanks
    apt-mark "$how" $found >/dev/null || could_not "apt-mark $how$found failed"
}
loader() { ldconfig || could_not "ldconfig failed"; }
# What depends on packages that are not there any more
name_needy() {
    apt-get -o Debug::NoLocking=true -o Dir::Cache::pkgcache= check 2>/dev/null |
        sed -n 's/^ \([^ ]*\) : \(Pre\)\{0,1\}-\{0,1\}Depends: .*/\1/p' | sort -u
}

"""
UNDO_TAIL = r"""
name_lost
if [ -n "${now-}" ]; then  # packages were changed
    for name in $(name_needy); do
        could_not "$name depends on packages that no longer exist. If you do not need it, run:" \
            "apt-get remove $name"
    done
fi
printf '{"event": "undone", "failed": %s}\n' "$failed" |
    tee -a "$here/journal.jsonl" >>"$here/events.jsonl"
sync
if [ "$failed" != 0 ]; then
    say "Changes that could not be undone, named above: $((failed + missing))."
    exit 1
elif [ "$missing" != 0 ]; then
    say "Everything else is undone. Permanently removed packages, named above: $missing."
    exit @MISSING@
fi
say "All changes of this run are undone."
"""

MISSING = 3
"""How UNDO.sh ends where nothing is left of a run but packages that were removed for good."""
Call = Sequence[str]
"""One call of a function of UNDO.sh."""


def undo_script(path: str, intents: Sequence[Dict[str, Any]]) -> str:
    """The plain way back: the calls of each change, the latest change first."""
    calls = [call for intent in reversed(intents) for call in intent["undo"]]
    script = UNDO_HEAD + UNDO_CHECKS + UNDO_FUNCTIONS
    head = script.replace("@HERE@", path).replace("@STATE@", STATE)
    tail = UNDO_TAIL.replace("@MISSING@", str(MISSING))
    return head + (shell_lines(calls) or "say 'Nothing was changed yet.'\n") + tail


def shell_lines(calls: Sequence[Call]) -> str:
    """Calls of functions of UNDO.sh, one a line."""
    return "".join(" ".join(shlex.quote(word) for word in call) + "\n" for call in calls)


class Run:
    """The folder of one run, open: its journal, its events, its backup and its way back."""

    def __init__(self, name: str, folder: int, group: int) -> None:
        self.name = name
        self.path = "{}/{}".format(RUNS, name)
        self.folder = folder
        self.group = group
        self.backup = os.open("backup", FOLDER, dir_fd=folder)
        self.debs = os.open("debs", FOLDER, dir_fd=self.backup)
        self._output: Optional[int] = 1  # sys.stdout is None where the caller has closed it
        self._journal = os.open("journal.jsonl", APPEND, 0o600, dir_fd=folder)
        self._events = self.shared("events.jsonl")
        self._told = 0

    def shared(self, name: str) -> int:
        """A file that the user who asked may read."""
        descriptor = os.open(name, APPEND, 0o640, dir_fd=self.folder)
        os.fchown(descriptor, 0, self.group)
        os.fchmod(descriptor, 0o640)
        return descriptor

    def log_of(self, number: int) -> int:
        """The file that a program of this step writes to: it goes on when we are gone."""
        return self.shared("output-{}.log".format(number))

    def note(self, event: str, **fields: Any) -> None:
        """Add to the journal; on return it is on the disk."""
        append_line(self._journal, dict(fields, event=event, time=int(time.time())))
        os.fsync(self._journal)

    def records(self) -> int:
        """How many lines the journal has."""
        return len(read_lines(self._journal))

    def intents(self) -> List[Dict[str, Any]]:
        """What was changed or begun since this run began, or since it was last taken back."""
        return _standing(read_lines(self._journal))

    def unfinished(self, request: Request) -> Optional[Dict[str, Any]]:
        """The intent of the same request that never came to its outcome; None where none is."""
        found = None
        for record in read_lines(self._journal):
            if record.get("event") == "undone":  # as far as it went: what was begun is no more
                found = None
            elif record.get("request") == request.digest:
                found = record if record["event"] == "intent" else None
        return found

    def write_undo(self, intents: Sequence[Dict[str, Any]]) -> None:
        """Write the way back of these changes."""
        script = undo_script(self.path, intents).encode("utf-8", "surrogateescape")
        write_whole(self.folder, "UNDO.sh", script, Like(0o750, 0, self.group))

    def tell(self, event: str, **fields: Any) -> None:
        """Say what happens, to whoever listens; whether anybody does is not our business."""
        self._told += 1
        record = dict(fields, event=event, seq=self._told)
        with contextlib.suppress(OSError):  # a full disk
            append_line(self._events, record)
        if self._output is not None and not send(self._output, record):
            self._output = None  # the wizard reads the file once it has time again
            hang_up(1)


def _standing(records: Sequence[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """The intents of a journal that were not taken back since; what only half went back stands."""
    found: List[Dict[str, Any]] = []
    for record in records:
        if record.get("event") == "undone" and record.get("failed", 0) == 0:
            found = []
        elif record.get("event") == "intent":
            found.append(record)
    return found


def send(descriptor: int, record: Dict[str, Any]) -> bool:
    """Write one line to a pipe; False when nobody reads it, or not in time."""
    data = json.dumps(record).encode("ascii") + b"\n"
    limit = time.monotonic() + READER_PATIENCE_S
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode):  # a terminal is not only ours to set
        os.set_blocking(descriptor, False)
    while data:
        try:
            data = data[os.write(descriptor, data) :]
        except BlockingIOError:
            left = limit - time.monotonic()
            if left <= 0:
                return False
            select.select((), (descriptor,), (), left)
        except OSError:
            return False
    return True


def hang_up(descriptor: int) -> None:
    """Let a standard descriptor lead nowhere, so that its number is never another file's."""
    null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    if null == descriptor:  # it was closed, and its number the lowest one that is free
        os.set_inheritable(null, True)
        return
    os.dup2(null, descriptor)
    os.close(null)


def open_run(name: str, person: Person) -> Run:
    """The folder of a run, made or found again; raises Trouble when it is another user's."""
    with folder_at(RUNS, make=True) as runs:
        if look(runs, name) is None:
            os.mkdir(name, 0o700, dir_fd=runs)
        folder = os.open(name, FOLDER, dir_fd=runs)
        seen = os.fstat(folder)
        empty = not os.listdir(folder)
        if seen.st_uid != 0 or not (empty or is_run_of(person, folder)):
            raise Trouble(
                "Run {} belongs to another user.".format(name),
                "Only the user who started the run can continue it.",
                "Start a new run.",
            )
        group = person.gid if empty else seen.st_gid
        os.fchown(folder, 0, group)
        os.fchmod(folder, 0o750)
        _make_private(folder, "backup")
        backup = os.open("backup", FOLDER, dir_fd=folder)
        _make_private(backup, "debs")
        os.close(backup)
        os.fsync(runs)
    return Run(name, folder, group)


def is_run_of(person: Person, folder: int) -> bool:
    """True for a run that this user may go on with and take back; root may with every one."""
    theirs = os.fstat(folder).st_gid == person.gid and begun_by(folder) <= {person.uid, 0}
    return theirs or person.uid == 0


def begun_by(folder: int) -> Set[int]:
    """The users who have begun or gone on with a run: a group may be that of several."""
    records = _records_in(folder)
    return {record.get("user", -1) for record in records if record.get("event") == "begin"}


def _make_private(folder: int, name: str) -> None:
    if look(folder, name) is None:
        os.mkdir(name, 0o700, dir_fd=folder)
        os.fsync(folder)


class Lock:
    """One helper at a time; the kernel drops it with the last process that holds it."""

    def __init__(self) -> None:
        with folder_at(STATE, make=True) as state:
            self.descriptor = os.open("lock", APPEND, 0o600, dir_fd=state)
        try:
            fcntl.flock(self.descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Trouble(
                "rdna1-setup is already running as root ({}).".format(self._holders()),
                "Two runs at the same time could undo each other's changes.",
                "Wait until the other run has finished, then start rdna1-setup again.",
            ) from None
        self.hold(os.getpid())  # whoever comes while the question is open is told who asks it

    def hold(self, *pids: int) -> None:
        """Note who holds it, for whoever finds it held."""
        os.ftruncate(self.descriptor, 0)
        os.write(self.descriptor, " ".join(map(str, pids)).encode())

    def _holders(self) -> str:
        words = os.pread(self.descriptor, 200, 0).decode("ascii", "replace").split()
        alive = [named(int(word)) for word in words if word.isdecimal() and is_alive(int(word))]
        return ", ".join(alive) or "a process that is just starting"


def is_alive(pid: int) -> bool:
    """True while there is a process of that number that has not ended."""
    return _stat_of(pid)[:1] not in ("", "Z")


def _stat_of(pid: int) -> str:
    """State and all that follows it in the kernel's line about a process; empty for none."""
    try:
        with open("/proc/{}/stat".format(pid), "rb") as file:
            return file.read().decode("ascii", "replace").rpartition(") ")[2]
    except OSError:
        return ""


def begun_at(pid: int) -> int:
    """When a process began, in the kernel's ticks: with its number it names it for good."""
    fields = _stat_of(pid).split()
    return int(fields[19]) if len(fields) > 19 else 0


def named(pid: int) -> str:
    """A process in words."""
    if pid <= 0:
        return "a process outside this container"
    try:
        with open("/proc/{}/comm".format(pid), "rb") as file:
            name = ascii(file.read(64).decode("utf-8", "replace").strip())[1:-1]
    except OSError:
        name = "a process"
    return "{}, process {}".format(name, pid)


class Ended(NamedTuple):
    """How a program ended and what it said, or the end of it."""

    code: int
    output: str


def run(
    argv: Sequence[str],
    deadline_s: float = SHORT_DEADLINE_S,
    folder: str = "/",
) -> Ended:
    """Run a short program to its end; what does not end in time is killed and left."""
    process = subprocess.Popen(
        tuple(argv),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=ENVIRONMENT,
        cwd=folder,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=deadline_s)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        raise Trouble(
            "{} did not finish within {:.0f} s and was stopped.".format(argv[0], deadline_s),
            "The program may have been waiting for a disk or a network.",
            "Run the same step again. Finished work is kept.",
        ) from None
    return Ended(process.returncode, output.decode("utf-8", "replace"))


class Growing:
    """A file that a program writes, as the lines that came since the last look."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        self._at = os.fstat(descriptor).st_size
        self._end: Optional[int] = None
        self._open = b""

    def stop_here(self) -> None:
        """Read no further than what is written by now."""
        self._end = os.fstat(self.descriptor).st_size

    def is_behind(self) -> bool:
        """True while something was not read yet up to where we stop."""
        return self._end is None or self._at < self._end or bool(self._open)

    def lines(self, final: bool) -> List[str]:
        """New whole lines; with ``final`` what stands on the open one too."""
        most = 1 << 20 if self._end is None else min(1 << 20, self._end - self._at)
        chunk = os.pread(self.descriptor, most, self._at)
        self._at += len(chunk)
        whole = (self._open + chunk).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, self._open = whole.split(b"\n")
        if len(self._open) > LONGEST_EVENT or (final and not chunk):
            lines.append(self._open)
            self._open = b""
        texts = (line.decode("utf-8", "replace") for line in lines if line)
        return [text if len(text) <= 2000 else text[:2000] + " ..." for text in texts]


class Step:
    """The step that is being carried out, and all that it may use."""

    def __init__(
        self,
        run: Run,
        lock: Lock,
        person: Person,
        number: int,
        request: Request,
        later: Sequence[Request] = (),
    ) -> None:
        self.run = run
        self.lock = lock
        self.person = person
        self.number = number
        self.request = request
        self.later = later
        self._spots = 0
        self._shown: Dict[str, Any] = {}

    def intend(self, noted: Dict[str, Any], undo: Sequence[Call]) -> None:
        """Journal what is about to change and how it goes back; only then may it be changed."""
        calls = [list(call) for call in undo]
        intent = {"step": self.number, "request": self.request.digest, "verb": self.request.verb}
        intent.update(noted=noted, undo=calls, path=self.request.arguments.get("path", ""))
        self.run.note("intent", **intent)
        self.run.write_undo(self.run.intents())

    def spot(self, name: str) -> str:
        """A name in the backup that nothing has had yet."""
        self._spots += 1
        return "{}-{}-{}".format(self.run.records(), self._spots, name)

    def output(self, lines: Sequence[str]) -> None:
        """Show lines of a program, in pieces that any reader can hold."""
        piece: List[str] = []
        size = 0
        for line in lines:
            if piece and size + len(line) > LONGEST_EVENT // 6:  # a character may take six as JSON
                self.run.tell("output", step=self.number, lines=piece)
                piece, size = [], 0
            piece.append(line)
            size += len(line) + 4
        if piece:
            self.run.tell("output", step=self.number, lines=piece)

    def progress(self, done: int, total: int, unit: str, what: str, phase: str) -> None:
        """Show how far it is, unless nothing has moved since."""
        fields = {"done": done, "total": total, "unit": unit, "what": what, "phase": phase}
        if fields != self._shown:
            self._shown = fields
            self.run.tell("progress", step=self.number, **fields)

    def follow(self, argv: Sequence[str], deadline_s: float, apt: bool = False) -> Ended:
        """Run a program that takes its time; past its deadline it is left to itself.

        It writes to files and not to pipes: should we be killed, it goes on to its end. apt-get
        holds our lock for as long; what apt starts does not, for apt closes it before.
        """
        log = self.run.log_of(self.number)
        states = os.memfd_create("states")
        kept: Tuple[int, ...] = ()
        if apt:
            kept = (states, self.lock.descriptor)
            argv = (argv[0], "-o", "APT::Status-Fd={}".format(states), *argv[1:])
        self.output(["$ " + " ".join(shlex.quote(word) for word in argv)])
        growing = Growing(log), Growing(states)  # before it begins: else its first words are lost
        process = subprocess.Popen(
            tuple(argv),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=ENVIRONMENT,
            cwd="/",
            start_new_session=True,
            pass_fds=kept,
        )
        try:
            return self._watch(process, argv[0], *growing, deadline_s)
        finally:
            self.lock.hold(os.getpid())
            os.close(log)
            os.close(states)

    def _watch(
        self,
        process: Any,
        name: str,
        log: Growing,
        states: Growing,
        deadline_s: float,
    ) -> Ended:
        self.lock.hold(os.getpid(), process.pid)
        self.run.tell(
            "program", step=self.number, name=name, pid=process.pid, begun=begun_at(process.pid)
        )
        last: List[str] = []
        limit = time.monotonic() + deadline_s
        code = None
        while code is None or log.is_behind():
            if code is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    code = process.wait(0.1)
                    log.stop_here()  # something that it left behind may go on writing
            lines = log.lines(final=code is not None)
            last = [*last, *lines][-400:]
            self.output(lines)
            self._progress_of(states.lines(final=False))
            if code is None and time.monotonic() > limit:
                raise Trouble(
                    "{} is still running after {:.0f} minutes.".format(name, deadline_s / 60),
                    "The process was left running, because ending it could leave packages half "
                    "installed.",
                    "Check process {} with `ps`. When it has ended, run the step again.".format(
                        process.pid
                    ),
                )
        return Ended(code, "\n".join(last))

    def _progress_of(self, states: Sequence[str]) -> None:
        for line in states:
            fields = line.split(":", 3)
            phase = {"dlstatus": "fetch", "pmstatus": "change"}.get(fields[0])
            if phase and len(fields) == 4 and re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]+)?", fields[2]):
                percent = min(100, int(float(fields[2])))
                self.progress(percent, 100, "percent", fields[3].strip()[:200], phase)


APT_OPTIONS = (
    "-y",
    "--no-install-recommends",
    "--allow-downgrades",
    "-o",
    "Dpkg::Options::=--force-confold",
    "-o",
    "Dpkg::Use-Pty=0",
    "-o",
    "DPkg::Lock::Timeout=120",
    "-o",
    "Dir::Log::Planner=/dev/null",
    "-o",
    "APT::Get::AutomaticRemove=false",
    "-o",
    "APT::Get::AllowUnauthenticated=false",
    "-o",
    "APT::Install-Suggests=false",
    # apt believes this file of its own while dpkg's status has the same size and the same second.
    "-o",
    "Dir::Cache::pkgcache=",
)
DPKG_LOCKS = ("/var/lib/dpkg/lock-frontend", "/var/lib/dpkg/lock", "/var/cache/apt/archives/lock")
LIST_LOCKS = ("/var/lib/apt/lists/lock",)
DPKG_JOURNAL = "/var/lib/dpkg/updates"
ARCHIVES = "/var/cache/apt/archives"
INFO = "/var/lib/dpkg/info"
DIVERSIONS = "/var/lib/dpkg/diversions"


class Package(NamedTuple):
    """A package as dpkg has it."""

    name: str
    """As dpkg must be given it, for a bare name may stand for several packages."""
    version: str
    state: str
    """``i`` installed, ``c`` settings only, ``U`` unpacked, ``F``, ``H``, ``W``, ``t``."""
    broken: bool


class Simulated(NamedTuple):
    """What apt means to do."""

    install: Dict[str, str]
    remove: FrozenSet[str]
    configure: FrozenSet[str]


def native() -> str:
    """The architecture whose packages go by their bare names."""
    return run(("dpkg", "--print-architecture")).output.strip()


def bare(name: str, architecture: str) -> str:
    """The name as apt-get prints it: the system's own architecture is left out."""
    base, _, suffix = name.partition(":")
    return base if suffix in (architecture, "all", "any") else name


def packages() -> Dict[str, Package]:
    """Everything that dpkg knows of, by the names that apt-get prints."""
    form = "${binary:Package}\t${db:Status-Abbrev}\t${Version}\n"
    architecture = native()
    found = {}
    for line in run(("dpkg-query", "-W", "-f", form)).output.splitlines():
        cells = line.split("\t")
        if len(cells) == 3 and len(cells[1]) == 3 and cells[1][1] != "n":
            name = bare(cells[0], architecture)
            found[name] = Package(cells[0], cells[2], cells[1][1], cells[1][2] != " ")
    return found


INST = re.compile(r"Inst (\S+) (?:\[[^\]]*\] )?\((\S+) ")
REMV = re.compile(r"(?:Remv|Purg) (\S+)")
CONF = re.compile(r"Conf (\S+)")


def simulate(argv: Sequence[str], architecture: str) -> Simulated:
    """What this very call would do; raises Trouble in apt's words when it would fail."""
    ended = run((argv[0], "-s", *argv[1:]))
    if ended.code != 0:
        raise explain(ended)
    install, remove, configure = {}, set(), set()
    for line in ended.output.splitlines():
        if found := _match(INST, line):
            install[bare(found[1], architecture)] = found[2]
        elif found := _match(REMV, line):
            remove.add(bare(found[1], architecture))
        elif found := _match(CONF, line):
            configure.add(bare(found[1], architecture))
    return Simulated(install, frozenset(remove), frozenset(configure))


def _match(pattern: Any, line: str) -> Any:
    return pattern.match(line)


def lock_holder(paths: Sequence[str]) -> Optional[int]:
    """The process that holds one of these locks of apt and dpkg; None for nobody."""
    for path in paths:
        with contextlib.suppress(FileNotFoundError), place_at(path) as (folder, name):
            descriptor = os.open(name, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)
            try:
                wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0)
                kind, _, _, _, pid = struct.unpack(
                    "hhqqi4x", fcntl.fcntl(descriptor, fcntl.F_GETLK, wanted)
                )
            finally:
                os.close(descriptor)
            if kind != fcntl.F_UNLCK:
                return int(pid)
    return None


def wait_for_locks(
    step: Step, paths: Sequence[str] = DPKG_LOCKS, patience_s: float = LOCK_PATIENCE_S
) -> None:
    """Wait while another program works on packages, naming it; raises Trouble when it goes on."""
    began = time.monotonic()
    while True:
        holder = lock_holder(paths)
        waited = time.monotonic() - began
        if holder is None:
            return
        if waited > patience_s:
            raise Trouble(
                "Another program is installing or removing packages: {}.".format(named(holder)),
                "That program has held the package lock for {:.0f} s. Nothing was changed.".format(
                    patience_s
                ),
                "Let that program finish (it may be a background update), then run the step "
                "again. Never delete the lock yourself.",
            )
        what = "waiting for {}, which is changing packages".format(named(holder))
        step.progress(int(waited), 0, "seconds", what, "wait")
        time.sleep(1.0)


def refuse_interrupted() -> None:
    """Raise Trouble while dpkg has a journal of an interrupted run."""
    with contextlib.suppress(FileNotFoundError), folder_at(DPKG_JOURNAL) as folder:
        if any(name.isdecimal() for name in os.listdir(folder)):
            raise Trouble(
                "dpkg was interrupted during its work.",
                "apt refuses to change anything until dpkg has finished that work.",
                "Run `sudo dpkg --configure -a`, " + AGAIN,
            )


def counted(number: int, what: str) -> str:
    """A number of things in words."""
    return "{} {}{}".format(number, what, "" if number == 1 else "s")


class Known(NamedTuple):
    """A failure that can be recognised by what apt or dpkg prints."""

    pattern: Any
    happened: str
    meaning: str
    next_step: str


def _known(pattern: str, happened: str, meaning: str, next_step: str) -> Known:
    return Known(re.compile(pattern, re.MULTILINE), happened, meaning, next_step)


AGAIN = "then run the same step again. Finished work is kept."
DAMAGED = _known(
    r"Hash Sum mismatch|File has unexpected size",
    "A file from the repository does not match the checksum that the repository lists for it.",
    "A mirror was being updated, or a proxy is damaging files.",
    "Wait a few minutes, " + AGAIN,
)
NO_NETWORK = _known(
    r"(?:Could not resolve|Temporary failure resolving) '(?P<host>[^']*)'"
    r"|(?:Could not|Cannot) (?:connect|initiate)|Connection (?:failed|timed out|refused)"
    r"|Failed to fetch (?P<url>\S+)",
    "The network connection failed: {host}{url}.",
    "The repository could not be reached, or the connection was lost.",
    "Check the connection and the proxy (apt reads /etc/apt/apt.conf.d), " + AGAIN,
)
KNOWN = (
    _known(
        r"[Ii]t is held by process (?P<pid>\d+)(?: \((?P<name>[^)\n]*)\))?"
        r"|lock was locked by another process(?: with pid (?P<dpkg>\d+))?",
        "Another program is installing or removing packages: process {pid}{dpkg} {name}.",
        "The other program holds the lock for apt and dpkg. Nothing was changed.",
        "Let that program finish, " + AGAIN + " Never delete the lock yourself.",
    ),
    _known(
        r"dpkg was interrupted, you must manually run",
        "dpkg was interrupted during its work.",
        "apt refuses to change anything until dpkg has finished that work.",
        "Run `sudo dpkg --configure -a`, " + AGAIN,
    ),
    _known(
        r"(?:don't have enough free space in (?P<place>\S+?)\.?$)|No space left on device"
        r"|Disk quota exceeded",
        "The disk is full: {place}.",
        "The disk does not have enough space to store the packages or to unpack them.",
        "Free up some space (`sudo apt-get clean` deletes apt's downloads), " + AGAIN,
    ),
    _known(
        r"EXPKEYSIG (?P<key>[0-9A-F]+)|KEYEXPIRED",
        "The repository's signing key {key} has expired.",
        "The key's owner extends its expiration date from time to time, and this machine has an "
        "old copy.",
        "Get the newest key and check its fingerprint, " + AGAIN,
    ),
    _known(
        r"NO_PUBKEY (?P<key>[0-9A-F]+)",
        "The repository is not signed with the key that was given for it, but with {key}.",
        "The lists may not come from the maker of ROCm, so they were not used.",
        "Check the address and the key's fingerprint. Never use [trusted=yes].",
    ),
    _known(
        r"is not signed|BADSIG|not authenticated",
        "The repository has no valid signature.",
        "The lists may not come from the maker of ROCm, so they were not used.",
        "Check the address and the key's fingerprint. Never use [trusted=yes].",
    ),
    _known(
        r"The repository '(?P<where>[^']*)' (?:does not have|no longer has) a Release file",
        "This suite does not exist: {where}.",
        "The address or the suite is wrong, or this release is no longer available there.",
        "Choose another release or repository. rdna1-setup then checks which suites exist.",
    ),
    DAMAGED,
    NO_NETWORK,
    _known(
        r"trying to overwrite '(?P<file>[^']*)', which is also in package (?P<other>\S+)",
        "{file} already belongs to the package {other}.",
        "Two packages contain the same file, so dpkg installs only one of them.",
        "Remove {other} first if you do not need it. Never use --force-overwrite.",
    ),
    _known(
        r"error processing (?:package|archive) (?P<name>\S+).*\n\s*(?P<why>.+)",
        "Processing the package {name} failed: {why}.",
        "One of the package's scripts failed, so dpkg could not finish processing the package.",
        "Read the lines above. If you do not need the package, run `sudo apt-get purge {name}`. "
        "Otherwise fix the problem and run `sudo dpkg --configure -a`, " + AGAIN,
    ),
    _known(
        r"Version '(?P<version>[^']*)' for '(?P<name>[^']*)' was not found",
        "{name} {version} is not in any of the package lists.",
        "The repository no longer has this version, or its list was not read.",
        "Run `sudo apt-get update`. If the lists still do not contain the package, choose "
        "another release.",
    ),
    _known(
        r"Unable to locate package (?P<name>\S+)",
        "The package lists do not contain the package {name}.",
        "The repository does not have the package, or its list was not read.",
        "Run `sudo apt-get update`. If the lists still do not contain the package, choose "
        "another release.",
    ),
    _known(
        r"needs to be reinstalled, but I can't find an archive",
        "A package is only half installed, and its package file is not available.",
        "An earlier installation was interrupted during unpacking.",
        "Run `sudo dpkg --audit` to see which package it is. Then remove the package or install "
        "it again.",
    ),
    _known(
        r"Held packages were changed|held package",
        "apt would have to change a held package.",
        "apt was told to keep it unchanged (`apt-mark hold`).",
        "List held packages with `apt-mark showhold`. If the hold is no longer needed, release "
        "the package with `sudo apt-mark unhold NAME`.",
    ),
    _known(
        r"unmet dependencies|have held broken packages|pkgProblemResolver",
        "The packages cannot be installed together on this system.",
        "A dependency is missing. The lines above name it.",
        "Choose a smaller set of packages or another ROCm release.",
    ),
    _known(
        r"Malformed (?:entry|line|stanza) .*|The list of sources could not be read",
        "A package source on this system cannot be read.",
        "apt reads all of them before it does anything.",
        "Fix the file that the lines above name, " + AGAIN,
    ),
)


def explain(ended: Ended) -> Trouble:
    """What a failed call of apt or dpkg says, in plain words."""
    trouble = recognised(ended)
    if trouble is not None:
        return trouble
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    loud = [line for line in lines if line.startswith(("E:", "dpkg: error"))] or lines
    said = " / ".join(loud[-3:]) or "no output"
    how = "signal {}".format(-ended.code) if ended.code < 0 else "exit code {}".format(ended.code)
    return Trouble(
        "apt or dpkg failed ({}): {}.".format(how, said[:600].rstrip(".")),
        "rdna1-setup does not know this error. The log contains its full text.",
        "Fix the problem it names, " + AGAIN,
    )


def recognised(ended: Ended, among: Sequence[Known] = KNOWN) -> Optional[Trouble]:
    """The first of these failures that the output tells of; None for none of them."""
    for known in among:
        found = known.pattern.search(ended.output)
        if found:
            names = {name: value or "" for name, value in found.groupdict().items()}
            texts = (known.happened, known.meaning, known.next_step)
            told = (" ".join(each.format(**names).split()) for each in texts)
            return Trouble(*(each.replace(" .", ".").replace(":.", ".") for each in told))
    return None


def apt_update(_: Dict[str, Any], step: Step) -> str:
    """Read the package lists of our own source; those of others stay as they are."""
    with place_at(OWN_SOURCE) as (folder, name):
        if read_file(folder, name, LONGEST_CONTENT) is None:
            raise Trouble(
                "{} does not exist.".format(OWN_SOURCE),
                "Without this file, there is no package list to read.",
                "First, run the step that writes this file.",
            )
    wait_for_locks(step, LIST_LOCKS)
    only = (
        "-o",
        "Dir::Etc::sourcelist=" + OWN_SOURCE,
        "-o",
        "Dir::Etc::sourceparts=/dev/null",
        "-o",
        "APT::Get::List-Cleanup=0",  # else apt drops the lists of all other sources
        "-o",
        "APT::Update::Error-Mode=any",  # else it ends with 0 without a network
        "-o",
        "Acquire::AllowInsecureRepositories=false",
        "-o",
        "DPkg::Lock::Timeout=120",
    )
    ended = step.follow(("apt-get", *only, "update"), FETCH_DEADLINE_S, apt=True)
    if ended.code != 0:
        raise explain(ended)
    form = ("--format", "$(FILENAME)", "Created-By: Packages")
    lists = run(("apt-get", *only, "indextargets", *form)).output.split()
    if not lists or not all(os.path.exists(path) for path in lists):
        raise explain(ended)
    return "{} read".format(counted(len(lists), "package list"))


def apt_change(wanted: Dict[str, Any], step: Step) -> str:
    """One transaction, if apt means to do exactly what was reviewed; dpkg is asked afterwards."""
    wait_for_locks(step)
    files = [take_deb(path, wanted_hash, step) for path, wanted_hash in wanted["debs"]]
    refuse_unkept(wanted, packages(), step)
    earlier = step.run.unfinished(step.request)
    if earlier:
        bring_to_rest(step, wanted["expect"])
    refuse_interrupted()
    drop_half(step, wanted["expect"])
    before = packages()
    if earlier:
        refuse_other_versions(wanted, earlier["noted"]["there"], before)
    argv = change_argv(wanted, files, before, fetched_before(wanted, step))
    simulated = simulate(argv, native())
    refuse_surprises(wanted, simulated, before)
    if unmet(wanted, before):
        if not earlier:
            keep_replaced(wanted, before, step)
            note_change(wanted, before, files, step)
        ended = step.follow(argv, CHANGE_DEADLINE_S, apt=True)
        if unmet(wanted, packages()):
            raise _not_as_wanted(wanted, ended)
    keep_what_changed(step)
    expect = wanted["expect"]
    return "{} installed, {} removed; dpkg confirms each".format(
        counted(len(expect["install"]), "package"), len(expect["remove"])
    )


def refuse_other_versions(
    wanted: Dict[str, Any], there: Dict[str, str], present: Dict[str, Package]
) -> None:
    """Raise Trouble where somebody has brought a version since that is neither the old one nor
    ours: nothing was noted of it, so that nothing could bring it back."""
    for name, version in wanted["expect"]["install"]:
        package = present.get(name)
        if package and package.state != "c" and package.version not in (version, there.get(name)):
            raise _surprise("{} is now {}.".format(name, package.version))


def refuse_unkept(wanted: Dict[str, Any], present: Dict[str, Package], step: Step) -> None:
    """Raise Trouble where something goes of which no file is kept, unless that was reviewed."""
    going = [(n, present[n].version) for n in wanted["expect"]["remove"] if n in present]
    unkept = [
        "{} {}".format(name, version)
        for name, version in going
        if present[name].state != "c"
        and (name, version) not in wanted["for_good"]
        and not is_kept(name, version, step)
    ]
    if unkept:
        raise Trouble(
            "No package file is kept for {}.".format(", ".join(unkept)),
            "These packages would be removed permanently, but the plan does not say so. Nothing "
            "was changed.",
            "Have rdna1-setup check the machine again, and review the new plan.",
        )


def keep_replaced(wanted: Dict[str, Any], before: Dict[str, Package], step: Step) -> None:
    """Keep the package files of what another version replaces, where they can be had."""
    for name, version in replaced(wanted, before):
        if not is_kept(name, version, step):
            try:
                how = keep_deb(name, version, step)
            except Trouble as trouble:
                how = trouble.happened
            step.output(["{} {}: {}".format(name, version, how)])


def replaced(wanted: Dict[str, Any], present: Dict[str, Package]) -> List[Tuple[str, str]]:
    """What is there in another version than a transaction brings."""
    coming = dict(wanted["expect"]["install"])
    there = ((n, present[n].version) for n in coming if n in present and present[n].state != "c")
    return [(name, version) for name, version in there if version != coming[name]]


def is_kept(name: str, version: str, step: Step) -> bool:
    """True where the backup has the package file; it was looked through when it was kept."""
    path = kept_path((name, version), step)
    return bool(path) and package_in(path) == (name, version)


def keep_what_changed(step: Step) -> None:
    """Note which alternatives the transaction changed, so that no others are put back."""
    for intent in step.run.intents():
        if intent["request"] == step.request.digest and "alternatives" in intent["noted"]:
            calls = [("keep_changed", intent["noted"]["alternatives"])]
            run(("sh", "-c", shell_script(calls, step)))


def fetched_before(wanted: Dict[str, Any], step: Step) -> Tuple[str, ...]:
    """What lets apt find package files that an earlier step kept, by the names that it looks for.

    Not in its own folder: in a container a hook of apt's may empty that one at every change.
    """
    found = False
    for name, version in wanted["expect"]["install"]:
        file = deb_name(name, version)
        if look(step.run.debs, file) is None:
            continue
        path = "{}/backup/debs/{}".format(step.run.path, file)
        architecture = run(("dpkg-deb", "-f", path, "Architecture")).output.strip()
        own = "{}_{}_{}.deb".format(
            name.partition(":")[0], version.replace(":", "%3a"), architecture
        )
        found = True
        with folder_at(step.run.path + "/backup/archives", make=True) as folder:
            if look(folder, "partial") is None:  # else apt may have given it to its own user
                os.mkdir("partial", 0o755, dir_fd=folder)
            if look(folder, own) is None:
                os.link(file, own, src_dir_fd=step.run.debs, dst_dir_fd=folder)
    return ("-o", "Dir::Cache::archives={}/backup/archives".format(step.run.path)) if found else ()


def change_argv(
    wanted: Dict[str, Any],
    files: Sequence[str],
    present: Dict[str, Package],
    archives: Sequence[str] = (),
) -> Tuple[str, ...]:
    """The call of apt-get for a transaction."""
    purge = "true" if wanted["purge"] else "false"
    return (
        "apt-get",
        *APT_OPTIONS,
        "-o",
        "APT::Get::Purge=" + purge,
        *archives,
        "install",
        *("{}={}".format(name, version) for name, version in wanted["install"]),
        *files,
        # What apt-get does not know at all it would take for a failure.
        *(name + "-" for name in wanted["remove"] if name in present),
    )


def refuse_surprises(
    wanted: Dict[str, Any], simulated: Simulated, present: Dict[str, Package]
) -> None:
    """Raise Trouble unless what apt would do, and what is so already, is exactly what is wanted."""
    try:
        refuse_always([*simulated.install, *simulated.configure], simulated.remove)
    except Wrong as error:
        raise _surprise(str(error)) from None
    install = dict(wanted["expect"]["install"])
    remove = set(wanted["expect"]["remove"])
    more = [n + " " + v for n, v in sorted(simulated.install.items()) if install.get(n) != v]
    gone = sorted(simulated.remove - remove)
    missed = [
        name
        for name in unmet(wanted, present, unpacked_will_do=True)
        if name not in simulated.install and name not in simulated.remove
    ]
    told = (
        (more, "would also install {}"),
        (gone, "would also remove {}"),
        (missed, "would not change {}"),
    )
    said = [words.format(", ".join(names[:8])) for names, words in told if names]
    if said:
        raise _surprise("apt {}.".format("; apt ".join(said)))


def _surprise(what: str) -> Trouble:
    return Trouble(
        "This differs from the plan you reviewed: {}".format(what),
        "The package lists or the installed packages have changed since your review, or "
        "rdna1-setup does not allow this "
        "change. Nothing was changed.",
        "Have rdna1-setup check the machine again, and review the new plan.",
    )


def unmet(
    wanted: Dict[str, Any], present: Dict[str, Package], unpacked_will_do: bool = False
) -> List[str]:
    """Names of packages that are not as they shall be."""
    good = "iUFWt" if unpacked_will_do else "i"
    found = []
    for name, version in wanted["expect"]["install"]:
        package = present.get(name)
        fits = package is not None and package.version == version and not package.broken
        if package is None or not fits or package.state not in good:
            found.append(name)
    for name in wanted["expect"]["remove"]:
        package = present.get(name)
        if package is not None and (wanted["purge"] or package.state != "c"):
            found.append(name)
    return found


def _not_as_wanted(wanted: Dict[str, Any], ended: Ended) -> Trouble:
    left = unmet(wanted, packages())
    if ended.code != 0:
        trouble = explain(ended)
        state = ("These packages are not in the planned state ({} in all): {}.").format(
            len(left), ", ".join(left[:5])
        )
        return Trouble(trouble.happened, trouble.meaning + " " + state, trouble.next_step)
    return Trouble(
        "apt succeeded, but dpkg disagrees about {}.".format(", ".join(left[:8])),
        "apt reported success, but did not do its job.",
        "Read the log above, then run the same step again.",
    )


def touched_by(expect: Dict[str, Any]) -> Set[str]:
    """Names of all that a transaction brings or removes."""
    return {name for name, _ in expect["install"]} | set(expect["remove"])


def drop_half(step: Step, expect: Dict[str, Any]) -> None:
    """Remove what dpkg was cut off at and cannot finish, so that apt can put it there whole."""
    ours = {name for name in touched_by(expect) if not NEVER_REMOVED.fullmatch(name)}
    present = packages().items()
    half = [p.name for n, p in present if n in ours and (p.state == "H" or p.broken)]
    if half:
        forced = ("dpkg", "--force-depends", "--force-remove-reinstreq", "--remove", *half)
        step.follow(forced, SHORT_DEADLINE_S)


def bring_to_rest(step: Step, expect: Dict[str, Any]) -> None:
    """Finish what dpkg had begun when this very step was cut off."""
    drop_half(step, expect)
    for call in finishing(packages()):
        step.follow(call, CHANGE_DEADLINE_S)


def finishing(present: Dict[str, Package]) -> List[Call]:
    """Calls that let dpkg finish all that waits, but for what would build a kernel module."""
    waiting = [package.name for package in present.values() if package.state in "UFWt"]
    others = [name for name in waiting if not DKMS.fullmatch(name)]
    if others == waiting:
        return [("dpkg", "--force-confold", "--configure", "-a")]
    named_ones = [("dpkg", "--force-confold", "--configure", *others)] if others else []
    return [*named_ones, ("dpkg", "--triggers-only", "-a")]


def note_change(
    wanted: Dict[str, Any], before: Dict[str, Package], files: Sequence[str], step: Step
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
    debs = [(*each, "{}/backup/debs/{}".format(step.run.path, deb_name(*each))) for each in back]
    local = {package_in(file): file for file in files}
    incoming = [
        (*pair, local.get(pair) or kept_path(pair, step)) for pair in wanted["expect"]["install"]
    ]
    spot = "{}/backup/{}".format(step.run.path, step.spot("alternatives"))
    calls: List[Call] = [("finish_unpacking", *(word for new in incoming for word in new))]
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
    calls += [("bring_theirs_back", *whole)] if whole else []
    calls += [("unpack_again", *deb, before[deb[0]].state) for deb in modules]
    copies = [*keep_settings([*kept, *settings_only], step), *keep_changed(back, step)]
    copies += keep_overlaid(incoming, [*there, *settings_only], step)
    calls += [("restore_settings", copy, path) for path, copy in copies]
    calls += keep_folders(back, step)
    # apt marks all that it is asked for, and drops marks before dpkg has removed anything.
    asked = [n for n, _ in (*wanted["install"], *local)]
    touched = [n for n in {*kept, *asked} if n in before and before[n].state != "c"]
    calls += [("mark", how, *marked) for how, marked in _marks(touched, auto) if marked]
    calls += [("settle",), *_lost_calls(kept, step), *_gone_calls(gone, step)]
    calls += [("alternatives_back", spot), ("forget_since",)]
    calls += [("not_going_back", mark) for mark in note_way_back(step)]
    # Last of all: what gets a second name in the backup would seem to have come since then.
    ended = run(("sh", "-c", shell_script([("keep_alternatives", spot)], step)))
    if ended.code:
        raise explain(ended)
    noted = {"there": there, "settings_only": settings_only, "fresh": fresh, "alternatives": spot}
    step.intend(noted, calls)


def note_way_back(step: Step) -> List[str]:
    """The time from which what comes belongs to the way back of other runs, noted in their folders.

    Should this one be cut off, UNDO.sh of those runs knows what it had brought.
    """
    marks = []
    for request in step.later:
        if request.verb == "restore_settings" and _run_of(request.arguments["run"], step):
            path = "{}/{}".format(RUNS, request.arguments["run"])
            with folder_at(path) as folder:
                if look(folder, GOING_BACK) is None:
                    write_whole(folder, GOING_BACK, b"", Like(0o600))
            marks.append("{}/{}".format(path, GOING_BACK))
    return marks


def linked_folders(packages_: Sequence[Tuple[str, str]], step: Step) -> List[Call]:
    """The calls for links that somebody has put where packages have folders."""
    known = (delivered_by(*each, step).items() for each in packages_)
    links = {path for paths in known for path, one in paths if one.kind == "d"}
    found = sorted(path for path in links if os.path.islink(path) and os.path.isdir(path))
    return [("link_again", path, os.readlink(path)) for path in found]


def keep_folders(packages_: Sequence[Tuple[str, str]], step: Step) -> List[Call]:
    """Keep the owners, permissions and attributes of folders that are not as packages bring them.

    The calls give them to folders that are; the others have outlived their package.
    """
    calls: Dict[str, Call] = {}
    for name, version in packages_:
        for path, one in delivered_by(name, version, step).items():
            form = "{:o} {} {}".format(one.mode, one.uid, one.gid)
            if one.kind == "d" and path not in calls and _has_other_form(path, one):
                spot = step.spot(os.path.basename(path)[:40])
                _copy_form(path, step.run.backup, spot)
                copy = "{}/backup/{}".format(step.run.path, spot)
                calls[path] = ("restore_folder", copy, path, form)
    return list(calls.values())


def _has_other_form(path: str, one: Delivered) -> bool:
    try:
        folder = os.open(path, FOLDER)
    except OSError:  # it is a link, or was deleted
        return False
    try:
        seen = os.fstat(folder)
        form = (stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid)
        return form != (one.mode, one.uid, one.gid) or bool(attributes_of(folder))
    finally:
        os.close(folder)


def _copy_form(path: str, target: int, new: str) -> None:
    """An empty folder with the owner, permissions and attributes of another one."""
    os.mkdir(new, 0o700, dir_fd=target)
    with opened(None, path) as old, opened(target, new) as copy:
        assert old is not None  # noqa: S101 - it was just there
        assert copy is not None  # noqa: S101 - it was just made
        _give_form(copy, like(os.fstat(old)))
        _give_attributes(old, copy, path)


def keep_overlaid(
    incoming: Sequence[Tuple[str, str, str]], going: Iterable[str], step: Step
) -> List[Tuple[str, str]]:
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
                # A second name would make it look as if it had come with this way back.
                copy = kept_copy(place, step, copy_plain)
                step.output(["{} existed before and is kept as {}".format(place, copy)])
                kept.append((place, copy))
    return kept


def kept_path(package: Tuple[str, str], step: Step) -> str:
    """Where a package file is kept; empty where none is."""
    file = deb_name(*package)
    there = look(step.run.debs, file) is not None
    return "{}/backup/debs/{}".format(step.run.path, file) if there else ""


def _gone_calls(gone: Sequence[Tuple[str, str]], step: Step) -> List[Call]:
    """What is said of packages that do not come back; copies of their settings are kept."""
    if not gone:
        return []
    copies = [*keep_settings([name for name, _ in gone], step), *keep_changed(gone, step)]
    said: List[Call] = [("went_for_good", *(word for each in gone for word in each))]
    return [*said, *(("settings_kept", copy, path) for path, copy in copies)]


def _lost_calls(names: Iterable[str], step: Step) -> List[Call]:
    """Keep a list of what had been deleted of packages by hand, and give the call that needs it."""
    files = {path for name in names for path in places_of(list_of(name), name)}
    lost = {path for path in files if not os.path.lexists(path)}
    tops = sorted(path for path in lost if lost.isdisjoint(_parents(os.path.dirname(path) + "/")))
    if not tops:
        return []
    spot = step.spot("lost")
    listing = "".join(path + "\n" for path in tops).encode("utf-8", "surrogateescape")
    write_whole(step.run.backup, spot, listing, Like(0o600))
    return [("lose_again", "{}/backup/{}".format(step.run.path, spot))]


GOING_BACK = "going_back"
"""In the folder of a run: its time is when a run that takes it back began to bring packages."""
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


def restore_settings(wanted: Dict[str, Any], step: Step) -> str:
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
    spot = "{}/backup/{}".format(step.run.path, step.spot("alternatives"))
    calls: List[Call] = [("since", begun["noted"]["alternatives"] if begun else spot)]
    mentioned = [call for i in reversed(changes) for call in i["undo"] if call[0] in RESTORING]
    calls += [("drop_draft", i["path"]) for i in changes if i["verb"] == "write_file"]
    calls += mentioned
    there = [pair for i in changes for pair in i["noted"].get("there", {}).items()]
    calls += [("stay", *(word for pair in there for word in pair))] if there else []
    calls += [("alternatives_back", *spots)] if spots else []
    present = packages()
    modules = [c[1] for c in mentioned if c[0] == "unpack_again" and c[1] not in present]
    undo: List[Call] = [("take_out", "--purge", *modules)] if modules else []
    marked = {n for c in mentioned if c[0] == "mark" for n in c[2:] if n in present}
    undo += [("mark", how, *names) for how, names in _marks(marked, automatic()) if names]
    step.intend({}, undo)
    script = step.spot("restore.sh")
    write_whole(step.run.backup, script, os.fsencode(shell_script(calls, step)), Like(0o700))
    argv = ("sh", "{}/backup/{}".format(step.run.path, script))
    ended = step.follow(argv, CHANGE_DEADLINE_S)
    left = ended.code
    if not 0 <= left <= 100:
        raise explain(ended)
    with folder_at("{}/{}".format(RUNS, wanted["run"])) as folder, contextlib.suppress(OSError):
        os.unlink(GOING_BACK, dir_fd=folder)
    known = "settings, changed and deleted files, marks and alternatives are as before run {}"
    if left:
        known += ", except for {} (see above)".format(left)
    return known.format(wanted["run"])


def _run_of(name: str, step: Step) -> List[Dict[str, Any]]:
    """The intents of a run that the user who asks may take back."""
    try:
        with folder_at("{}/{}".format(RUNS, name)) as folder:
            theirs = is_run_of(step.person, folder)
            intents = _standing(_records_in(folder)) if theirs else None
    except FileNotFoundError:  # root was asked for, and never began
        return []
    if intents is None:
        raise Trouble(
            "This user has no run with the ID {}.".format(name),
            "Only the user who started a run can undo it.",
            "See the list of runs (`rdna1-setup rollback --list`).",
        )
    return intents


def shell_script(calls: Sequence[Call], step: Step) -> str:
    """Functions of UNDO.sh called; it ends with how much they could not do."""
    head = (UNDO_HEAD + UNDO_FUNCTIONS).replace("@HERE@", step.run.path)
    return head + shell_lines(calls) + "[ $failed -lt 100 ] || failed=100\nexit $failed\n"


def package_in(file: str) -> Tuple[str, str]:
    """Name and version of a package file, the name as apt-get prints it."""
    form = "--showformat=${Package}:${Architecture}\t${Version}"
    name, _, version = run(("dpkg-deb", "-W", form, file)).output.partition("\t")
    return bare(name, native()), version


def _marks(there: Iterable[str], auto: Set[str]) -> Tuple[Tuple[str, List[str]], ...]:
    names = sorted(there)
    return (
        ("auto", [name for name in names if name in auto]),
        ("manual", [name for name in names if name not in auto]),
    )


def automatic() -> Set[str]:
    """Packages that apt takes for mere dependencies."""
    architecture = native()
    return {bare(name, architecture) for name in run(("apt-mark", "showauto")).output.split()}


def keep_settings(names: Iterable[str], step: Step) -> List[Tuple[str, str]]:
    """Copies of the settings files of packages that may go: path and copy of each."""
    kept = []
    settings = (path for name in names for path in places_of(settings_of(name), name))
    for path in sorted({each for one in settings for each in (one, *editors_copies(one))}):
        if os.path.lexists(path):
            with place_at(real_place(path)) as (folder, name):
                spot = step.spot(name[:40])
                copy_plain(folder, name, step.run.backup, spot)
            kept.append((path, "{}/backup/{}".format(step.run.path, spot)))
    return kept


def editors_copies(path: str) -> List[str]:
    """What dpkg purges with a settings file: older ones of editors and of its own beside it."""
    folder, _, name = path.rpartition("/")
    form = r"{0}(?:~|~[0-9]+~|%|\.bak|\.dpkg-(?:dist|new|old|tmp))|#{0}#".format(re.escape(name))
    try:
        found = sorted(other for other in os.listdir(folder) if re.fullmatch(form, other))
    except OSError:
        return []
    paths = ["{}/{}".format(folder, other) for other in found]
    return [each for each in paths if os.path.isfile(each) or os.path.islink(each)]


def places_of(paths: Iterable[str], package: str) -> List[str]:
    """Where files of a package lie: they may be diverted, to make room for others."""
    moved = diversions(package)
    return [moved.get(path, path) for path in paths]


def diversions(package: str) -> Dict[str, str]:
    """What of other packages and of this one lies elsewhere, and where."""
    found = read_plain(DIVERSIONS).decode("utf-8", "surrogateescape").split("\n")
    triples = zip(found[0::3], found[1::3], found[2::3])  # noqa: B905 - not in Python 3.8
    return {path: place for path, place, owner in triples if owner != package.partition(":")[0]}


def real_place(path: str) -> str:
    """The same path with its folders where links lead: dpkg follows them."""
    folder, _, name = path.rpartition("/")
    return "{}/{}".format(os.path.realpath(folder or "/").rstrip("/"), name)


def keep_changed(packages_: Sequence[Tuple[str, str]], step: Step) -> List[Tuple[str, str]]:
    """What somebody changed of the files of packages that may go, kept: path and copy of each."""
    kept = []
    for number, (name, version) in enumerate(packages_):
        step.progress(number, len(packages_), "packages", name, "compare")
        for path in changed_files(name, version, step):
            copy = kept_copy(path, step)
            step.output(["{} was changed and is kept as {}".format(path, copy)])
            kept.append((path, copy))
    return kept


def kept_copy(path: str, step: Step, keep: Callable[..., None] = keep_whole) -> str:
    """Keep what lies at a path whole in the backup; where."""
    with place_at(real_place(path)) as (folder, base):
        spot = step.spot(base[:40])
        keep(folder, base, step.run.backup, spot)
    return "{}/backup/{}".format(step.run.path, spot)


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


def is_changed(path: str, delivered: Optional[Delivered], md5: Optional[str]) -> bool:
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
            "{} is a folder, but the package contains a file with this path.".format(path),
            "The package cannot be restored while the folder is in the way. Nothing was changed.",
            "Move it out of the way (`sudo mv {0} {0}.mine`), then run the same step again.".format(
                path
            ),
        )
    return delivered.kind in "fl"


def _is_changed_file(
    path: str, seen: os.stat_result, delivered: Optional[Delivered], md5: Optional[str]
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


def sums_of(name: str) -> Dict[str, str]:
    """The hashes that dpkg has of the files of a package, by path."""
    with folder_at(INFO) as folder:
        for file in info_names(name, "md5sums"):
            found = read_file(folder, file, LARGEST_DEB)
            if found is not None:
                rows = (line.split("  ", 1) for line in os.fsdecode(found[0]).split("\n"))
                return {"/" + row[1]: row[0] for row in rows if len(row) == 2}
    return {}


def delivered_by(name: str, version: str, step: Step) -> Dict[str, Delivered]:
    """What the package file in the backup has, by path; nothing where none is kept."""
    path = kept_path((name, version), step)
    return delivered_in(path) if path else {}


@functools.lru_cache(maxsize=None)
def delivered_in(path: str) -> Dict[str, Delivered]:
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
    import tarfile  # only where a package goes

    try:
        with tarfile.open(fileobj=process.stdout, mode="r|") as tar:
            return {"/" + os.path.normpath(one.name): _delivered(one) for one in tar}
    except tarfile.TarError as error:
        raise as_trouble(OSError(errno.EIO, str(error), path)) from None
    finally:
        process.kill()
        process.communicate()


def _delivered(one: Any) -> Delivered:
    kind = (
        "d" if one.isdir() else "l" if one.issym() else "f" if one.isreg() or one.islnk() else "?"
    )
    return Delivered(kind, one.mode, _number_of(one), _group_of(one), one.linkname)


def _number_of(one: Any) -> int:
    try:
        return pwd.getpwnam(one.uname).pw_uid
    except (KeyError, ValueError):
        return int(one.uid)


def _group_of(one: Any) -> int:
    try:
        return grp.getgrnam(one.gname).gr_gid
    except (KeyError, ValueError):
        return int(one.gid)


CONFFILE = re.compile(r" (/.*) (?:[0-9a-f]{32}|newconffile)(?: obsolete| remove-on-upgrade)*")


def settings_of(name: str) -> List[str]:
    """The settings files that dpkg knows of a package."""
    listing = run(("dpkg-query", "-W", "-f", "${Conffiles}", name)).output
    paths = (found[1] for found in map(CONFFILE.fullmatch, listing.split("\n")) if found)
    return [path for path in paths if os.path.normpath(path) == path]


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
    copy = "{}.deb".format(wanted)
    target = "{}/backup/debs/{}".format(step.run.path, copy)
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
            raise _no_regular_file(path)
        if _copy_hashed(file, step.run.debs, copy, seen.st_size) != wanted:
            os.unlink(copy + ".part", dir_fd=step.run.debs)
            raise Trouble(
                "{} is not the file you reviewed: its SHA-256 differs.".format(path),
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


def deb_name(name: str, version: str) -> str:
    """The file that a package of this version is kept in."""
    return "{}_{}.deb".format(name.replace(":", "_"), version.replace(":", "%3a"))


def keep_debs(wanted: Dict[str, Any], step: Step) -> Tuple[str, Dict[str, Any]]:
    """A package file of each package in the backup, each looked into."""
    step.intend({}, ())
    kept = []
    total = len(wanted["packages"])
    for number, (name, version) in enumerate(wanted["packages"]):
        step.progress(number, total, "packages", name, "keep")
        how = keep_deb(name, version, step)
        step.output(["{} {}: {}".format(name, version, how)])
        file = deb_name(name, version)
        path = "{}/backup/debs/{}".format(step.run.path, file)
        digest = _hash_of(step.run.debs, file)
        kept.append({"name": name, "version": version, "path": path, "sha256": digest})
    return "{} kept".format(counted(len(kept), "package file")), {"kept": kept}


def _hash_of(folder: int, name: str) -> str:
    found = hashlib.sha256()
    with os.fdopen(os.open(name, READ, dir_fd=folder), "rb") as file:
        for chunk in iter(lambda: file.read(1 << 20), b""):
            found.update(chunk)
    return found.hexdigest()


def keep_deb(name: str, version: str, step: Step) -> str:
    """How a package file came into the backup; raises Trouble when none could be had."""
    file = deb_name(name, version)
    path = "{}/backup/debs/{}".format(step.run.path, file)
    if is_deb_of(path, name, version):
        return "already kept"
    ended = Ended(0, "")
    for words, source in (("from apt's cache", from_cache), ("downloaded", downloaded)):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(file, dir_fd=step.run.debs)
        ended = source(name, version, path, step)
        if is_deb_of(path, name, version):
            return words
    trouble = recognised(ended, (DAMAGED, NO_NETWORK))
    if trouble is not None:
        meaning = "{} {} could not be downloaded. Nothing was removed.".format(name, version)
        raise Trouble(trouble.happened, meaning, trouble.next_step)
    raise Trouble(
        "No package file for {} {} was found.".format(name, version),
        "Neither apt's cache nor any configured archive has the package file. Nothing was removed.",
        "Configure the package's archive again, or remove the apt source of an archive that no "
        "longer exists. Then run `sudo apt-get update`, undo this run and start over. The new "
        "plan names the packages that no archive has.",
    )


def is_deb_of(path: str, name: str, version: str) -> bool:
    """True for a whole package file of this name and version."""
    if not os.path.exists(path):
        return False
    return (
        package_in(path) == (name, version)
        and run(("dpkg-deb", "-I", path)).code == 0
        and run(("dpkg-deb", "-c", path), FETCH_DEADLINE_S).code == 0
    )


def from_cache(name: str, version: str, path: str, step: Step) -> Ended:
    """Copy it from apt's cache, if it is there."""
    base, _, architecture = name.partition(":")
    start = "{}_{}".format(base, version.replace(":", "%3a"))
    with contextlib.suppress(FileNotFoundError), folder_at(ARCHIVES) as folder:
        for one in [architecture] if architecture else [native(), "all"]:
            file = "{}_{}.deb".format(start, one)
            if look(folder, file) is not None:
                copy_plain(folder, file, step.run.debs, os.path.basename(path))
                break
    return Ended(0, "")


def downloaded(name: str, version: str, path: str, step: Step) -> Ended:
    """Let apt fetch it; that it fails is no trouble yet."""
    fetched = _empty_folder(step, "fetched")
    argv = ("apt-get", "-o", "Acquire::Retries=1", "-o", "Acquire::http::Timeout=30")
    wanted = (*argv, "download", "{}={}".format(name, version))
    ended = run(wanted, FETCH_DEADLINE_S, folder=fetched)
    refuse_full_disk(ended)
    with folder_at(fetched) as folder:
        for file in os.listdir(folder):
            if file.endswith(".deb"):
                os.rename(file, os.path.basename(path), src_dir_fd=folder, dst_dir_fd=step.run.debs)
                break
    return ended


def refuse_full_disk(ended: Ended) -> None:
    """Raise Trouble where a package file found no room: that is no lack of an archive."""
    if ended.code != 0 and "No space left on device" in ended.output:
        raise explain(ended)


def _empty_folder(step: Step, name: str) -> str:
    """A folder of our own with nothing in it."""
    path = "{}/backup/{}".format(step.run.path, name)
    if look(step.run.backup, name) is not None:
        shutil.rmtree(path)
    os.mkdir(name, 0o700, dir_fd=step.run.backup)
    return path


def list_of(name: str) -> List[str]:
    """Paths that dpkg says belong to a package."""
    with folder_at(INFO) as folder:
        for file in info_names(name, "list"):
            found = read_file(folder, file, LARGEST_DEB)
            if found is not None:
                lines = os.fsdecode(found[0]).split("\n")
                return [
                    line for line in lines if line.startswith("/") and ".." not in line.split("/")
                ]
    return []


def info_names(name: str, suffix: str) -> Tuple[str, str]:
    """The names that dpkg's own file about a package may have."""
    base = name.partition(":")[0]
    qualified = name if ":" in name else "{}:{}".format(name, native())
    return "{}.{}".format(qualified, suffix), "{}.{}".format(base, suffix)


def _parents(path: str) -> Iterator[str]:
    while path.rpartition("/")[0]:
        path = path.rpartition("/")[0]
        yield path


def write_file(wanted: Dict[str, Any], step: Step) -> str:
    """Write a file of ours, whole; what was there is copied into the backup first."""
    path, data = wanted["path"], wanted["content"].encode("utf-8")
    folder_path, _, name = path.rpartition("/")
    found = read_at(path)
    if found is not None and found[0] == data and _is_form(found[1], wanted["mode"]):
        return "{} already had this content".format(path)
    undo = _set_copy_aside(path, name, found, wanted, step)
    undo += [("remove_folder", above) for above in _parents(path) if not exists(above)]
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
            "{} does not contain what was written to it.".format(path),
            "Another program is changing the file or its folder at the same time.",
            "Find out which program is interfering, then run the same step again.",
        )
    return "{} exists, {} bytes".format(path, len(data))


def apt_complaint(path: str) -> str:
    """What keeps apt from reading its settings, if it has to do with such a path; else nothing."""
    if not path.startswith("/etc/apt/"):
        return ""
    ended = run(("apt-cache", "policy"))
    lines = [line for line in ended.output.splitlines() if line.startswith("E:")]
    return " ".join(lines[:2]) if ended.code else ""


def refuse_what_apt_cannot_read(path: str, before: Optional[Tuple[bytes, os.stat_result]]) -> None:
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
        "With this {}, apt can no longer read its settings: {}".format(path, heard[:300]),
        "apt could then no longer change any package, so the old file was restored.",
        "If another apt source file lists the same repository with a different key, move that "
        "file elsewhere first.",
    )


def read_at(path: str) -> Optional[Tuple[bytes, os.stat_result]]:
    """Content and state of a plain file of ours or the system's; None for nothing."""
    try:
        with place_at(path) as (folder, name):
            return read_file(folder, name, LONGEST_CONTENT * 4)
    except FileNotFoundError:  # not even its folder
        return None


def _is_form(seen: os.stat_result, mode: int) -> bool:
    return (stat.S_IMODE(seen.st_mode), seen.st_uid, seen.st_gid) == (mode, 0, 0)


def _set_copy_aside(
    path: str,
    name: str,
    found: Optional[Tuple[bytes, os.stat_result]],
    wanted: Dict[str, Any],
    step: Step,
) -> List[Call]:
    """Copy what a file holds into the backup, and give the calls that restore it."""
    data = wanted["content"].encode("utf-8")
    before = None if found is None else sha256(found[0])
    if before != wanted["before"] and before != sha256(data):
        raise Trouble(
            "{} has changed since the plan was made.".format(path),
            "Someone or something else changed the file, so it was left alone.",
            "Have rdna1-setup check the machine again, and review the new plan.",
        )
    # What is no UTF-8 is no letter of the new content either: no line of it passes for another.
    old = "" if found is None else found[0].decode("utf-8", "surrogateescape")
    try:
        refuse_lines(path, old, wanted["content"])
    except Wrong as error:
        raise _surprise(str(error)) from None
    if found is None:
        return [("remove_ours", path, sha256(data))]
    spot = step.spot(name)
    write_whole(step.run.backup, spot, found[0], like(found[1]))
    with place_at(path) as (folder, _):
        copy_attributes(folder, name, step.run.backup, spot)
    kept = "{}/backup/{}".format(step.run.path, spot)
    return [("restore", kept, path, sha256(data), sha256(found[0]))]


def _spot_of(undo: Sequence[Call]) -> Dict[str, str]:
    """Where the backup has what was there before."""
    return {"kept": undo[0][1]} if undo[0][0] == "restore" else {}


def _loader_call(path: str) -> List[Call]:
    return [("loader",)] if path.startswith(LOADER_FOLDER + "/") else []


def refresh_loader(path: str) -> None:
    """Let the dynamic linker see a change in its folders."""
    if path.startswith(LOADER_FOLDER + "/"):
        ended = run(("ldconfig",))
        if ended.code != 0:
            raise explain(ended)


def set_aside(wanted: Dict[str, Any], step: Step) -> str:
    """Move a file or tree into the backup; a tree stays on its own file system."""
    path = wanted["path"]
    with place_at(path) as (folder, name):
        if look(folder, name) is None:
            if find_kept(path, step, other_runs=False):
                return "{} is already in the backup".format(path)
            raise Trouble(
                "{} does not exist.".format(path),
                "This file or folder was moved or removed after the plan was made.",
                "Have rdna1-setup check the machine again, and review the new plan.",
            )
        if path.startswith(TREES + "/"):
            refuse_owned(path)
        spot = step.spot(name)
        kept = "{}/backup/{}".format(step.run.path, spot)
        parked = "{}/.rdna1-setup-{}".format(os.path.dirname(path), step.run.name)
        undo: List[Call] = [("move_back", kept, "{}/{}".format(parked, spot), path)]
        step.intend(
            {"kept": kept, "parked": "{}/{}".format(parked, spot)}, [*undo, *_loader_call(path)]
        )
        if not move_entry(folder, name, step.run.backup, spot):
            _park(folder, name, parked, spot)
    refresh_loader(path)
    if exists(path):
        raise Trouble(
            "{} exists again.".format(path),
            "Another program is creating the same path at the same time.",
            "Find out which program is interfering, then run the same step again.",
        )
    return "{} is in the backup".format(path)


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
        "{} cannot be moved within its own folder.".format(name),
        "It is the mount point of a separate file system, or is in a lower layer of an overlay.",
        "Unmount the file system, or make a plan without this step.",
    )


def refuse_owned(path: str) -> None:
    """Raise Trouble when a package has something at or below a path."""
    real = os.path.realpath(path)
    seen: Dict[str, str] = {}
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


def _is_within(line: str, path: str, real: str, seen: Dict[str, str]) -> bool:
    """True for a listed path that is or lies below a tree, by its name or by where it leads."""
    if line == path or line.startswith(path + "/"):
        return True
    parent, _, name = line.rpartition("/")
    if parent not in seen:
        seen[parent] = os.path.realpath(parent)
    place = "{}/{}".format(seen[parent], name)
    return place == real or place.startswith(real + "/")


class Kept(NamedTuple):
    """Something in a backup."""

    place: str
    ours: str
    """Hash of what we wrote in its stead; empty where nothing was."""


def find_kept(path: str, step: Step, other_runs: bool = True) -> Optional[Kept]:
    """What the user's backups have of a path, this run's first, then the newest."""
    if not other_runs:
        return _kept_in(step.run.intents(), path)
    found = (_kept_in(intents, path) for intents in _all_intents(step, of_others=False))
    return next((kept for kept in found if kept is not None), None)


def _records_in(folder: int) -> List[Dict[str, Any]]:
    try:
        journal = os.open("journal.jsonl", READ, dir_fd=folder)
    except FileNotFoundError:
        return []
    try:
        return read_lines(journal)
    finally:
        os.close(journal)


def _kept_in(intents: Sequence[Dict[str, Any]], path: str) -> Optional[Kept]:
    for intent in reversed(intents):
        if intent["path"] == path and intent["verb"] in ("set_aside", "write_file"):
            noted = intent["noted"]
            for place in (noted.get("kept", ""), noted.get("parked", "")):
                if place and exists(place):
                    return Kept(place, noted.get("ours", ""))
    return None


def put_back(wanted: Dict[str, Any], step: Step) -> str:
    """Move what was set aside back to its place; what we wrote there goes into the backup."""
    path = wanted["path"]
    own = find_kept(path, step, other_runs=False)
    kept = own or find_kept(path, step)
    if kept is None:
        if exists(path) and _was_never_replaced(path, step):
            return "{} is already in its place".format(path)
        raise Trouble(
            "No backup contains {}.".format(path),
            "This file or folder was never moved, has already been restored, or belongs to "
            "another user's run.",
            "See the list of runs (`rdna1-setup rollback --list`).",
        )
    with place_at(path) as (folder, name), place_at(kept.place) as (backup, spot):
        present = look(folder, name)
        if present is not None and _is_copy_of(folder, name, backup, spot):
            return "{} is already in its place".format(path)
        ours = step.spot(name)
        if present is not None:
            _refuse_changed(folder, name, path, kept)
        aside = "{}/backup/{}".format(step.run.path, ours)
        content = "any" if own else _content_in(backup, spot)
        undo: List[Call] = [("put_away", path, kept.place, content)]
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
    return "{} is back in its place".format(path)


def _content_in(folder: int, name: str) -> str:
    """What ``content_of`` in UNDO.sh says of the same thing."""
    seen = os.stat(name, dir_fd=folder, follow_symlinks=False)
    if stat.S_ISLNK(seen.st_mode):
        return os.readlink(name, dir_fd=folder)
    return _hash_of(folder, name) if stat.S_ISREG(seen.st_mode) else ""


def _is_copy_of(folder: int, name: str, backup: int, spot: str) -> bool:
    """True where it was kept, and not written over any more."""
    form = _form_in(folder, name)
    return form is not None and form == _form_in(backup, spot)


def _form_in(folder: int, name: str) -> Optional[Tuple[str, int, int, int]]:
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


def _newest_intent(path: str, step: Step) -> Optional[Dict[str, Any]]:
    """The last that was noted of a path, in this run or else in the newest other one."""
    for intents in _all_intents(step, of_others=True):
        for intent in intents[::-1]:
            if intent["path"] == path:
                return intent
    return None


def _all_intents(step: Step, of_others: bool) -> Iterator[Sequence[Dict[str, Any]]]:
    """Of this run first, then of the newest; of other users' runs too where that is asked."""
    yield step.run.intents()
    with folder_at(RUNS) as runs:
        names = sorted(os.listdir(runs), reverse=True)
    for name in names:
        if RUN.fullmatch(name) and name != step.run.name:
            with folder_at("{}/{}".format(RUNS, name)) as folder:
                if of_others or is_run_of(step.person, folder):
                    yield [r for r in _records_in(folder) if r.get("event") == "intent"]


def _refuse_changed(folder: int, name: str, path: str, kept: Kept) -> None:
    present = read_file(folder, name, LONGEST_CONTENT * 4)
    if present is None or not kept.ours or sha256(present[0]) != kept.ours:
        raise Trouble(
            "{} exists again, and rdna1-setup did not create it.".format(path),
            "Another file has since been created at the same path, and rdna1-setup left it alone.",
            "The old file is at {}. Move one of the two files elsewhere yourself.".format(
                kept.place
            ),
        )


def members_of(user: str) -> Set[str]:
    """Names of the groups that have a user, by the system's lists."""
    return {entry.gr_name for entry in grp.getgrall() if user in entry.gr_mem}


def join_groups(wanted: Dict[str, Any], step: Step) -> str:
    """Add the user to groups; it counts from the next login."""
    user = wanted["user"]
    known = {entry.gr_name for entry in grp.getgrall()}
    if lost := [group for group in wanted["groups"] if group not in known]:
        raise Trouble(
            "There is no {} group on this system.".format(lost[0]),
            "The system normally creates this group together with the device files for graphics "
            "cards.",
            "Create the group (`sudo groupadd --system {}`), then run the step again.".format(
                lost[0]
            ),
        )
    missing = sorted(set(wanted["groups"]) - members_of(_known_user(user)))
    if missing:
        step.intend({"groups": missing}, [("leave", user, group) for group in missing])
        ended = run(("usermod", "-a", "-G", ",".join(missing), user))
        if set(missing) - members_of(user):
            raise _not_in_groups(user, ended)
    return "{} is in {}, effective from the next login".format(user, " and ".join(wanted["groups"]))


def leave_groups(wanted: Dict[str, Any], step: Step) -> str:
    """Take the user out of groups; it counts from the next login."""
    user = wanted["user"]
    present = sorted(set(wanted["groups"]) & members_of(_known_user(user)))
    if present:
        step.intend({"groups": present}, [("join", user, group) for group in present])
        for group in present:
            ended = run(("gpasswd", "-d", user, group))
            if group in members_of(user):
                raise _not_in_groups(user, ended)
    return "{} is not in {}".format(user, " or ".join(wanted["groups"]))


def _known_user(user: str) -> str:
    try:
        return pwd.getpwnam(user).pw_name
    except KeyError:
        raise Trouble(
            "There is no user {} on this system.".format(user),
            "Only an existing user can be added to a group.",
            "Check the name.",
        ) from None


def _not_in_groups(user: str, ended: Ended) -> Trouble:
    return Trouble(
        "The groups of {} could not be changed: {}".format(user, ended.output.strip()[:300]),
        "The account may come from a directory server, which manages its groups.",
        "Ask your administrator to change the groups, or edit /etc/group yourself.",
    )


def mark(wanted: Dict[str, Any], step: Step) -> str:
    """Tell apt which packages were asked for and which are mere dependencies."""
    present = packages()
    architecture = native()
    named_here = {how: [bare(n, architecture) for n in wanted[how]] for how in ("auto", "manual")}
    lost = [n for names in named_here.values() for n in names if n not in present]
    if lost:
        raise Trouble(
            "{} is not installed.".format(", ".join(lost[:5])),
            "apt keeps such marks only for installed packages.",
            "Have rdna1-setup check the machine again, and review the new plan.",
        )
    auto = automatic()
    to_auto = [name for name in named_here["auto"] if name not in auto]
    to_manual = [name for name in named_here["manual"] if name in auto]
    wait_for_locks(step)
    undo: List[Call] = []
    undo += [("mark", "manual", *to_auto)] if to_auto else []
    undo += [("mark", "auto", *to_manual)] if to_manual else []
    if undo:
        step.intend({}, undo)
    for how, names in (("auto", to_auto), ("manual", to_manual)):
        if names:
            ended = run(("apt-mark", how, *names))
            now = automatic()
            if any((name in now) != (how == "auto") for name in names):
                raise explain(ended)
    return "{} changed".format(counted(len(to_auto) + len(to_manual), "mark"))


def configure(_: Dict[str, Any], step: Step) -> str:
    """Let dpkg finish what an interruption left half done."""
    wait_for_locks(step)
    step.intend({}, ())
    for call in finishing(packages()):
        ended = step.follow(call, CHANGE_DEADLINE_S)
        if ended.code != 0:
            raise explain(ended)
    # What a later step brings or removes, that step makes whole.
    changes = [each.arguments["expect"] for each in step.later if each.verb == "apt_change"]
    later = set().union(*map(touched_by, changes))
    present = [pair for pair in packages().items() if pair[0] not in later]
    unfinished = [n for n, p in present if p.state not in "ic" or p.broken]
    modules = [name for name in unfinished if DKMS.fullmatch(name)]
    left = [name for name in unfinished if name not in modules]
    refuse_interrupted()
    if left:
        raise Trouble(
            "dpkg succeeded, but {} is still half installed.".format(", ".join(left[:8])),
            "An installation or removal was interrupted, and dpkg cannot finish it on its own.",
            "Run `sudo apt-get install --reinstall {0}`. If no archive has the package, run "
            "`sudo dpkg "
            "--remove --force-remove-reinstreq {0}`.".format(" ".join(left[:8])),
        )
    but = ", except {}, which would build a kernel module".format(", ".join(modules))
    return "every package is configured" + (but if modules else "")


SNAPSHOTS = {
    "timeshift": (
        ("timeshift", "--create", "--scripted", "--comments"),
        ("timeshift", "--list", "--scripted"),
    ),
    "snapper": (
        ("snapper", "-c", "{config}", "create", "--print-number", "--description"),
        ("snapper", "-c", "{config}", "--csvout", "list", "--columns", "number,description"),
    ),
}
"""How each tool makes a snapshot, before its name, and how it lists those that there are."""


def snapshot(wanted: Dict[str, Any], step: Step) -> str:
    """Let the user's own tool make a snapshot; it is there when the tool lists it."""
    tool, name = wanted["tool"], "before rdna1-setup {}".format(step.run.name)
    make, lists = (
        tuple(word.format(config=wanted["config"]) for word in words) for words in SNAPSHOTS[tool]
    )
    if shutil.which(tool, path=ENVIRONMENT["PATH"]) is None:
        raise Trouble(
            "{} is not installed.".format(tool),
            "This tool is needed to make a snapshot before anything is changed. Nothing was "
            "changed.",
            "Install the snapshot tool, or start again without a snapshot.",
        )
    said = ""
    if name not in run(lists).output:
        step.intend({}, ())
        said = step.follow((*make, name), CHANGE_DEADLINE_S).output.strip()
        if name not in run(lists).output:
            raise Trouble(
                "{} made no snapshot: {}".format(tool, said[-300:] or "it printed nothing."),
                "The tool's list has no snapshot named '{}'. Nothing else was changed.".format(
                    name
                ),
                "Try to create a snapshot yourself (`sudo {}`), or start again without one.".format(
                    " ".join(shlex.quote(word) for word in (*make, "test"))
                ),
            )
    return "{} has the snapshot '{}', which is kept until you delete it".format(tool, name)


ACTIONS: Dict[str, Callable[[Dict[str, Any], Step], Union[str, Tuple[str, Dict[str, Any]]]]] = {
    "apt_update": apt_update,
    "apt_change": apt_change,
    "keep_debs": keep_debs,
    "write_file": write_file,
    "set_aside": set_aside,
    "put_back": put_back,
    "join_groups": join_groups,
    "leave_groups": leave_groups,
    "mark": mark,
    "configure": configure,
    "restore_settings": restore_settings,
    "snapshot": snapshot,
}


GONE = "These packages are removed permanently, because no package file is kept for them:"


def describe(request: Request) -> List[str]:
    """A request as the terminal shows it; everything in it was checked to be plain text."""
    wanted = request.arguments
    if request.verb == "apt_change":
        expect = wanted["expect"]
        there = replaced(wanted, packages())
        return [
            "change packages{}".format(" (settings too)" if wanted["purge"] else ""),
            *_listed("install", ("{}={}".format(*package) for package in expect["install"])),
            *_listed("in place of", ("{}={}".format(*each) for each in there)),
            *_listed("remove", expect["remove"]),
            *_listed(
                "mark as installed by you",
                (
                    "{}={}".format(*package)
                    for package in wanted["install"]
                    if package not in expect["install"]
                ),
            ),
            *("    from the file {}".format(ascii(path)) for path, _ in wanted["debs"]),
            *_listed(GONE, ("{}={}".format(*package) for package in wanted["for_good"])),
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


def mode_in_words(wanted: Dict[str, Any]) -> str:
    """The permissions of a file where they are not the usual ones, or not those that it has."""
    try:
        found = read_at(wanted["path"])
    except (OSError, Trouble):
        found = None
    was = wanted["mode"] if found is None else stat.S_IMODE(found[1].st_mode)
    if was != wanted["mode"]:
        return " (mode {:04o}, now {:04o})".format(wanted["mode"], was)
    return "" if was == 0o644 else " (mode {:04o})".format(was)


def edited(path: str, content: str) -> List[str]:
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
    return ["    {} {}".format(row[0], row[1:]).rstrip() for row in shown_rows]


def _exchanged_keys(old: str, new: str) -> List[str]:
    before, after = fingerprints(old), fingerprints(new)
    if old and not before:
        before = ["(the existing file cannot be read as a key)"]
    gone = ["    - key {}".format(key) for key in before if key not in after]
    return gone + ["    + key {}".format(key) for key in after if key not in before]


def _changed_stanzas(rows: Sequence[str]) -> List[str]:
    """The stanzas of a comparison in which something changes."""
    kept: List[str] = []
    stanza: List[str] = []
    for row in [*rows, " "]:
        stanza.append(row)
        if row == " ":
            kept += stanza[:-1] if any(each[0] != " " for each in stanza) else []
            stanza = []
    return kept


def _listed(title: str, names: Iterable[str]) -> List[str]:
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
        "rdna1-setup asks to do exactly this as root (digest {}):".format(plan.digest),
    ]
    for number, request in enumerate(plan.steps, 1):
        first, *rest = describe(request)
        lines += ["{:3d}. {}".format(number, first), *rest]
    lines += ["To undo it without rdna1-setup: {}/{}/UNDO.sh".format(RUNS, plan.run), ""]
    whole = "\n".join(lines)
    if len(whole) > LONGEST_SHOWN:
        raise Wrong("it is too long to read ({} characters)".format(len(whole)))
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
        raise _refusal("The plan", error) from None
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
        "The confirmation question could not be shown in the terminal: {}.".format(error.args[-1]),
        "The terminal was closed, or another program is using it. Nothing was changed.",
        "Start rdna1-setup again in a separate terminal window, and leave it open until you have "
        "answered the question.",
    )


def who_asks(environ: Dict[str, str]) -> Person:
    """The user behind sudo, or root."""
    number = environ.get("SUDO_UID", "0")
    try:
        entry = pwd.getpwuid(int(number if re.fullmatch(r"[0-9]{1,10}", number) else "-1"))
    except (KeyError, OverflowError):
        raise Trouble(
            "sudo was started by a user that this system does not know ({}).".format(number[:20]),
            "The user who started sudo would not be able to see what is happening. Nothing was "
            "changed.",
            "Log in as an ordinary user, then start rdna1-setup.",
        ) from None
    return Person(entry.pw_name, entry.pw_uid, entry.pw_gid, through_sudo="SUDO_UID" in environ)


ENDLESS = resource.RLIM_INFINITY
LIMITS = (
    (resource.RLIMIT_FSIZE, ENDLESS, ENDLESS),
    (resource.RLIMIT_CPU, ENDLESS, ENDLESS),
    (resource.RLIMIT_AS, ENDLESS, ENDLESS),
    (resource.RLIMIT_DATA, ENDLESS, ENDLESS),
    (resource.RLIMIT_NPROC, ENDLESS, ENDLESS),
    (resource.RLIMIT_STACK, 8 << 20, ENDLESS),
    (resource.RLIMIT_NOFILE, 1024, 65536),
)
"""A user's own could stop dpkg half way."""


def settle_down() -> None:
    """Leave behind whatever the caller's surroundings could do to us."""
    for descriptor in (0, 1, 2):  # else a file of ours would become standard output
        try:
            os.fstat(descriptor)
        except OSError:
            hang_up(descriptor)
    os.closerange(3, 65536)
    _take_own_end(1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would make every exit code a 0
    os.environ.clear()
    os.environ.update(ENVIRONMENT)
    os.chdir("/")
    os.umask(0o022)
    for limit, soft, hard in LIMITS:
        _lift(limit, soft, hard)
    # Else dpkg could be the first that a lack of memory ends.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "wb") as file:
        file.write(b"0")


def _lift(limit: int, soft: int, hard: int) -> None:
    """Set a limit, or in a container that forbids it what it still allows."""
    try:
        resource.setrlimit(limit, (soft, hard))
    except (OSError, ValueError):
        most = resource.getrlimit(limit)[1]
        within = most if soft == ENDLESS or soft > most != ENDLESS else soft
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(limit, (within, most))


def _take_own_end(descriptor: int) -> None:
    """Open a pipe anew: whoever shares the other description could make it one that waits."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISSOCK(mode):  # which cannot be opened anew
        hang_up(descriptor)
    elif stat.S_ISFIFO(mode):
        flags = os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC
        with contextlib.suppress(OSError):  # nobody reads it, or there is no /proc
            own = os.open("/proc/self/fd/{}".format(descriptor), flags)
            os.dup2(own, descriptor)
            os.close(own)


class Commands:
    """Lines from standard input; what does not end within the limit is no line of ours."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._unread = b""

    def line(self, longest: int, deadline_s: Optional[float] = None) -> Optional[bytes]:
        """The next line, or None at the end of the input; raises Wrong for a line without end."""
        limit = None if deadline_s is None else time.monotonic() + deadline_s
        while b"\n" not in self._unread:
            left = None if limit is None else max(0.0, limit - time.monotonic())
            if not select.select((self._descriptor,), (), (), left)[0]:
                raise Wrong("it did not arrive in time")
            chunk = os.read(self._descriptor, 65_536)
            if not chunk:
                return None
            self._unread += chunk
            if len(self._unread) > longest and b"\n" not in self._unread[: longest + 1]:
                raise Wrong("a line is longer than {} bytes".format(longest))
        line, self._unread = self._unread.split(b"\n", 1)
        return line


def read_command(line: bytes, steps: int) -> int:
    """The number of the step that a line asks for, 0 to end; raises Wrong."""
    command = strict_json(line)
    if command == {"end": True} and command["end"] is True:
        return 0
    number = command.get("do") if type(command) is dict and len(command) == 1 else None
    if type(number) is not int or not 1 <= number <= steps:
        raise Wrong("it is neither a step of this plan nor the end")
    return number


def carry_out(step: Step) -> bool:
    """Carry one step out, True when it is done; what comes of it is told, and never raised."""
    step.run.tell("started", step=step.number)
    try:
        result = ACTIONS[step.request.verb](step.request.arguments, step)
        outcome, more = result if isinstance(result, tuple) else (result, {})
        step.run.note("outcome", step=step.number, request=step.request.digest, outcome=outcome)
    except Trouble as trouble:
        _fail(step, trouble)
    except OSError as error:
        _fail(step, as_trouble(error))
    except Exception as error:  # a fault of ours must not leave the wizard without an answer
        _fail(
            step,
            Trouble(
                "The root helper has a bug: {}: {}".format(type(error).__name__, error)[:400],
                "This is a bug in rdna1-setup. The journal lists every change that was started.",
                "Please report this bug. {}/UNDO.sh undoes this run.".format(step.run.path),
            ),
        )
    else:
        step.run.tell("done", step=step.number, outcome=outcome, **more)
        return True
    return False


def _fail(step: Step, trouble: Trouble) -> None:
    with contextlib.suppress(OSError):  # a full disk; the intent is there
        step.run.note("failure", step=step.number, happened=trouble.happened)
    step.run.tell("failed", step=step.number, **trouble.told())


def serve(plan: Plan, run_: Run, lock: Lock, person: Person, commands: Commands) -> None:
    """Carry out the steps that are asked for, until the input ends."""
    pid = os.getpid()
    lock.hold(pid)
    begun = begun_at(pid)
    run_.tell(
        "ready", digest=plan.digest, folder=run_.path, pid=pid, begun=begun, protocol=PROTOCOL
    )
    while True:
        try:
            line = commands.line(LONGEST_COMMAND)
            number = 0 if line is None else read_command(line, len(plan.steps))
        except Wrong as error:
            run_.tell("failed", step=0, **_refusal("A command", error).told())
            return
        except OSError:
            return
        if number == 0:
            return
        later = plan.steps[number:]
        carry_out(Step(run_, lock, person, number, plan.steps[number - 1], later))


def _refusal(what: str, error: Wrong) -> Trouble:
    return Trouble(
        "{} was refused: {}.".format(what, error),
        "The root helper does only what is known to be safe. It changed nothing.",
        "This is a bug in rdna1-setup, or another program is communicating with its root helper. "
        "Please report it.",
    )


def prepare(commands: Commands, person: Person) -> Tuple[Plan, Run, Lock]:
    """Everything up to the typed yes; raises Trouble for whatever is refused."""
    if os.geteuid() != 0:
        raise Trouble(
            "The root helper was not started as root.",
            "The root helper makes changes that only root can make.",
            "Start rdna1-setup as usual. It starts the root helper through sudo.",
        )
    try:
        line = commands.line(LONGEST_PLAN, PLAN_DEADLINE_S)
        if line is None:
            raise Wrong("none was sent")
        plan = read_plan(line, person)
    except Wrong as error:
        raise _refusal("The plan", error) from None
    try:
        lock = Lock()
        confirm(plan, person)
        run_ = open_run(plan.run, person)
        requests = [[request.verb, request.digest] for request in plan.steps]
        run_.note("begin", schema=PROTOCOL, digest=plan.digest, user=person.uid, steps=requests)
        run_.write_undo(run_.intents())
    except OSError as error:
        raise as_trouble(error) from None
    except KeyboardInterrupt:
        raise Trouble(
            "The plan was not confirmed.",
            "Nothing was changed.",
            "Start rdna1-setup again when you are ready.",
        ) from None
    return plan, run_, lock


def detach() -> bool:
    """True in the process that goes on by itself; False in the one that sudo waits for.

    While sudo waits it reads the terminal, which the wizard needs back; and it ends what it
    started when it is ended itself.
    """
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGTSTP):
        # A handler and not SIG_IGN, which programs that we start would inherit.
        signal.signal(number, lambda *_: None)
    if os.fork():
        return False
    os.setsid()
    hang_up(2)
    return True


def speak_utf8() -> None:
    """Start anew where the caller's language writes letters otherwise: names of files are bytes."""
    if sys.getfilesystemencoding() != "utf-8":
        own = os.path.abspath(__file__)
        os.execv(sys.executable, (sys.executable, "-I", "-X", "utf8", own))  # noqa: S606


def main() -> int:
    """Check, ask, hand over; the other process serves until the input ends."""
    speak_utf8()
    environ = dict(os.environ)
    settle_down()
    commands = Commands(0)
    try:
        person = who_asks(environ)
        plan, run_, lock = prepare(commands, person)
    except Trouble as trouble:
        send(1, dict(trouble.told(), event="refused"))
        return 2
    if detach():
        serve(plan, run_, lock, person, commands)
    return 0


if __name__ == "__main__":
    sys.exit(main())
