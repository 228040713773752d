"""Puts stand-ins where a record would name its owner: the same one at every place."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wizard.apt.packages import NATIVE, is_rocm
from wizard.apt.sources import LISTS
from wizard.core.fact import Fact, known
from wizard.host.accounts import Account
from wizard.host.host import Host
from wizard.machine.facts import Machine
from wizard.redaction import rules
from wizard.redaction.names import GROUP, STRANGERS, is_telling
from wizard.redaction.rules import StandIns

OWNER = "owner"
HOME = "/home/owner"
MACHINE = "this-machine"
HOST_NAME_FILES = ("/proc/sys/kernel/hostname", "/etc/hostname", "/etc/machine-info")
KERNEL_FOLDERS = ("/sys/", "/proc/", "/dev/")
"""Their names are the kernel's own; the owner does not choose them."""
RULES = (*rules.SECRET_RULES, *rules.NUMBER_RULES, rules.CHANCE, *STRANGERS)
"""As of a report; the names of this machine's people are known and looked for before."""
ORDINARY = range(1000, 65_000)
"""Numbers of the accounts of people."""


@dataclass(frozen=True, slots=True)
class Disguise:
    """What stands for what in one record."""

    user: str
    home: str
    owner: str
    """Stands for the user; root stays root, since that names nobody."""
    new_home: str
    names: tuple[tuple[str, str], ...]
    """Every name of a person or of the machine, and its stand-in."""

    used: StandIns = field(default_factory=StandIns)
    _known: dict[str, str] = field(default_factory=dict)
    """What was looked through: paths come again and again."""

    def text(self, text: str) -> str:
        """The text without secrets, numbers of this machine, servers, home and names."""
        if text not in self._known:
            left = self._unnamed(self._moved(text))
            self._known[text] = self.used.applied(RULES, left)
        return self._known[text]

    def path(self, path: str) -> str:
        """Where something of the machine lies in the record."""
        if path.startswith(f"{LISTS}/"):  # apt begins these names with the server
            server, mark, rest = path[len(LISTS) + 1 :].partition("_")
            told = self.text(f"http://{server}/")[len("http://") : -1] if mark else server
            return f"{LISTS}/{told}{mark}{self.text(rest)}"
        return path if path.startswith(KERNEL_FOLDERS) else self.text(path)

    def user_name(self, name: str) -> str:
        """The name of an account."""
        return self.owner if name == self.user else self._unnamed(name)

    def group(self, name: str) -> str:
        """The name of a group; a group of everybody's keeps its name, whoever is called so."""
        return self.used.applied((GROUP,), self._unnamed(name))

    def shortened(self, path: str) -> str:
        """The path with ``~`` for the home folder, as the rules name it."""
        inside = path == self.home or path.startswith(f"{self.home}/")
        return f"~{path[len(self.home) :]}" if inside and len(self.home) > 1 else path

    def _moved(self, text: str) -> str:
        if len(self.home) < 2:
            return text
        return re.sub(rf"{re.escape(self.home)}(?![\w.-])", self.new_home, text)

    def _unnamed(self, text: str) -> str:
        for name, stand_in in self.names:
            text = re.sub(
                rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", stand_in, text, flags=re.IGNORECASE
            )
        return text


def disguise_of(host: Host) -> Disguise:
    """The disguise that this machine needs."""
    found = dict.fromkeys(host_names(host), MACHINE)
    others = 0
    for name, number, comment in people_in(host.read("/etc/passwd")):
        if number == host.uid or name == host.user:
            found.update(dict.fromkeys(names_of(name, comment), OWNER))
        elif number in ORDINARY:
            others += 1
            found.update(dict.fromkeys(names_of(name, comment), f"other{others}"))
    found[host.user] = OWNER
    told = [(name, stand_in) for name, stand_in in found.items() if is_telling(name)]
    told.sort(key=lambda pair: -len(pair[0]))  # a longer name first: it may hold a shorter one
    is_root = host.uid == 0
    return Disguise(
        user=host.user,
        home=host.home,
        owner=host.user if is_root else OWNER,
        new_home=host.home if is_root else HOME,
        names=tuple(told),
    )


def host_names(host: Host) -> list[str]:
    """What this machine is called, whole and up to the first dot."""
    names: list[str] = []
    for path in HOST_NAME_FILES:
        lines = known(host.read(path), "").splitlines()
        names += [line.rpartition("=")[2].strip("\"' ") for line in lines]
    return names + [name.partition(".")[0] for name in names]


def people_in(passwd: Fact[str]) -> list[tuple[str, int, str]]:
    """Name, number and comment of each account."""
    rows = [line.split(":") for line in known(passwd, "").splitlines()]
    return [
        (row[0], int(row[2]), row[4])
        for row in rows
        if len(row) == 7 and row[2].isdecimal() and len(row[2]) < 12
    ]


def names_of(name: str, comment: str) -> list[str]:
    """The login name, the full name and its parts."""
    full = comment.partition(",")[0].strip()
    return [name, *([full] if " " in full else []), *re.findall(r"[^\W\d_]+", full)]


PASSWD_FILE, GROUP_FILE = "/etc/passwd", "/etc/group"
GROUPS = frozenset({"render", "video"})
"""Groups that own the GPU's devices: they matter whoever is in them."""


def is_account_file(path: str) -> bool:
    """True for the files that ``account_file`` reduces."""
    return path in (PASSWD_FILE, GROUP_FILE)


def account_file(path: str, text: str, own: Account, disguise: Disguise) -> bytes:
    """The own row of ``/etc/passwd``, or the rows of ``/etc/group`` that bear on us."""
    rows = [line.split(":") for line in text.splitlines()]
    kept: list[tuple[str, ...]] = []
    for row in rows:
        if path == PASSWD_FILE and len(row) == 7 and row[0] == own.name:
            # Number and groups; not the password, the full name or the shell.
            name, home = disguise.user_name(row[0]), disguise.text(row[5])
            kept.append((name, "x", row[2], row[3], "", home, "/bin/sh"))
        elif path == GROUP_FILE and len(row) == 4:
            members = row[3].split(",")
            if row[0] in GROUPS or row[2] == own.group or own.name in members:
                member = disguise.owner if disguise.user in members else ""
                kept.append((disguise.group(row[0]), "x", row[2], member))
    return "".join(f"{':'.join(row)}\n" for row in kept).encode()


PYTHON = re.compile(r"(?:lib)?python3(?:\.\d+)?(?:-venv|-pip|-minimal|-full)?")
INSTALLED = ("", "ii", "hi")
KNOWN_MAKER = re.compile(
    r"\b(?:amd\.com|advanced micro devices|debian\.org|ubuntu\.com|fedoraproject|fedora project"
    r"|linuxmint\.com)",
    re.IGNORECASE,
)


def kept_rows(listing: str, machine: Machine, disguise: Disguise) -> list[str]:
    """Rows of ROCm, of Python, and of everything that is not fully installed."""
    named = {package.name for package in known(machine.rocm_packages, ())}
    kept = []
    for row in (line.split("\t") for line in listing.splitlines()):
        name = row[0].removesuffix(NATIVE)
        state = row[2].strip() if len(row) > 2 else ""
        unfinished = state not in INSTALLED and state[1:2] not in ("n", "c")
        if len(row) > 1 and (
            unfinished or name in named or is_rocm(row[0]) or PYTHON.fullmatch(name)
        ):
            # Of the maker only the words that everybody knows.
            makers = [" ".join(KNOWN_MAKER.findall(maker)) for maker in row[3:4]]
            kept.append("\t".join((*map(disguise.text, row[:3]), *makers)))
    return kept
