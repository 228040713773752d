"""Kinds of output that a pasted text may hold; a report mixes them."""

from __future__ import annotations

import re

KINDS = {
    name: re.compile(pattern, re.MULTILINE)
    for name, pattern in (
        ("apt", r"^[ \t]*(?:(?:Get|Hit|Ign|Err):\d+ |[EW]: |Reading package lists)"),
        ("dnf", r"Dependencies resolved|download metadata for repo|nothing provides"),
        ("dpkg", r"\bdpkg(?:-deb)?: |^Setting up \S{1,80} \("),
        ("environment", r"\b(?:HSA|HIP|MIOPEN|ROCR|LD_LIBRARY|PYTORCH)_[A-Z0-9_]+=|^PATH=/"),
        (
            "kernel log",
            r"\bkernel: |^[ \t]*(?:<\d+>)?\[ *\d+\.\d{3,9}\]|\bamdgpu [0-9a-f]{4}:"
            r"|\bkfd kfd: |\[drm[:\]]",
        ),
        (
            "lspci",
            r"VGA compatible controller|Display controller|3D controller|\.\d 03(?:00|02|80): ",
        ),
        ("MIOpen log", r"MIOpen(?:\(HIP\))?(?:\[[^\]\n]{0,20}\])?: "),
        ("package list", r"^\S{1,80}==\d|PyTorch version:|\[pip3\]|^torch +\d"),
        (
            "pip",
            r"^[ \t]*(?:Collecting \S|Successfully installed |Requirement already "
            r"|Looking in indexes|ERROR: (?:Could not|No matching))",
        ),
        ("Python traceback", r"Traceback \(most recent call last\)|^\w{1,80}Error: "),
        ("rocminfo", r"Marketing Name:|Device Type: +GPU"),
    )
}


def kinds_in(text: str) -> set[str]:
    """The kinds of which a line is in this part of a text."""
    return {name for name, pattern in KINDS.items() if pattern.search(text)}
