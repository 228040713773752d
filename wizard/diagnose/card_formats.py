"""How programs print the graphics cards of a machine: in one line each, or in several."""

from __future__ import annotations

import re

SLOT = r"(?P<slot>(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])"
GRAPHICS = r"(?:VGA compatible|Display|3D) controller"
"""Of the classes of PCI devices only 0300, 0302 and 0380."""


def _compiled(forms: dict[str, str]) -> dict[str, re.Pattern[str]]:
    return {program: re.compile(form) for program, form in forms.items()}


ONE_LINE = _compiled(
    {
        "detect": (
            r"^\s{0,40}(?P<name>\S[^\[\n]{0,80}) \[(?P<pci_id>[0-9a-f]{4}:[0-9a-f]{4})"
            rf" rev (?P<revision>[0-9a-f]{{2}})\] at {SLOT}\s*$"
        ),
        "lspci": (
            rf"(?:^|\s){SLOT}\s+\"?(?:{GRAPHICS}(?: \[03\d\d\])?\"?:? \"?(?P<name>[^\n]{{0,300}})"
            r"|(?:Class )?03(?:00|02|80): (?P<pci_id>[0-9a-f]{4}:[0-9a-f]{4}))"
        ),
        "lshw": (
            rf"^(?:pci@{SLOT}|/0/\S{{1,60}})\s+(?:/dev/\S{{1,60}}\s+)?display\s+(?P<name>\S.{{1,120}})"
        ),
        "kernel log": (
            rf"(?:amdgpu {SLOT}: [^\n]{{0,40}}?)?initializing kernel modesetting"
            r" \(\w+ 0x(?P<vendor>1002):0x(?P<device>[0-9A-Fa-f]{4})"
            r" 0x[0-9A-Fa-f]{4}:0x[0-9A-Fa-f]{4} 0x(?P<revision>[0-9A-Fa-f]{2})"
            r"|(?:added|skipped) device (?P<pci_id>1002:[0-9a-f]{4})"
            r"|pci (?P<at>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]): \[(?P<ids>[0-9a-f]{4}:"
            r"[0-9a-f]{4})\] type 00 class 0x03(?:00|02|80)"
            r"|\b(?P<driver>nvidia|nouveau|i915|xe)"
            r" (?P<of>[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.\d): "
        ),
        "rocm-smi": r"^(?P<number>\d{1,2})\s+\d{1,2}\s+0x(?P<device>[0-9a-f]{4}),\s+\d",
        "glxinfo": r"^\s{1,8}Device: (?P<name>\S.{1,160}) \(0x(?P<device>[0-9a-f]{4})\)\s*$",
        "torch": (
            r"(?:^Device: cuda:\d{1,2} |GPU models and configuration: |CUDA:\d{1,2} \("
            r"|^\s{0,8}Device \d: )"
            r"(?P<name>(?:AMD Radeon|NVIDIA) [^,:(\n]{2,60})"
        ),
        "neofetch": r"(?:^|\s)GPU(?: \d)?: (?P<name>(?:AMD|ATI|NVIDIA|Intel|Radeon)\b.{3,100})",
        "clinfo": r"^[ |`+-]{1,8}-- Device #(?P<number>\d{1,3}): (?P<name>\S.{1,120})",
        "amd-smi": rf"^\|?\s{{0,4}}{SLOT}\s+(?P<name>AMD \S[^|]{{2,40}}?)\s+\|",
        "system report": (
            r"^\W{0,4}Graphics(?: \d)?:\W{1,60}(?P<name>(?:AMD|NVIDIA|Intel)\b.{3,80})"
        ),
        "nvidia-smi": (
            r"^\|?\s{1,4}\d{1,3}\s+(?P<name>\S[^|]{2,40}?)\s+(?:On|Off|N/A)\s+\|"
            rf"\s+{SLOT}|^GPU \d{{1,3}}: (?P<listed>[^(\n]{{3,60}}) \(UUID"
        ),
    }
)
"""A card told by one line."""
STARTS = _compiled(
    {
        "lspci": rf"^Slot:\s+{SLOT}",
        "inxi": (
            r"^(?:Graphics:)?\s{1,12}(?:Device-(?P<number>\d{1,2})|Card(?:-\d)?):"
            r" (?P<name>\S[^\n]{0,300})"
        ),
        "lshw": r"^\s{0,60}\*-(?P<is>\w{1,30})",
        "hwinfo": r"^\d{1,4}: \w{1,20} \S",
        "rocminfo": (
            r"^\s{0,12}Name:\s{1,40}(?P<reported>gfx[0-9a-f]{3,5})\b|^Agent (?P<number>\d+)"
        ),
        "vulkaninfo": r"^GPU(?P<number>\d{1,2}):\s*$",
        "amd-smi": r"^GPU: (?P<number>\d{1,2})\s*$",
        "sysfs": r"^DRIVER=(?P<driver>[\w-]{2,30})\s*$",
        "rocm-smi": r"^GPU\[(?P<number>\d{1,2})\]\s{0,8}: ",
        "glxinfo": r"^Extended renderer info|^OpenGL renderer string: (?P<name>\S.{1,120})",
    }
)
"""The first line of what is told of one device in several lines."""
TOLD = _compiled(
    {
        "lspci": (
            r"^Class:\s+(?P<is>\S.{1,80})|^Vendor:\s+(?P<maker>\S.{1,80})"
            r"|^Device:\s+(?P<name>\S.{1,120})|^Rev:\s+(?P<revision>[0-9a-f]{2})"
        ),
        "inxi": (
            rf"bus-ID: (?:{SLOT}|(?P<usb>\d{{1,2}}-\d))"
            r"|chip-ID: (?P<pci_id>[0-9a-f]{4}:[0-9a-f]{4})|type: (?P<is>USB)"
            r"|driver: (?P<driver>[\w-]{1,30})"
        ),
        "lshw": (
            r"^\s{1,60}(?:product|Produkt|produit|produto|producto|prodotto): (?P<name>\S.{1,120})"
            r"|^\s{1,60}(?:vendor|Hersteller|fabricante|fabriquant|fabricant|produttore):"
            rf" (?P<maker>\S.{{1,80}})|: pci@{SLOT}"
            r"|^\s{1,60}(?:versi[o\u00f3]n|Version|vers\u00e3o|versione):"
            r" (?P<revision>[0-9a-f]{2})\s*$"
        ),
        "hwinfo": (
            rf"SysFS BusID: {SLOT}|Hardware Class: (?P<is>\w.{{1,40}})"
            r"|^\s{1,8}Model: \"(?P<name>.{1,120})\"|^\s{1,8}Vendor: pci 0x(?P<vendor>\w{4})"
            r"|^\s{1,8}Device: pci 0x(?P<device>\w{4})|^\s{1,8}Revision: 0x(?P<revision>\w{2})"
        ),
        "rocminfo": (
            r"Marketing Name:\s{1,40}(?P<name>\S[^\n]{0,80}?)\s*$|Device Type:\s+(?P<is>\w+)"
            r"|Chip ID:\s+\d+\s*\(0x(?P<device>[0-9a-fA-F]{4})\)|BDFID:\s+(?P<bdf>\d{1,9})"
        ),
        "vulkaninfo": (
            r"vendorID\s+= 0x(?P<vendor>[0-9a-f]{4,5})\b|deviceID\s+= 0x(?P<device>\w{4})\b"
            r"|deviceName\s+= (?P<name>\S.{1,120})|driverID\s+= (?P<driver>\w{1,60})"
            r"|deviceType\s+= PHYSICAL_DEVICE_TYPE_(?P<is>\w+)"
        ),
        "amd-smi": (
            rf"BDF: {SLOT.replace('a-f', 'a-fA-F')}|MARKET_NAME: (?P<name>\S.{{1,120}})"
            r"|(?<!SUB)VENDOR_ID: 0x(?P<vendor>[0-9a-f]{4})|DEVICE_ID: 0x(?P<device>[0-9a-f]{4})"
            r"|REV_ID: 0x(?P<revision>\w{2})|TARGET_GRAPHICS_VERSION: (?P<reported>gfx\w+)"
        ),
        "sysfs": (
            r"^PCI_CLASS=(?P<is>\w{5,6})|^PCI_ID=(?P<pci_id>[0-9A-F]{4}:[0-9A-F]{4})"
            rf"|^PCI_SLOT_NAME={SLOT}"
        ),
        "rocm-smi": (
            r"Card [sS]eries:\s+(?P<name>[A-Za-z].{1,120})"
            r"|(?:GPU|Device) ID:\s+0x(?P<device>[0-9a-f]{4})|Device Rev:\s+0x(?P<revision>\w{2})"
            r"|GFX Version:\s+(?P<reported>gfx\w+)|PCI Bus:\s+(?P<slot>[0-9A-Fa-f:.]{7,12})"
        ),
        "glxinfo": (
            r"^\s{1,8}Device: (?P<name>\S.{1,160})|^\s{1,8}Vendor: .{1,60}\(0x(?P<vendor>\w{4})\)"
        ),
    }
)
"""What the lines after it tell."""
SHORT_HEAD = "graphics card:"
"""Above the names of the cards in ``hwinfo --short``."""
ENABLED = re.compile(rf"amdgpu {SLOT}: enabling device")
MAKERS = {
    "nvidia": "NVIDIA GPU",
    "nouveau": "NVIDIA GPU",
    "i915": "Intel graphics",
    "xe": "Intel graphics",
}
"""Whose cards a driver of the kernel drives."""
HEADING = re.compile(r"([A-Z]\w{2,20}):(?:$| )")
"""The part of what ``inxi`` prints to which the indented lines below it belong."""
IDS = re.compile(
    r"\[([0-9a-fA-F]{4}:[0-9a-fA-F]{4})\](?!.{0,200}\[[0-9a-fA-F]{4}:[0-9a-fA-F]{4}\])"
)
QUOTED = re.compile(r'"([^"]*)"')
"""The columns of ``lspci -mm``: class, maker, device, and two of the board."""
NUMBER = re.compile(r" ?[\[(](?:0x)?([0-9a-fA-F]{4})[\])]\s*$")
"""A number after a name."""
REVISION = re.compile(r"\(rev ([0-9a-f]{2})[,)]|-r([0-9a-f]{2})\b")
LATER = re.compile(r" (?:vendor|driver|v|bus-ID|chip-ID|arch|type): .*")
"""What ``inxi`` tells after a name on the same line."""
SOFTWARE = re.compile(
    r"(?i)llvmpipe|softpipe|swrast|lavapipe|swiftshader|software rasterizer|pthread|^cpu\b"
    r"|Core\(TM\)|Xeon|^AMD (?:Ryzen|EPYC|FX|Athlon)(?!.{0,80}(?:Radeon|Graphics))"
)
DRIVERS = frozenset({"amdgpu", "radeon", "i915", "xe", "nvidia", "nouveau", "vfio-pci"})
"""Drivers of graphics cards."""
CARD_ANCHORS = (
    *("VGA compatible controller", "Display controller", "3D controller", " 0300: ", " 0302: "),
    *(" 0380: ", "Marketing Name:", "Chip ID:", "Device Type:", "BDFID:", "Name:  ", "Agent "),
    *("initializing kernel modesetting", "added device 1002:", "skipped device 1002:"),
    *("] type 00 class 0x03", " rev ", "Slot:", "Class:", "Vendor:", "Device:", "Rev:"),
    *("Device-", "Card-", "Card: ", "bus-ID:", "chip-ID:", "driver: ", "*-", "product:"),
    *("vendor:", "bus info:", "version:", "SysFS BusID:", "Model:", "Revision:", ": PCI "),
    *("graphics card", "GPU0:", "GPU1:", "GPU2:", "GPU3:", "GPU[", "vendorID", "deviceID"),
    *("deviceName", "driverID", "deviceType", "display", "-- Device #", "renderer", "(UUID"),
    *(" 00000000:", "\u00b0C", "nvidia 0", "nouveau 0", "i915 0", "xe 0", "GPU models"),
    *("BDF: ", "MARKET_NAME", "ENDOR_ID", "DEVICE_ID", "REV_ID", "TARGET_GRAPHICS", "PCI_CLASS"),
    *("DRIVER=", "PCI_ID=", "PCI_SLOT", "Graphics", "AMD Radeon", "produ", "Produkt", "pci@"),
    *(
        "Hersteller",
        "fabri",
        "vers",
        "Vers",
        "GPU: ",
        "GPU 0: ",
        "GPU 1: ",
        "cuda:",
        "CUDA:",
        "Device 0: ",
        "Device 1: ",
    ),
)
