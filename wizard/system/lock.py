"""The lock between choosing and installing: which wheels, from where, with which hashes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from wizard.core.credentials import redact
from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.host.distributions import TORCH_FAMILY
from wizard.system.whole_file import write_whole

SCHEMA = 1
_SCHEMES = ("https", "http", "file")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel that the resolver chose."""

    name: str
    version: str
    file: str
    """A plain file name."""
    address: str
    sha256: str
    """``""`` when nobody published one."""
    size: int | None = None
    """In bytes, where it was published."""


def wheel_at(name: str, version: str, address: str, sha256: str, size: int | None = None) -> Wheel:
    """The wheel at an address; raises Trouble for another file, or for one of another name."""
    file = _file_at(address)
    named, numbered, _, _ = parse_wheel_filename(file)
    if (named, numbered) != (canonicalize_name(name), Version(version)):
        raise Trouble(
            f"{file} contains {clean(name)} {clean(version)}, not what its name indicates.",
            "A file whose name and content do not match cannot be trusted, so this file was not "
            "downloaded.",
            "Use another index. This one has errors.",
        )
    sha256 = sha256.lower()
    return Wheel(
        str(named), str(numbered), file, address, sha256 if _SHA256.fullmatch(sha256) else "", size
    )


def _file_at(address: str) -> str:
    """The file name at the end of an address, if it is a wheel's and nothing more."""
    parts = urlsplit(address)
    file = unquote(parts.path).rpartition("/")[2]
    if parts.scheme not in _SCHEMES or "%2f" in address.lower() or not _PLAIN_NAME.fullmatch(file):
        raise not_a_wheel(address)
    try:
        parse_wheel_filename(file)
    except (InvalidWheelFilename, InvalidVersion):
        raise not_a_wheel(address) from None
    return file


def not_a_wheel(address: str) -> Trouble:
    """A file that was chosen and cannot be installed without running its code."""
    return Trouble(
        f"The chosen file is not a wheel: {redact(clean(address))}.",
        "Source archives run their own code when they are built, so rdna1-setup installs only "
        "wheels.",
        "Choose versions that have a wheel for this Python, or use another index.",
    )


def write_wheels(path: Path, wheels: Iterable[Wheel]) -> None:
    """Write the lock whole, so that a kill leaves the old file or the new one."""
    form = {"schema": SCHEMA, "wheels": [asdict(each) for each in wheels]}
    write_whole(path, json.dumps(form, indent=1) + "\n")


def read_wheels(path: Path) -> tuple[Wheel, ...]:
    """The lock as it was written; raises Trouble for a missing or damaged one."""
    try:
        form = json.loads(path.read_text("utf-8"))
        if form["schema"] != SCHEMA:
            raise _unreadable(path, f"its format is {form['schema']!r}, not {SCHEMA!r}")
        wheels = tuple(_read(row) for row in form["wheels"])
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise _unreadable(path, f"its structure is unknown ({type(error).__name__})") from None
    if len({each.file for each in wheels}) < len(wheels):
        raise _unreadable(path, "it names one file twice")
    return wheels


def _read(row: Mapping[str, Any]) -> Wheel:
    found = Wheel(**row)
    if found.size is not None and (type(found.size) is not int or found.size < 0):
        raise ValueError("a size is no number of bytes")
    if found != wheel_at(found.name, found.version, found.address, found.sha256, found.size):
        raise ValueError("a row is not as it was written")
    return found


def _unreadable(path: Path, why: str) -> Trouble:
    return Trouble(
        f"The list of chosen wheels {path} cannot be used: {clean(why)}.",
        "This file lists what to download. Without it, nothing can be downloaded.",
        "Delete the file and run the same command again. The versions are then chosen again.",
    )


def write_requirements(path: Path, pairs: Iterable[tuple[Wheel, str]]) -> None:
    """Write what the installation reads: exact versions, each with the SHA-256 of its file."""
    lines = sorted(f"{each.name}=={each.version} --hash=sha256:{sha256}" for each, sha256 in pairs)
    head = "# Written by rdna1-setup: exactly the wheels that were downloaded."
    write_whole(path, "\n".join((head, *lines, "")))


def with_known_hashes(
    wheels: Iterable[Wheel], known: Iterable[tuple[str, str]]
) -> tuple[Wheel, ...]:
    """The wheels with our own SHA-256 wherever we have one, by file name."""
    hashes = dict(known)
    return tuple(replace(each, sha256=hashes.get(each.file, each.sha256)) for each in wheels)


def remarks(published: Sequence[Wheel], wheels: Sequence[Wheel]) -> Iterator[str]:
    """What a person should know before the download: of the wheels as published and as we know."""
    for theirs, ours in zip(published, wheels, strict=True):
        if theirs.sha256 not in ("", ours.sha256):
            yield (
                f"The index lists a different SHA-256 for {ours.file}. rdna1-setup uses the one "
                "in the plan."
            )
    family = [each for each in wheels if each.name in TORCH_FAMILY]
    if any(each.name == "torch" and "+" in each.version for each in family):
        for each in family:
            if "+" not in each.version:
                yield (
                    f"{each.file} has no label such as +rocm5.2 in its version. It may come from "
                    "PyPI and may have been built for other hardware."
                )
