"""What may be asked for: the verbs, and the check of each of their arguments."""

from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any, Callable, Iterable, NamedTuple

from assets.root.places import LONGEST_CONTENT, NAME, place_of, refuse_lines
from assets.root.trouble import Wrong

PROTOCOL = 1
LONGEST_PLAN = 4 << 20
MOST_STEPS = 500
MOST_PACKAGES = 5000


class Request(NamedTuple):
    """One verb with arguments that were checked."""

    verb: str
    arguments: dict[str, Any]

    @property
    def digest(self) -> str:
        """The same for the same request, in any session."""
        form = json.dumps([self.verb, self.arguments], sort_keys=True)
        return hashlib.sha256(form.encode()).hexdigest()


class Plan(NamedTuple):
    """The first line that comes in."""

    run: str
    steps: tuple[Request, ...]
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
GROUP = re.compile("render|video")
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
        raise Wrong(f"it is not JSON ({str(error)[:80]})") from None


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
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
        raise Wrong(f"its schema is not {PROTOCOL}")
    if type(plan.get("yes", False)) is not bool:
        raise Wrong("yes is not true or false")
    try:
        name = matching(RUN)(plan["run"])
    except Wrong as error:
        raise Wrong(f"run: {error}") from None
    steps = plan["steps"]
    if type(steps) is not list or not 0 < len(steps) <= MOST_STEPS:
        raise Wrong(f"there must be 1 to {MOST_STEPS} steps")
    requests = []
    for number, step in enumerate(steps, 1):
        try:
            requests.append(read_request(step, person))
        except Wrong as error:
            raise Wrong(f"step {number}: {error}") from None
    digest = hashlib.sha256(line.rstrip(b"\n")).hexdigest()[:12]
    return Plan(name, tuple(requests), digest, plan.get("yes", False))


def read_request(request: Any, person: Person) -> Request:
    """One request, its arguments checked; raises Wrong."""
    verb, checks = shape_of(request)
    arguments = {}
    for name, check in checks.items():
        try:
            arguments[name] = check(request[name])
        except Wrong as error:
            raise Wrong(f"{name} of {verb}: {error}") from None
    if verb in WHOLE:
        WHOLE[verb](arguments, person)
    return Request(verb, arguments)


def shape_of(request: Any) -> tuple[str, dict[str, Check]]:
    """The verb of a request and the checks of its arguments; raises Wrong unless all are there."""
    if type(request) is not dict or type(request.get("verb")) is not str:
        raise Wrong("a step is an object with a verb")
    verb = request["verb"]
    if verb not in VERBS:
        raise Wrong("its verb is unknown")
    if set(request) - {"verb"} != set(VERBS[verb]):
        raise Wrong("{} takes exactly {}".format(verb, ", ".join(VERBS[verb]) or "nothing"))
    return verb, VERBS[verb]


def matching(pattern: Any) -> Check:
    """A check: text that matches from its first to its last character."""

    def check(value: Any) -> str:
        if type(value) is not str or len(value) > 4096 or not pattern.fullmatch(value):
            raise Wrong("it does not have the right form")
        return value

    return check


def several(check: Check, most: int = MOST_PACKAGES) -> Check:
    """A check: a list of such values, none of them twice."""

    def check_all(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or len(value) > most:
            raise Wrong(f"it is not a list of at most {most}")
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
        raise Wrong(f"it is not a text of at most {LONGEST_CONTENT} characters")
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


def hash_or_none(value: Any) -> str | None:
    """A check: a SHA-256 in hex, or null."""
    return None if value is None else matching(SHA256)(value)


def pair(value: Any) -> tuple[str, str]:
    """A check: name and version of a package."""
    if type(value) is not list or len(value) != 2:
        raise Wrong("a package is a name and a version")
    return matching(PACKAGE)(value[0]), matching(VERSION)(value[1])


def local_deb(value: Any) -> tuple[str, str]:
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


def expectation(value: Any) -> dict[str, Any]:
    """A check: exactly what apt must mean to do."""
    if type(value) is not dict or set(value) != {"install", "remove"}:
        raise Wrong("it is not an object of install and remove")
    return {
        "install": several(pair)(value["install"]),
        "remove": several(matching(PACKAGE))(value["remove"]),
    }


def allowed_change(arguments: dict[str, Any], _: Person) -> None:
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
            raise Wrong(f"{name} builds a kernel module and is never installed")
    for name in outgoing:
        if NEVER_REMOVED.fullmatch(name):
            raise Wrong(f"{name} is never removed")


def allowed_member(arguments: dict[str, Any], person: Person) -> None:
    """Raise Wrong unless it is about the user who asks, and about at least one group."""
    if person.through_sudo and arguments["user"] != person.name:
        raise Wrong("groups can be changed only for the user who asks")
    if not arguments["groups"]:
        raise Wrong("it names no group")


def allowed_mark(arguments: dict[str, Any], _: Person) -> None:
    """Raise Wrong unless each package is named once."""
    names = [*arguments["auto"], *arguments["manual"]]
    if not names or len(set(names)) != len(names):
        raise Wrong("each package must be named once")


def allowed_snapshot(arguments: dict[str, Any], _: Person) -> None:
    """Raise Wrong unless a configuration is named exactly where the tool has several."""
    if bool(arguments["config"]) != (arguments["tool"] == "snapper"):
        raise Wrong("snapper needs the name of a configuration, and timeshift takes none")


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


def writable(value: Any) -> str:
    """A check: a file in one of the places."""
    if type(value) is not str or len(value) > 300 or place_of(value) is None:
        raise Wrong("writing there is not allowed")
    return value


def allowed_content(arguments: dict[str, Any], _: Person) -> None:
    """Raise Wrong for a new file with a line that may not stand in it.

    What replaces a file is looked at once more beside the file that is really there.
    """
    if arguments["before"] is None:
        refuse_lines(arguments["path"], "", arguments["content"])


NAMES = several(matching(PACKAGE))
VERSIONS = several(pair)
MEMBER = {"user": matching(USER), "groups": several(matching(GROUP), 2)}
VERBS: dict[str, dict[str, Check]] = {
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
    "join_groups": MEMBER,
    "leave_groups": MEMBER,
    "mark": {"auto": NAMES, "manual": NAMES},
    "configure": {},
    "restore_settings": {"run": matching(RUN)},
    "snapshot": {
        "tool": matching(re.compile("timeshift|snapper")),
        "config": matching(re.compile(r"(?:[A-Za-z0-9_][A-Za-z0-9_-]{0,63})?")),
    },
}
"""Everything that can be asked for: the verbs, and the check of each of their arguments."""
WHOLE: dict[str, Callable[[dict[str, Any], Person], None]] = {
    "apt_change": allowed_change,
    "write_file": allowed_content,
    "join_groups": allowed_member,
    "leave_groups": allowed_member,
    "mark": allowed_mark,
    "snapshot": allowed_snapshot,
}
"""Checks of a request as a whole."""


def read_command(line: bytes, steps: int) -> int:
    """The number of the step that a line asks for, 0 to end; raises Wrong."""
    command = strict_json(line)
    if command == {"end": True} and command["end"] is True:
        return 0
    number = command.get("do") if type(command) is dict and len(command) == 1 else None
    if type(number) is not int or not 1 <= number <= steps:
        raise Wrong("it is neither a step of this plan nor the end")
    return number
