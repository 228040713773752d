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
    deb822_entries,
    holds_amds_key,
    line_entries,
    paragraphs,
)
from wizard.core.journal import SCHEMA, older_run_of, record_of
from wizard.host.elf import segments_of
from wizard.machine.assignments import (
    Assigned,
    Reader,
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


number = only(r"\d{1,20}")
"""A whole number."""
link_speed = only(r"\d{1,3}(?:\.\d)? GT/s(?: PCIe)?")
"""Speed of a PCI Express link."""
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


def library_head(head: bytes) -> bytes:
    """The headers of a library, which hold numbers alone; nothing of any other file."""
    try:
        segments = segments_of(head)
    except ValueError:
        return b""
    return head[: segments.offset + segments.bytes]


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


def _placed(rows: Iterable[tuple[int, str]], joint: str = " ") -> str:
    """Lines with these texts at their numbers, and nothing between them."""
    lines: dict[int, list[str]] = {}
    for number, row in rows:
        lines.setdefault(number, []).append(row)
    last = max(lines, default=0)
    return "".join(f"{joint.join(lines.get(number, ()))}\n" for number in range(1, last + 1))


def _rows(found: Iterable[Assigned], write: Callable[[str, str], str]) -> Iterator[tuple[int, str]]:
    """The assignments as texts, with values that may leave."""
    return ((line, write(name, told_value(name, value))) for name, value, line in found)


def _assigned(read: Reader, write: Callable[[str, str], str], joint: str = " ") -> Excerpt:
    """The wanted assignments of a file, each on its line."""
    return lambda text: _placed(_rows(read(text), write), joint)


def _fish_text(value: str) -> str:
    """A value as fish writes it: all but letters, digits and a few signs as their codes."""
    return "".join(
        sign if sign.isalnum() or sign in "/_" or ord(sign) > 255 else f"\\x{ord(sign):02x}"
        for sign in value
    )


shell = _assigned(assignments, lambda name, value: f"export {name}={shlex.quote(value)}", "; ")
fish = _assigned(assignments, lambda name, value: f"set -gx {name} {shlex.quote(value)}", "; ")
fish_universal_file = _assigned(
    fish_universals, lambda name, value: f"SETUVAR --export {name}:{_fish_text(value)}"
)
python_file = _assigned(
    python_environ,
    lambda name, value: f"os.environ[{json.dumps(name)}] = {json.dumps(value, ensure_ascii=False)}",
)


def json_file(key: str) -> Excerpt:
    """One object of variables below a key, each variable on its line."""
    read = json_variables(key)

    def kept(text: str) -> str:
        found = sorted(read(text), key=lambda one: one[2])
        rows = list(_rows(found, lambda name, value: f"{json.dumps(name)}: {json.dumps(value)}"))
        rows = [(line, f"{row},") for line, row in rows[:-1]] + rows[-1:]
        return f'{{"{key}": {{{_placed(rows).rstrip()}}}}}\n' if rows else "{}"

    return kept


def unit_file(text: str) -> str:
    """``Environment=`` lines, and the files that the unit names below ``/etc``."""
    rows = _rows(unit_environment(text), lambda name, value: shlex.quote(f"{name}={value}"))
    written = re.sub(r"(?m)^(?=.)", "Environment=", _placed(rows))
    named = (path for path in unit_files(text) if path.startswith("/etc/"))
    return written + "".join(f"EnvironmentFile={path}\n" for path in named)


def pth_file(text: str) -> str:
    """What a ``.pth`` file sets itself, and which modules it imports."""
    return python_file(text) + "".join(f"import {name}\n" for name in imported_modules(text))


def compose_file(text: str) -> str:
    """Variables that a compose file gives its services, as one list."""
    rows = _placed(_rows(compose_environment(text), lambda name, value: f"- {name}={value}"))
    # ``environment:`` goes on the first line: what is wanted always stands further down.
    return f"environment:{rows}" if rows else ""


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


def source_lines(text: str) -> str:
    """The entries of a ``.list`` file, each on its line; logins go with the disguise."""
    rows = {}
    for entry in line_entries(text):
        signed = f"[signed-by={entry.signed_by}] " if entry.signed_by else ""
        words = " ".join((*entry.uris, *entry.suites, *entry.components))
        rows[entry.line] = f"{entry.types[0]} {signed}{words}"
    return _placed(rows.items())


def source_paragraphs(text: str) -> str:
    """The entries of a ``.sources`` file, each beginning on its line."""
    kept: list[str] = []
    for entry in deb822_entries(text):
        kept += [""] * (entry.line - 1 - len(kept))
        signed = "BEGIN PGP" if entry.signed_by == INLINE_KEY else entry.signed_by
        fields = {
            "Types": " ".join(entry.types),
            "URIs": " ".join(entry.uris),
            "Suites": " ".join(entry.suites),
            "Components": " ".join(entry.components),
            "Signed-By": signed,
            "Enabled": "" if entry.enabled else "no",
        }
        always = ("Types", "URIs", "Suites")
        told = (f"{name}: {value}" for name, value in fields.items() if value or name in always)
        kept += [*told, ""]
    return "".join(f"{line}\n" for line in kept)


def pins(text: str) -> str:
    """Pins that bear on AMD's packages."""
    kept = ""
    for _, fields in paragraphs(text):
        names = ("package", "pin", "pin-priority")
        told = {name: " ".join(fields.get(name, "").split())[:80] for name in names}
        if AMD_WORDS.search(told["pin"]) or AMD_WORDS.search(told["package"]):
            kept += "".join(f"{name.title()}: {value}\n" for name, value in told.items()) + "\n"
    return kept


def release_head(head: bytes) -> bytes:
    """Whether a Release file is AMD's."""
    names = (f"Origin: {ORIGIN}", f"Label: {ORIGIN}")
    text = head.decode("utf-8", "replace")
    return "".join(f"{line}\n" for line in text.splitlines() if line.strip() in names).encode()


def key(head: bytes) -> bytes:
    """Whether a key file holds AMD's key: the end of its fingerprint, or nothing."""
    return KEY_ID if holds_amds_key(head) else b""
