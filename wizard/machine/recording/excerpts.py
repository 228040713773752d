"""What a record keeps of a file: only the words that detection takes from it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator

from wizard.apt.files import OPT_FOLDER
from wizard.apt.sources import (
    AMD_WORDS,
    INLINE_KEY,
    KEY_ID,
    ORIGIN,
    AptSource,
    deb822_entries,
    holds_amds_key,
    line_entries,
    paragraphs,
)
from wizard.core.journal import SCHEMA, older_run_of, record_of
from wizard.host.elf import segments_of
from wizard.machine.assignments import (
    Assigned,
    assignments,
    compose_environment,
    fish_universals,
    imported_modules,
    json_variables,
    python_environ,
    unit_environment,
    unit_files,
)
from wizard.machine.rocm import OPT_FOLDERS
from wizard.machine.surroundings import AMAZON, DEVICE, MAKERS
from wizard.redaction.rules import told_value

MAKERS_TOLD = (*(words for words, _ in MAKERS), AMAZON, "microsoft corporation", "virtual machine")
MAKER_WORDS = rf"\b(?:{'|'.join(MAKERS_TOLD)})\b"
Excerpt = Callable[[str], str]
"""Gives what is kept of a text."""
HeadExcerpt = Callable[[bytes], bytes]
"""Gives what is kept of the beginning of a file."""


def nothing(_: str) -> str:
    """Nothing: that the file is there says all."""
    return ""


def only(pattern: str) -> Excerpt:
    """The text when all of it has this form, else nothing."""
    form = re.compile(pattern)
    return lambda text: text if form.fullmatch(text.strip()) else ""


def first(pattern: str) -> Excerpt:
    """The first place that has this form, on a line of its own."""
    form = re.compile(pattern, re.MULTILINE)

    def keep(text: str) -> str:
        match = form.search(text)
        return f"{match[0]}\n" if match else ""

    return keep


def lines(pattern: str) -> Excerpt:
    """The lines that have this form, without the others."""
    form = re.compile(pattern)
    return lambda text: "".join(f"{one}\n" for one in text.splitlines() if form.fullmatch(one))


def lines_in_place(change: Callable[[str], str]) -> Excerpt:
    """Each line changed, so that line numbers stay; empty lines at the end are left out."""

    def keep(text: str) -> str:
        kept = [change(line) for line in text.splitlines()]
        while kept and not kept[-1]:
            kept.pop()
        return "".join(f"{line}\n" for line in kept)

    return keep


def _shell(line: str) -> str:
    pairs = ((name, told_value(name, value)) for name, value, _ in assignments(line))
    return "; ".join(f"export {name}={shlex.quote(value)}" for name, value in pairs)


shell = lines_in_place(_shell)
"""The wanted assignments of a shell file, each on its line."""

number = only(r"\d{1,20}")
"""A whole number."""
hex_number = only(r"0x[0-9A-Fa-f]{1,8}")
"""A number as the PCI bus writes it."""
kfd_properties = lines(
    r"(?:cpu_cores_count|simd_count|simd_per_cu|gfx_target_version|location_id|domain|vendor_id"
    r"|device_id|drm_render_minor|fw_version|sdma_fw_version|wave_front_size|mem_banks_count"
    r"|node_from|node_to|type|flags|weight) \d{1,20}"
)
"""What a compute node or a link says; its ``unique_id`` and ``hive_id`` are not on this list."""
os_release = lines(r"(?:ID|ID_LIKE|VERSION_ID|VERSION_CODENAME|PRETTY_NAME)=.{1,100}")
"""Which distribution it is."""
venv_config = lines(
    r"\s*(?:home|version|version_info|include-system-site-packages|uv)\s*=.{0,4000}"
)
"""Which Python a venv has; not the command that made it."""
torch_version = lines(r"""(?:__version__|hip|cuda|rocm)\b[^=]*=\s*['"][\w.+-]*['"]\s*""")
"""What ``torch/version.py`` states of its build."""


def cpu(text: str) -> str:
    """The first lines that name the model and say whether it is virtual."""
    model = first(r"^model name\s*:.*$")(text)
    flags = first(r"^flags\s*:.*\bhypervisor\b.*$")(text)
    return model + ("flags\t: hypervisor\n" if flags else "")


