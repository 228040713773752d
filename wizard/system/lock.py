"""The lock between the steps: which wheels were chosen, from where, with which hashes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from wizard.core.credentials import redact
from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.system.whole_file import write_whole

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel that was chosen."""

    name: str
    version: str
    file: str
    """A plain file name, checked."""
    address: str
    sha256: str = ""
    """As the index published it; ``""`` where it did not."""
    size: int | None = None


def write_wheels(path: Path, wheels: Iterable[Wheel]) -> None:
    """Write them whole, so that a kill leaves the old file or the new one."""
    rows = [asdict(wheel) for wheel in wheels]
    write_whole(path, json.dumps({"version": 1, "wheels": rows}, indent=1) + "\n")


def read_wheels(path: Path) -> tuple[Wheel, ...]:
    """Every wheel of the file; raises Trouble for a damaged one."""
    try:
        found = json.loads(path.read_text("utf-8"))
        return tuple(_wheel(row) for row in found["wheels"])
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _unreadable(path, f"its structure is unknown ({type(error).__name__})") from None


def _wheel(row: Mapping[str, Any]) -> Wheel:
    size = row["size"]
    return checked(
        Wheel(
            str(row["name"]),
            str(row["version"]),
            str(row["file"]),
            str(row["address"]),
            str(row["sha256"]),
            None if size is None else int(size),
        )
    )


def checked(wheel: Wheel) -> Wheel:
    """The wheel; raises Trouble where its names do not fit together."""
    if wheel.file != wheel_file(wheel.address) or (
        wheel.sha256 and not _SHA256.fullmatch(wheel.sha256)
    ):
        raise _not_a_wheel(wheel.address)
    named, numbered, _, _ = parse_wheel_filename(wheel.file)
    if (named, numbered) != (canonicalize_name(wheel.name), Version(wheel.version)):
        raise Trouble(
            f"{wheel.file} contains {clean(wheel.name)} {clean(wheel.version)}, not what its name "
            "indicates.",
            "A file whose name and content do not match cannot be trusted, so this file was not "
            "downloaded.",
            "Use another index. This one has errors.",
        )
    return wheel


def wheel_file(address: str) -> str:
    """The file name at the end of an address, if it is a wheel's and nothing more."""
    file = unquote(urlsplit(address).path).rpartition("/")[2]
    if "%2f" in address.lower() or not _PLAIN_NAME.fullmatch(file):
        raise _not_a_wheel(address)
    try:
        parse_wheel_filename(file)
    except (InvalidWheelFilename, InvalidVersion):
        raise _not_a_wheel(address) from None
    return file


def _not_a_wheel(address: str) -> Trouble:
    return Trouble(
        f"This file is not a wheel: {redact(clean(address))}.",
        "Source archives run their own code when they are built, so rdna1-setup installs only "
        "wheels.",
        "Choose versions that have a wheel for this Python, or use another index.",
    )


def _unreadable(path: Path, why: str) -> Trouble:
    return Trouble(
        f"The list of chosen packages {path} cannot be used: {clean(why)}.",
        "It says what to download. Without it, nothing can be downloaded.",
        "Delete the file and run the same command again. The versions are then chosen again.",
    )
