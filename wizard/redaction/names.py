"""Names of people and of machines as they stand in texts, in each of their spellings."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import quote

from wizard.redaction.rules import STANDS_IN, Rule

SHORTEST = 3
"""A shorter name is part of too many words, and tells nothing."""
COMMON_WORDS = """
    access adm admin algorithm amd amdgpu and arch archlinux at atomics backward bash batch
    bazzite bin bookworm boot build cache cachyos calls card certain check claim class client
    code cold comfyui compute conda config conv conv2d cpu crash crashed data debian default
    desktop detect dev device diagnose diffusion discovery display docker done dri driver
    endeavouros env epyc error etc exit fail failed fault fedora file files findings fine
    finished fish flaky float float16 float32 focal folder for format forward gemm gentoo gfx
    gfx1010 gfx1011 gfx1012 git gpu graphics group groups hang hip home host hosts hsa hung id
    index input int issue issues jammy job json kernel kernels key kfd known kvm laptop lib
    library likely line linear lines linux lists llama local localdomain localhost log logs
    machine machines main manjaro media memory mint miopen mnt mode model models module name
    names native navi navi-10 navi-12 navi-14 navi10 navi12 navi14 net network nixos nobara
    noble nobody node nodes none not number numpy ok ollama one open opensuse operation opt
    other out output owner packages pass path pci pip plan polaris pool pop-os pop_os port
    possible private proc process processes project projects public python radeon rdna rdna1
    render right rocblas rocm rocminfo root rows run runs ryzen secret server set setting
    settings shape shapes share shell site size slot slow src srv stable stack stacks state
    status steam steamdeck steamos step steps store sudo sys system table target test tests text
    the this-machine threadripper time title tmp token torch torchaudio torchvision train
    training triton trixie true tumbleweed ubuntu unfold units unknown unusable user users usr
    uv value values var vega vendor venv verdict version versions video void vram warm warning
    webui wheel wheels wizard work wrong zsh
"""
COMMON = frozenset(COMMON_WORDS.split())
"""Words of every machine and of our own reports; systems, chips and programs after which machines
are called. Who is called so is not told by them, and paths would break."""
_EVERYBODYS = """
    USER _apt adm audio bluetooth cdrom cpu daemon dialout dip disk docker floppy input kvm libvirt
    lp lpadmin lxd netdev nobody nogroup plugdev power render root sambashare scanner sudo sys
    systemd-journal tape tty users uucp video wheel wireshark www-data
    owner linuxbrew runner Shared Public Default
"""
EVERYBODYS = frozenset((*_EVERYBODYS.split(), "All Users"))
"""Groups and accounts of any system, and folders beside the homes of people."""
_DOMAINS = """
    amd.com anaconda.com anaconda.org apache.org archive.org archlinux.org canonical.com
    cmake.org conda.io debian.org docker.com docker.io docs.rs fedoraproject.org freedesktop.org
    ghcr.io github.com github.io githubusercontent.com gitlab.com gnu.org google.com
    googleapis.com home.arpa huggingface.co kernel.org launchpad.net launchpadcontent.net
    linuxmint.com llvm.org man7.org mesa3d.org microsoft.com mozilla.org numpy.org nvidia.com
    opensuse.org pypi.org pypi.python.org python.org pythonhosted.org pytorch.org radeon.com
    readthedocs.io snapcraft.io ubuntu.com
