"""The wizard that runs, as a wheel: packed from its own files, so that it needs no source tree."""

from __future__ import annotations

import base64
import os
import zipfile
from collections.abc import Iterator
from hashlib import sha256
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import wizard
from wizard.run.trouble import Trouble

NAME = "rdna1-setup"
PARTS = ("wizard", "screens", "assets")
TIME = (2020, 1, 1, 0, 0, 0)
"""One for every member, so that the same files make the same wheel."""
WHEEL = "Wheel-Version: 1.0\nGenerator: rdna1-setup\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
PROGRAM = "[console_scripts]\nrdna1-setup = wizard.__main__:main\n"
EXECUTABLE = 0o755 << 16
READABLE = 0o644 << 16


def pack_wizard(folder: Path) -> Path:
    """The wheel in this folder. Raises Trouble where what it depends on is not known."""
    stem = f"rdna1_setup-{wizard.__version__}"
    info = f"{stem}.dist-info"
    contents = {
        **{name: path.read_bytes() for name, path in _files()},
        f"{info}/METADATA": _metadata().encode(),
        f"{info}/WHEEL": WHEEL.encode(),
        f"{info}/entry_points.txt": PROGRAM.encode(),
    }
    contents[f"{info}/RECORD"] = _record(contents, f"{info}/RECORD").encode()
    path = folder / f"{stem}-py3-none-any.whl"
    folder.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.rdna1-setup")
    with zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in contents.items():
            member = zipfile.ZipInfo(name, TIME)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = EXECUTABLE if name.endswith(".sh") else READABLE
            archive.writestr(member, content)
    draft.replace(path)
    return path


def _files() -> Iterator[tuple[str, Path]]:
    above = Path(wizard.__file__).parents[1]
    for part in PARTS:
        for folder, folders, names in os.walk(above / part):
            folders[:] = sorted(name for name in folders if name != "__pycache__")
            for name in sorted(names):
                path = Path(folder, name)
                yield str(path.relative_to(above)), path


def _metadata() -> str:
    """What the wizard depends on, as it was installed, under the version that runs."""
    text = _installed().read_text("METADATA") or ""
    head, blank, body = text.partition("\n\n")
    lines = [line for line in head.splitlines() if not line.startswith("Version:")]
    return "\n".join((*lines, f"Version: {wizard.__version__}")) + blank + body


def _installed() -> Distribution:
    try:
        return distribution(NAME)
    except PackageNotFoundError:
        raise Trouble(
            "This wizard runs from its source and was never installed.",
            "What it depends on is written down when it is installed; without that, the folder "
            "would hold a wizard that does not start.",
            "Install it (`pipx install .`, or pip install . in a venv), then run it from there.",
        ) from None


def _record(contents: dict[str, bytes], itself: str) -> str:
    rows = (f"{name},sha256={_hash(content)},{len(content)}" for name, content in contents.items())
    return "\n".join((*rows, f"{itself},,", ""))


def _hash(content: bytes) -> str:
    return base64.urlsafe_b64encode(sha256(content).digest()).rstrip(b"=").decode()
