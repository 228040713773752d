"""What a record keeps of a file: only the words that detection takes from it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable

from wizard.apt.files import OPT_FOLDER
from wizard.host.elf import segments_of
from wizard.machine.shell import assignments
from wizard.machine.surroundings import DEVICE
from wizard.machine.system_files import OPT
from wizard.machine.virtual import AMAZON, MAKERS
from wizard.redaction.values import told_value

MAKERS_TOLD = (*(words for words, _ in MAKERS), AMAZON, "microsoft corporation", "virtual machine")
MAKER_WORDS = rf"\b(?:{'|'.join(MAKERS_TOLD)})\b"
Keep = Callable[[str], str]
"""Gives what is kept of a text."""
KeepHead = Callable[[bytes], bytes]
"""Gives what is kept of the beginning of a file."""


def nothing(_: str) -> str:
    """Nothing: that the file is there says all."""
    return ""


def only(pattern: str) -> Keep:
    """The text when all of it has this form, else nothing."""
    form = re.compile(pattern)
    return lambda text: text if form.fullmatch(text.strip()) else ""


def first(pattern: str) -> Keep:
    """The first place that has this form, on a line of its own."""
    form = re.compile(pattern, re.MULTILINE)

    def keep(text: str) -> str:
        match = form.search(text)
        return f"{match[0]}\n" if match else ""

    return keep


def lines(pattern: str) -> Keep:
    """The lines that have this form, without the others."""
    form = re.compile(pattern)
    return lambda text: "".join(f"{one}\n" for one in text.splitlines() if form.fullmatch(one))


def lines_in_place(change: Callable[[str], str]) -> Keep:
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


def plain_lines(pattern: str) -> Keep:
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
    choices = [row for row in rows[2:] if row.startswith(OPT)]
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
