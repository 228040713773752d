"""Understands ``apt-cache show``: sizes of packages, and whether an archive still has them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from wizard.machine.apt.entries import Paragraph, paragraphs

KIBIBYTE = 1024
BEGINNING = re.compile(r"^Package:", re.MULTILINE)
"""Each begins with this; the reader of a program's output leaves blank lines out."""


@dataclass(frozen=True, slots=True)
class PackageRecord:
    """One version of a package as an index tells of it."""

    name: str
    """With its architecture where that is not the system's own."""
    version: str
    downloadable: bool
    """False for one that only dpkg knows of."""
    download_bytes: int
    installed_bytes: int


def package_records(text: str) -> tuple[PackageRecord, ...]:
    """Every version that was told, with or without blank lines between them."""
    apart = BEGINNING.sub(r"\n\g<0>", text)
    return tuple(_record(fields) for _, fields in paragraphs(apart) if "package" in fields)


def qualified(fields: Paragraph) -> str:
    """The name of a package, with its architecture where that is not the system's own."""
    name, architecture = (fields.get(key, "").strip() for key in ("package", "architecture"))
    return name if architecture in ("", "all", "amd64") else f"{name}:{architecture}"


def _record(fields: Paragraph) -> PackageRecord:
    return PackageRecord(
        name=qualified(fields),
        version=fields.get("version", "").strip(),
        downloadable="filename" in fields,
        download_bytes=_number(fields.get("size", "")),
        installed_bytes=_number(fields.get("installed-size", "")) * KIBIBYTE,
    )


def _number(text: str) -> int:
    return int(text) if text.strip().isdecimal() and len(text) < 20 else 0