def _fish(line: str) -> str:
    pairs = ((name, told_value(name, value)) for name, value, _ in assignments(line))
    return "; ".join(f"set -gx {name} {shlex.quote(value)}" for name, value in pairs)


fish = lines_in_place(_fish)
"""The wanted assignments of a fish file, each on its line."""


def library_head(head: bytes) -> bytes:
    """The headers of a library, which hold numbers alone; nothing of any other file."""
    try:
        segments = segments_of(head)
    except ValueError:
        return b""
    return head[: segments.offset + segments.bytes]


link_speed = only(r"\d{1,3}(?:\.\d)? GT/s(?: PCIe)?")
"""Speed of a PCI Express link."""


def plain_lines(pattern: str) -> Excerpt:
    """Lines that hold such a word and are no comments."""
    word = re.compile(pattern)

    def keep(text: str) -> str:
        stripped = (line.strip() for line in text.splitlines())
        kept = (line for line in stripped if word.search(line) and not line.startswith("#"))
        return "".join(f"{line}\n" for line in kept)

    return keep


def alternative(text: str) -> str:
    """State and choices of an alternative, as far as they lead into ROCm."""
    rows = text.splitlines()
    choices = [row for row in rows[2:] if row.startswith(OPT_FOLDERS)]
    return "".join(f"{row}\n" for row in (*rows[:1], "", *choices))


def timeshift(text: str) -> str:
    """Whether Timeshift has a disk to save to; not which one."""
    return '{"backup_device_uuid" : "kept out"}\n' if DEVICE.search(text) else "{}\n"


def maker(text: str) -> str:
    """The words by which a virtual machine names its maker."""
    words = re.findall(MAKER_WORDS, text, re.IGNORECASE)
    return f"{' '.join(words)}\n" if words else ""


def opt_folders(head: bytes) -> bytes:
    """Folders of ROCm below ``/opt`` in a list of dpkg's."""
    names = dict.fromkeys(OPT_FOLDER.findall(head.decode("utf-8", "replace")))
    return "".join(f"{name}\n" for name in names).encode()


def fish_universal_file(text: str) -> str:
    """Exported universal variables of fish."""
    return _placed(
        (line, f"SETUVAR --export {name}:{_fish_text(value)}")
        for name, value, line in _told(fish_universals(text))
    )


def json_file(key: str) -> Excerpt:
    """One object of variables below a key, each variable on its line."""
    read = json_variables(key)

    def kept(text: str) -> str:
        found = sorted(_told(read(text)), key=lambda one: one[2])
        if not found:
            return "{}"
        rows = [(line, f"{json.dumps(name)}: {json.dumps(value)}") for name, value, line in found]
        rows = [(line, f"{row},") for line, row in rows[:-1]] + rows[-1:]
        return f'{{"{key}": {{{_placed(rows).rstrip()}}}}}\n'

    return kept


def unit_file(text: str) -> str:
    """``Environment=`` lines, and the files that the unit names below ``/etc``."""
    rows = [(line, _quoted(f"{n}={v}")) for n, v, line in _told(unit_environment(text))]
    named = [path for path in unit_files(text) if path.startswith("/etc/")]
    placed = _placed(rows).split("\n")
    written = "\n".join(f"Environment={line}" if line else "" for line in placed)
    return written + "".join(f"EnvironmentFile={path}\n" for path in named)


def python_file(text: str) -> str:
    """What a module puts into the environment."""
    return _placed(_python_rows(python_environ(text)))


def pth_file(text: str) -> str:
    """What a ``.pth`` file sets itself, and which modules it imports."""
    rows = list(_python_rows(python_environ(text)))
    return _placed(rows) + "".join(f"import {name}\n" for name in imported_modules(text))


def compose_file(text: str) -> str:
    """Variables that a compose file gives its services, as one list."""
    rows = [(line, f"- {name}={value}") for name, value, line in _told(compose_environment(text))]
    # ``environment:`` goes on the first line: what is wanted always stands further down.
    return f"environment:{_placed(rows)}" if rows else ""