"""
EVERYBODYS_DOMAINS = frozenset(_DOMAINS.split())
"""Who is in one of these is not told by it, and links must stay whole."""


def is_telling(name: str) -> bool:
    """False for a short name and a common word: those stand in texts without naming anybody."""
    return len(name) >= SHORTEST and name.lower() not in COMMON and not name.isdecimal()


USER, HOST, HOME, UID = "USER", "HOST", "~", "UID"
USER_KIND, HOST_KIND, HOME_KIND = "user name", "host name", "home folder"
OTHER_KIND, UID_KIND = "another person's name", "user number"
_BEGIN = r"(?:(?<![^\W_])|(?<=\\[abfnrtv0])|(?<=%[0-9A-Fa-f]{2})|(?<=\d[mK]))"
_END = r"(?![^\W_])"
_I, _M = re.IGNORECASE, re.MULTILINE


def spellings(names: Iterable[str]) -> str:
    """The ways in which programs write names down, as one expression, the longest first."""
    told: dict[str, None] = {}
    for name in names:
        forms = [name, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name)]
        forms += [quote(name), quote(name, safe=""), json.dumps(name)[1:-1]]
        forms += [name.replace(" ", "\\ "), name.replace(" ", "\\040")]
        told |= dict.fromkeys([*forms, name.replace("\\", "\\\\"), name.replace("/", "\\/")])
    return "|".join(map(re.escape, sorted(told, key=len, reverse=True)))


def word(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds each of these names as a word, a full name run together, machines of its domain too."""
    told = [name for name in names if is_telling(name)]
    full = [r"[\s._+-]{0,2}".join(map(re.escape, name.split())) for name in told if " " in name]
    domains = {name.partition(".")[2].lower() for name in told if name.count(".") > 1}
    full += [rf"(?:[\w-]{{1,63}}\.){{0,8}}{re.escape(d)}" for d in domains - EVERYBODYS_DOMAINS]
    found = "|".join((*full, spellings(told)))
    return re.compile(rf"{_BEGIN}(?P<x>{found}){_END}", _I) if told else None


def home_of(homes: Iterable[str]) -> re.Pattern[str] | None:
    """Finds a home folder, not one whose name only begins like it."""
    told = [home for home in homes if len(home) > 1]
    return re.compile(rf"(?P<x>{spellings(told)})(?![^\W_]|[_-]\w|\.\w)") if told else None


def of_person(user: str) -> re.Pattern[str] | None:
    """Finds a name that is a common word where it stands for a person all the same."""
    name = spellings((user,))
    form = (
        rf"(?:[\\/](?:home|Users|mnt|media|mail)[\\/]{{1,2}}|\b(?:user|logname)[=:] ?[\"']?"
        rf"|\b(?:by|for) user )(?P<x>{name}){_END}|(?<![\w.+-])(?!root@)(?P<y>{name})(?=@[\w.-])"
    )
    return re.compile(form) if user and not is_telling(user) else None


