"""Kinds of output that a pasted text may hold; a report mixes them."""

from __future__ import annotations

import re
from typing import NamedTuple


class Kind(NamedTuple):
    """One kind, and how a line of it is known."""

    name: str
    anchors: tuple[str, ...]
    pattern: re.Pattern[str]


KINDS = tuple(
    Kind(name, anchors, re.compile(pattern))
    for name, anchors, pattern in (
        (
            "kernel log",
            ("amdgpu", "kfd kfd", "kernel: "),
            r"\bkernel: |^\s*(?:<\d+>)?\[ *\d+\.\d+\]|\bamdgpu [0-9a-f]{4}:|\bkfd kfd: |\[drm[:\]]",
        ),
        (
            "apt",
            ("Get:", "Hit:", "E: ", "W: ", "Reading package lists"),
            r"^\s*(?:(?:Get|Hit|Ign|Err):\d+ |[EW]: |Reading package lists)",
        ),
        ("dpkg", ("dpkg", "Setting up "), r"\bdpkg(?:-deb)?: |^Setting up \S+ \("),
        (
            "dnf",
            ("Dependencies resolved", "Failed to download metadata", "othing provides"),
            r"Dependencies resolved|download metadata for repo|nothing provides",
        ),
        (
            "pip",
            (
                "Collecting ",
                "Successfully installed",
                "Requirement already",
                "Looking in indexes",
                "ERROR: ",
            ),
            r"^\s*(?:Collecting \S|Successfully installed |Requirement already |Looking in indexes"
            r"|ERROR: (?:Could not|No matching))",
        ),
        (
            "Python traceback",
            ("Traceback (most", "Error: "),
            r"Traceback \(most recent call last\)|^\w*(?:\.\w+)*Error: ",
        ),
        (
            "lspci",
            ("VGA compatible", "Display controller", "3D controller", " 0300: ", " 0380: "),
            r"VGA compatible controller|Display controller|3D controller|\.\d 03(?:00|02|80): ",
        ),
        (
            "rocminfo",
            ("Marketing Name", "Device Type:", "Agent "),
            r"Marketing Name:|Device Type: +GPU|^Agent \d+",
        ),
        (
            "environment",
            ("PATH=", "HSA_", "HIP_", "MIOPEN_", "LD_LIBRARY_PATH"),
            r"\b[A-Z][A-Z0-9_]{3,}=\S",
        ),
        (
            "package list",
            ("torch==", "numpy", "PyTorch version"),
            r"^\S+==\d|^\s*[\w-]+ +\d+\.\d+\S*\s*$|PyTorch version:|\[pip3\]",
        ),
        ("MIOpen log", ("MIOpen",), r"MIOpen(?:\(HIP\))?(?:\[[^\]]{0,20}\])?: "),
    )
)
"""In the order in which they are named."""