def journal(text: str) -> str:
    """What a run was for, its folder and its state; nothing of its steps."""
    complete = text.split("\n")[:-1]
    record = record_of("", "", complete)
    if record is None:
        if older_run_of("", "", complete) is not None:
            return f"{json.dumps({'event': 'begin', 'schema': SCHEMA - 1})}\n"
        return "damaged\n" if any(complete) else ""
    told = {name: record.plan[name] for name in ("kind", "stack", "cause", "venv")}
    plan = {"id": "", **told, "takes_back": "", "steps": []}
    begin = {"event": "begin", "schema": SCHEMA, "plan": plan}
    state = {"event": "state", "state": record.state}
    return "".join(f"{json.dumps(line)}\n" for line in (begin, state))


def _told(found: Iterable[Assigned]) -> list[Assigned]:
    """The assignments with values that may leave."""
    return [(name, told_value(name, value), line) for name, value, line in found]


def _python_rows(found: list[Assigned]) -> Iterator[tuple[int, str]]:
    for name, value, line in _told(found):
        yield line, f"os.environ[{json.dumps(name)}] = {json.dumps(value, ensure_ascii=False)}"


def _placed(rows: Iterable[tuple[int, str]]) -> str:
    """Lines with these texts at their numbers, and nothing between them."""
    lines: dict[int, list[str]] = {}
    for number, row in rows:
        lines.setdefault(number, []).append(row)
    last = max(lines, default=0)
    return "".join(f"{' '.join(lines.get(number, ()))}\n" for number in range(1, last + 1))


def _quoted(word: str) -> str:
    """A word as systemd and shells read it."""
    return shlex.quote(word)


def _fish_text(value: str) -> str:
    """A value as fish writes it: all but letters, digits and a few signs as their codes."""
    plain = (one if one.isalnum() or one in "/_" else _fish_code(one) for one in value)
    return "".join(plain)


def _fish_code(sign: str) -> str:
    return f"\\x{ord(sign):02x}" if ord(sign) < 256 else sign


def source_lines(text: str) -> str:
    """The entries of a ``.list`` file, each on its line; logins go with the disguise."""
    rows = {entry.line: _line(entry) for entry in line_entries(text)}
    return "".join(f"{rows.get(number, '')}\n" for number in range(1, max(rows, default=0) + 1))


def source_paragraphs(text: str) -> str:
    """The entries of a ``.sources`` file, each beginning on its line."""
    kept: list[str] = []
    for entry in deb822_entries(text):
        kept += [""] * (entry.line - 1 - len(kept))
        kept += [*_fields(entry), ""]
    return "".join(f"{line}\n" for line in kept)


def pins(text: str) -> str:
    """Pins that bear on AMD's packages."""
    wanted = (
        {name: " ".join(fields.get(name, "").split())[:80] for name in PIN_FIELDS}
        for _, fields in paragraphs(text)
    )
    return "".join(
        "".join(f"{name.title()}: {value}\n" for name, value in fields.items()) + "\n"
        for fields in wanted
        if AMD_WORDS.search(fields["pin"]) or AMD_WORDS.search(fields["package"])
    )


PIN_FIELDS = ("package", "pin", "pin-priority")


def release_head(head: bytes) -> bytes:
    """Whether a Release file is AMD's."""
    names = (f"Origin: {ORIGIN}", f"Label: {ORIGIN}")
    text = head.decode("utf-8", "replace")
    return "".join(f"{line}\n" for line in text.splitlines() if line.strip() in names).encode()


def key(head: bytes) -> bytes:
    """Whether a key file holds AMD's key: the end of its fingerprint, or nothing."""
    return KEY_ID if holds_amds_key(head) else b""


def _line(entry: AptSource) -> str:
    signed = f"[signed-by={entry.signed_by}] " if entry.signed_by else ""
    words = (*entry.uris, *entry.suites, *entry.components)
    return f"{entry.types[0]} {signed}{' '.join(words)}"


def _fields(entry: AptSource) -> Iterator[str]:
    yield f"Types: {' '.join(entry.types)}"
    yield f"URIs: {' '.join(entry.uris)}"
    yield f"Suites: {' '.join(entry.suites)}"
    if entry.components:
        yield f"Components: {' '.join(entry.components)}"
    if entry.signed_by:
        inline = entry.signed_by == INLINE_KEY
        yield f"Signed-By: {'BEGIN PGP' if inline else entry.signed_by}"
    if not entry.enabled:
        yield "Enabled: no"