UIDS = re.compile(r"(?:/run/user/|user[@-]|[ug]id ?[=:]? ?)(?P<x>\d{4,10})(?!\d)", _I)
"""The number of an account of a person; numbers of the system have three digits."""
_NAME = r"[^\s/:;,\"'<>|()\[\]\\$*?{}`]+"
PEOPLE = re.compile(
    r"(?:[\\/](?:home|Users|var/mail|crontabs)|(?<![\w.-])/(?:run/)?media)[\\/]{1,2}"
    rf"(?P<a>{_NAME}(?:(?: {_NAME}){{1,2}}(?=[\\/\"']))?)"
    r"|(?:(?<!\w)\d{1,10}|\bUID)\((?P<b>[^\W\d][^()\s,]*)\)"
    r"|\b(?:r?user|logname|owner)=[\"']?(?P<c>[\w.-]+)"
    r"|\b(?:user|group):? (?:[\"'](?P<d>[\w.-]+)(?=[\"'])|(?P<e>[\w.-]+)(?= (?:is|has|does) ))"
    r"|\b(?:password for|session for|for user|invalid user) (?P<f>[\w.-]+)(?= from|\(|$)",
    _I | _M,
)
"""Whose home it is, in the output of ``id``, and where programs speak of an account."""
OF_MACHINE = re.compile(
    r"(?<![\d:])\d\d:\d\d:\d\d[\d.,:+Z-]{0,14} (?![A-Z]+ )(?P<a>[\w.-]+) "
    r"(?=[\w./@()-]+(?:\[\d+\])?: )|\b(?:USER|root)@(?P<b>[\w-][\w.-]*)(?=[\s:~)\]]|$)",
    _M,
)
"""Its name in a journal and at a prompt, even if it is called like a word."""
_FILES = r"(?:py|sh|so|rs|cpp|cc|hpp|txt|whl|deb|rpm|conf|list|json|toml|yaml|yml|md|git|egg|data)"
"""How names of files end that could be servers too."""
_TOP = (
    r"(?:com|org|net|edu|gov|biz|cloud|tech|systems|lan|local|internal|intern|intra(?:net)?|corp"
    r"|localdomain|fritz\.box|arpa|d[ek]|at|ch|uk|fr|nl|es|eu|pl|cz|se|fi|jp|cn|kr|br|ru|ua|au)"
)
HOSTS = re.compile(
    r"(?:(?<=[a-z]://)|(?<![\w:/.\\])(?://|\\\\)(?=[\w.-]+[/\\]))(?:\*\*\*@|[\w.-]+@)?"
    r"(?P<a>[A-Za-z0-9_-][\w.-]*)"
    r"|(?<![a-z])(?:host(?:name)?|proxy)[\"']? ?[=:] ?[\"']?(?:\*\*\*@)?(?![a-z]{2,9}://)"
    r"(?P<b>[\w-]+(?:\.[\w-]+){0,8})"
    r"|\b(?:connect\w* (?:to|with)|resolv(?:e|ing)|host(?:name)?|server|lookup|mounting|registry"
    rf"|closed by|ping)[=: ]{{1,3}}[\"']?(?P<c>(?:[\w-]+\.){{1,8}}(?!{_FILES}\b)[a-z]{{2,24}}"
    r"|[\w-]+(?= port|:? not |: Name|:[/\d]))"
    rf"|(?<![\w./@~-])(?:[a-z]+@)?(?P<d>(?:[a-z0-9_-]+\.){{1,8}}(?:{_TOP}(?![\w(-]|\.\w)"
    rf"|(?!{_FILES}\b)[a-z]{{2,24}}(?=(?::\d{{2,5}})?/[\w-]|:\d{{2,5}}/)))"
    r"|(?<=\w@)(?!sha\d)(?P<e>[a-z][\w-]*)(?=[\s:~)\]]|$)|\bIP-\d+[ \t]+(?P<f>[A-Za-z][\w.-]*)$",
    _I | _M,
)
"""A server: in an address, behind words that say so, in a domain, at a prompt, behind an IP."""


def _is_somebodys(name: str) -> bool:
    """False for a name of every system's; a group may be called like a company."""
    return name not in EVERYBODYS and STANDS_IN.fullmatch(name) is None


def _is_foreign(name: str) -> bool:
    """True for a server that is not everybody's."""
    parts = name.lower().rstrip(".").split(".")
    public = any(".".join(parts[at:]) in EVERYBODYS_DOMAINS for at in range(len(parts)))
    number = re.fullmatch(r"[\d.]+", name)
    return not public and not number and STANDS_IN.fullmatch(name) is None and is_telling(name)


GROUP = Rule(OTHER_KIND, re.compile(r"\A(?P<x>\S+)\Z"), "GROUP-#", _is_somebodys, str)
"""For the name of a group alone."""
STRANGERS = (
    Rule(OTHER_KIND, PEOPLE, "OTHER-#", _is_somebodys),
    Rule(HOST_KIND, OF_MACHINE, HOST),
    Rule(HOST_KIND, HOSTS, "HOST-#", _is_foreign, str.lower),
)
"""People and machines of whom nothing is known."""


def rules_of(
    user: str,
    homes: Iterable[str],
    full_names: Iterable[str],
    others: Iterable[tuple[str, ...]],
    hosts: tuple[str, ...],
) -> Iterator[Rule]:
    """What is looked for on the machine of these; homes first, since names are parts of them."""
    found = (
        (HOME_KIND, home_of(homes), HOME),
        (UID_KIND, UIDS, UID),
        (HOST_KIND, word(hosts), HOST),  # before the user: a machine may be called after its user
        (USER_KIND, word((user, *full_names)), USER),
        (USER_KIND, of_person(user), USER),
    )
    yield from (Rule(kind, form, now) for kind, form, now in found if form)
    for person in others:
        if other := word(person):
            yield Rule(OTHER_KIND, other, "OTHER-#", same=lambda _, login=person[0]: login)  # type: ignore[misc]
    yield from STRANGERS
