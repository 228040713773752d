"""pip's installation report: which wheels, from where, with which hashes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
from packaging.version import InvalidVersion, Version

from wizard.core.credentials import redact
from wizard.core.lines import clean
from wizard.core.trouble import Trouble

FORMAT = "1"
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]*\.whl")
_SHA256 = re.compile(r"[0-9a-f]{64}")
TORCH_FAMILY = ("torch", "torchvision", "torchaudio")


@dataclass(frozen=True, slots=True)
class Wheel:
    """One wheel that the resolver chose."""

    name: str
    version: str
    file: str
    """A plain file name, checked."""
    address: str
    sha256: str
    """What the index published or pip computed; ``""`` for neither."""
    yanked: bool


def read_report(path: Path) -> tuple[Wheel, ...]:
    """Every wheel of the report; raises Trouble for anything that is not a wheel."""
    try:
        report = json.loads(path.read_text("utf-8"))
        if report["version"] != FORMAT:
            raise _unreadable(path, f"its format is {report['version']!r}, not {FORMAT!r}")
        return tuple(_wheel(item) for item in report["install"])
    except OSError as error:
        raise _unreadable(path, str(error.strerror)) from None
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise _unreadable(path, f"its structure is unknown ({type(error).__name__})") from None


def _unreadable(path: Path, why: str) -> Trouble:
    return Trouble(
        f"pip's report {path} cannot be used: {clean(why)}.",
        "pip's report lists what to download. Without it, nothing can be downloaded.",
        "Delete the report and run the same command again. pip then writes a new report.",
    )


def _wheel(item: Mapping[str, Any]) -> Wheel:
    name, version = str(item["metadata"]["name"]), str(item["metadata"]["version"])
    place = item["download_info"]
    address = str(place["url"])
    if "archive_info" not in place:
        raise _not_a_wheel(address)
    file = wheel_file(address)
    _require_match(file, name, version)
    return Wheel(
        str(canonicalize_name(name)),
        str(Version(version)),
        file,
        address,
        _sha256(place["archive_info"]),
        bool(item.get("is_yanked", False)),
    )


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


def _require_match(file: str, name: str, version: str) -> None:
    named, numbered, _, _ = parse_wheel_filename(file)
    if (named, numbered) != (canonicalize_name(name), Version(version)):
        raise Trouble(
            f"{file} contains {clean(name)} {clean(version)}, not what its name indicates.",
            (
                "A file whose name and content do not match cannot be trusted, so this file was "
                "not downloaded."
            ),
            "Use another index. This one has errors.",
        )


def _not_a_wheel(address: str) -> Trouble:
    return Trouble(
        f"pip chose a file that is not a wheel: {redact(clean(address))}.",
        "Source archives run their own code when they are built, so rdna1-setup installs only "
        "wheels.",
        "Choose versions that have a wheel for this Python, or use another index.",
    )


def _sha256(archive: Mapping[str, Any]) -> str:
    hashes = archive.get("hashes") or {}
    found = str(hashes.get("sha256", "")) or str(archive.get("hash", "")).removeprefix("sha256=")
    return found.lower() if _SHA256.fullmatch(found.lower()) else ""


def unlabelled(wheels: tuple[Wheel, ...]) -> tuple[Wheel, ...]:
    """Members of the torch family without a ``+rocm`` or ``+cpu`` label beside a torch with one."""
    family = [wheel for wheel in wheels if wheel.name in TORCH_FAMILY]
    if not any(wheel.name == "torch" and "+" in wheel.version for wheel in family):
        return ()
    return tuple(wheel for wheel in family if "+" not in wheel.version)
