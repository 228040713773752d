"""Requests changed by chance: mostly of the right shape, with what an attacker would put there.

Standard library alone: it runs in a root, beside the helper.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any

SOURCE = "/etc/apt/sources.list.d/rdna1-setup-rocm.list"
SOURCE_LINE = (
    "deb [arch=amd64 signed-by=/etc/apt/keyrings/rdna1-setup-rocm.asc] "
    "file:/srv/archive stand-in main\n"
)
KEY = """\
-----BEGIN PGP PUBLIC KEY BLOCK-----

mDMEXgvhABYJKwYBBAHaRw8BAQdAMG084ia/o4TMV+mNJ1TbaSKANGSVCtuYKLvG
uMFSznu0DFZhbGlkICh0ZXN0KYiQBBMWCAA4FiEEkeWScVpWIMpNE4UtBxEmOZ/K
WSsFAl4L4QACGwMFCwkIBwIGFQoJCAsCBBYCAwECHgECF4AACgkQBxEmOZ/KWStk
9gD/d2Wtdi/qRFcQfazISNECHEGbUh020LsZ3mF+4ksdt5wA/RJD7QcdvlFQHtjS
GLpSc/Vz37AzgKgAV3/AmHCQg+QF
=zrSv
-----END PGP PUBLIC KEY BLOCK-----
"""
FILES = (
    (SOURCE, SOURCE_LINE),
    ("/etc/apt/sources.list.d/other.list", f"# ours\n{SOURCE_LINE}"),
    ("/etc/apt/sources.list", "# nothing\n"),
    ("/etc/apt/preferences.d/pin", "Package: *\nPin: release o=stand-in\nPin-Priority: 600\n"),
    ("/etc/apt/keyrings/rocm-second.asc", KEY),
    ("/etc/profile.d/one.sh", "export HSA_OVERRIDE_GFX_VERSION=10.3.0\n"),
    ("/etc/profile.d/two.sh", 'export PATH="$PATH:/opt/rocm/bin"\n'),
    ("/etc/ld.so.conf.d/one.conf", "/opt/rocm-1.0/lib\n"),
    ("/etc/udev/rules.d/70-kfd.rules", 'KERNEL=="kfd", GROUP="render", MODE="0660"\n'),
)
TREES = ("/opt/rocm-left", "/opt/rocm-more", "/opt/amdgpu", "/opt/rocm-1.0")
PACKAGES = ("stand-core", "stand-tool", "stand-spare", "stand-broken", "amdgpu-dkms", "libc6")
VERSIONS = ("1.0", "2.0", "1:3.0-1", "9")
TRAP = "/outside"
NASTY: tuple[Any, ...] = (
    "--purge",
    "-oDPkg::Pre-Invoke::=touch /outside/pwned",
    "-o",
    f"--root={TRAP}",
    "--admindir=/outside",
    f"; touch {TRAP}/pwned;",
    f"$(touch {TRAP}/pwned)",
    f"`touch {TRAP}/pwned`",
    f"| touch {TRAP}/pwned",
    f"stand-core {TRAP}",
    "stand-core-",
    "stand-core+",
    "stand-*",
    "^stand",
    "stand-core/stand-in",
    "./srv/archive/pool/stand-core_1.0_amd64.deb",
    "..",
    "../../outside/precious",
    "/etc/profile.d/../../outside/precious.sh",
    "/etc/apt/sources.list.d/../../../outside/x.list",
    "/opt/rocm/../../outside",
    "/opt/rocm-left/../../outside/precious",
    "/outside/precious",
    "/etc/shadow",
    "/proc/self/fd/1",
    "/dev/null",
    "//etc/profile.d/one.sh",
    "/etc/profile.d/./one.sh",
    "/etc/profile.d/one.sh/",
    "/etc/profile.d/one.sh\x00",
    "/etc/profile.d/\x00.sh",
    "/etc/profile.d/one.sh\n",
    "/etc/profile.d/\u202eone.sh",
    "\x00",
    "\n",
    f"x\ndeb [trusted=yes] file:{TRAP} x main",
    f"\ndeb [trusted=yes] file:{TRAP} ./\n",
    f"\nexport LD_PRELOAD={TRAP}/x.so\n",
    f"\n. {TRAP}/x.sh\n",
    f"\n\u00a0# $(touch {TRAP}/pwned)\n",
    f"\n\u3000#;touch {TRAP}/pwned\n",
    f'\n# "; touch {TRAP}/pwned; "\n',
    f"\nexport HSA_TOOLS_LIB={TRAP}/x.so\n",
    f"\nexport HSA_X=`touch {TRAP}/pwned`\n",
    f'\nKERNEL=="sda", RUN+="{TRAP}/x"\n',
    '\nKERNEL=="sd*", MODE="0666"\n',
    f"\n{TRAP}/lib\n",
    "\r\n",
    "\ud800",
    "\x1b[2J",
    "",
    " ",
    "a" * 5000,
    "/" * 5000,
    "../" * 1500,
    "root",
    "owner\nroot",
    "sudo",
    "render,sudo",
    True,
    False,
    None,
    0,
    -1,
    0o777,
    0o4755,
    0o100644,
    9999999999,
    [],
    {},
    [[]],
    [None],
    ["stand-core"],
    {"verb": "configure"},
    {"path": "/outside/precious"},
)


def pairs(chance: random.Random) -> list[list[str]]:
    """Some packages with versions."""
    names = chance.sample(PACKAGES[:4], chance.randint(0, 2))
    return [[name, chance.choice(VERSIONS[:2])] for name in names]


def apt_change(chance: random.Random) -> dict[str, Any]:
    """A transaction: often one that apt would do, sometimes the one that it would do."""
    install = pairs(chance) or [["stand-core", "1.0"]]
    remove = chance.sample(PACKAGES[:4], chance.randint(0, 1))
    known = {name for name, _ in install}
    remove = [name for name in remove if name not in known]
    return {
        "verb": "apt_change",
        "install": install,
        "remove": remove,
        "purge": chance.random() < 0.5,
        "debs": [],
        "expect": {"install": copy.deepcopy(install), "remove": list(remove)},
        "for_good": [[name, chance.choice(VERSIONS[:2])] for name in remove],
    }


def write_file(chance: random.Random) -> dict[str, Any]:
    """A file of ours, new or over another one."""
    path, content = chance.choice(FILES)
    if chance.random() < 0.3:
        content = chance.choice(FILES)[1]
    before = chance.choice((None, "0" * 64, "current", "current", "current"))
    fields = {"path": path, "content": content, "mode": 0o644, "before": before}
    return {"verb": "write_file", **fields}


def path_of(chance: random.Random) -> str:
    """Something that may be moved; often one of a few, so that it is also moved back."""
    few = (TREES[0], TREES[1], "/etc/profile.d/two.sh")
    return chance.choice(few if chance.random() < 0.6 else (*TREES, *(path for path, _ in FILES)))


def groups(chance: random.Random) -> list[str]:
    """One or both."""
    return chance.sample(("render", "video"), chance.randint(1, 2))


COMMANDS = (
    '{"do": 0}',
    '{"do": -1}',
    '{"do": 100000}',
    '{"do": 1.0}',
    '{"do": true}',
    '{"do": "1"}',
    '{"do": 1, "do": 1}',
    '{"do": 1, "end": true}',
    '{"do": [1]}',
    '{"end": 1}',
    '{"verb": "configure"}',
    "[]",
    "null",
    "\x00",
    "\ud800",
    "[" * 4000,
    "x" * 5000,
)
"""What is no command, as a line."""
BASES: dict[str, tuple[float, Callable[[random.Random], dict[str, Any]]]] = {
    "write_file": (35, write_file),
    "set_aside": (16, lambda chance: {"verb": "set_aside", "path": path_of(chance)}),
    "put_back": (16, lambda chance: {"verb": "put_back", "path": path_of(chance)}),
    "apt_change": (14, apt_change),
    "join_groups": (
        6,
        lambda chance: {"verb": "join_groups", "user": "owner", "groups": groups(chance)},
    ),
    "leave_groups": (
        6,
        lambda chance: {"verb": "leave_groups", "user": "owner", "groups": groups(chance)},
    ),
    "mark": (
        3,
        lambda chance: {
            "verb": "mark",
            "auto": chance.sample(PACKAGES[:3], 1),
            "manual": [],
        },
    ),
    "keep_debs": (2, lambda chance: {"verb": "keep_debs", "packages": pairs(chance)}),
    "apt_update": (0.3, lambda _: {"verb": "apt_update"}),
    "configure": (0.5, lambda _: {"verb": "configure"}),
    "restore_settings": (2, lambda _: {"verb": "restore_settings", "run": "mutated-0"}),
}
"""How often each verb is asked for, and what a good request of it is: all but snapshots, which
need a tool that these roots have not."""


GOOD = 0.3
GOOD_AND_SLOW = 0.05
"""How many are left as they are: apt takes a second for what a file takes a millisecond for."""


def mutated(chance: random.Random) -> tuple[str, str]:
    """A verb, and a request for it in JSON."""
    verbs = tuple(BASES)
    (verb,) = chance.choices(verbs, [BASES[name][0] for name in verbs])
    request = BASES[verb][1](chance)
    kind = chance.random()
    if kind < (GOOD if verb in ("write_file", "set_aside", "put_back") else GOOD_AND_SLOW):
        return verb, json.dumps(request)  # a good one: what was changed before is its background
    if kind < 0.88:
        for _ in range(chance.choice((1, 1, 1, 2, 4))):
            _change_a_value(request, chance)
        return verb, json.dumps(request)
    return verb, _misshapen(request, chance)


def _change_a_value(request: dict[str, Any], chance: random.Random) -> None:
    """Put something nasty in the place of an argument, or into it."""
    places = [place for place in _places(request) if place != (request, "verb")]
    if not places:
        return
    holder, key = chance.choice(places)
    nasty = chance.choice(NASTY)
    value = holder[key]
    if isinstance(value, str) and isinstance(nasty, str) and chance.random() < 0.6:
        at = chance.randint(0, len(value))
        cut = chance.choice((0, 0, 1))
        holder[key] = value[:at] + nasty + value[at + cut :]
    elif isinstance(value, list) and chance.random() < 0.6:
        value.insert(chance.randint(0, len(value)), copy.deepcopy(chance.choice((nasty, *value))))
    else:
        holder[key] = copy.deepcopy(nasty)


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a value below this one: what holds it, and by which key."""
    if isinstance(value, dict):
        keys: list[Any] = list(value)
    elif isinstance(value, list):
        keys = list(range(len(value)))
    else:
        return []
    found = [(value, key) for key in keys if key != "verb"]
    return found + [place for key in keys for place in _places(value[key])]


def _misshapen(request: dict[str, Any], chance: random.Random) -> str:
    """Something that is no request: keys more or less, another verb, or hardly JSON."""
    text = json.dumps(request)
    ways: tuple[Callable[[], str], ...] = (
        lambda: json.dumps({**request, chance.choice(("root", "", "argv", "path")): "/outside"}),
        lambda: json.dumps({k: v for k, v in request.items() if k != chance.choice(list(request))}),
        lambda: json.dumps({**request, "verb": chance.choice(("run", "", "APT_UPDATE", None, []))}),
        lambda: text.replace("{", '{"verb": "configure", ', 1),
        lambda: text[: chance.randint(0, len(text))],
        lambda: "[" * chance.choice((10, 100_000)) + text,
        lambda: '{"verb":' * 50_000,
        lambda: text.replace(":", ": NaN, ", 1),
        lambda: text + text,
        lambda: json.dumps([request]),
        lambda: json.dumps({**request, "mode": 10 ** chance.choice((9, 12, 400))}),
        lambda: "\x00" + text,
    )
    return chance.choice(ways)()
