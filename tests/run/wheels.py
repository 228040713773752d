"""Wheels made by the tests: tiny pure Python, valid to pip, with any name, version and size."""

from __future__ import annotations

import base64
import hashlib
import random
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path

_SINCE = (2020, 1, 1, 0, 0, 0)
"""One time stamp for every member, so that the same call makes the same bytes."""


def make_wheel(
    folder: Path,
    name: str,
    version: str,
    files: Mapping[str, str | bytes],
    python_tag: str = "py3",
    requires: Iterable[str] = (),
    size: int = 0,
    compression: int = zipfile.ZIP_STORED,
) -> Path:
    """A wheel in ``folder`` with these files, and ``size`` random bytes more.

    Names in ``files`` are paths inside site-packages. The same arguments give the same bytes.
    """
    stem = f"{name.replace('-', '_')}-{version}"
    info = f"{stem}.dist-info"
    contents = {path: _bytes(text) for path, text in files.items()}
    if size:
        padding = random.Random(stem).randbytes(size)  # noqa: S311 - padding, no secret
        contents[f"{name.replace('-', '_')}_padding.bin"] = padding
    contents[f"{info}/METADATA"] = _metadata(name, version, requires).encode()
    contents[f"{info}/WHEEL"] = _wheel(python_tag).encode()
    contents[f"{info}/RECORD"] = _record(contents, f"{info}/RECORD").encode()
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{stem}-{python_tag}-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in contents.items():
            archive.writestr(zipfile.ZipInfo(member, _SINCE), content, compression)
    return path


def metadata_of(wheel: Path) -> bytes:
    """The METADATA file of a wheel, as PEP 658 serves it."""
    with zipfile.ZipFile(wheel) as archive:
        # What a wheel carries of other packages (setuptools does) lies deeper.
        top = (name for name in archive.namelist() if name.count("/") == 1)
        (member,) = (name for name in top if name.endswith(".dist-info/METADATA"))
        return archive.read(member)


def sha256_of(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def make_stand_ins(folder: Path, torch_size: int = 0) -> tuple[Path, ...]:
    """Small wheels with the names and versions of the ``rocm52`` stack; ``import torch`` works.

    ``torch_size`` pads torch. A newer torch and numpy are there too, for a resolver to refuse.
    """
    torch = {"torch/__init__.py": "from torch.version import __version__ as __version__\n"}
    numpy = "__version__ = '{}'\n"
    return (
        make_wheel(
            folder,
            "torch",
            "1.13.1+rocm5.2",
            {**torch, "torch/version.py": "__version__ = '1.13.1+rocm5.2'\nhip = '5.2.0'\n"},
            requires=("typing-extensions",),
            size=torch_size,
        ),
        make_wheel(
            folder,
            "torch",
            "2.0.0",
            {**torch, "torch/version.py": "__version__ = '2.0.0'\nhip = None\n"},
            requires=("typing-extensions",),
        ),
        *(
            make_wheel(
                folder,
                name,
                version,
                {f"{name}/__init__.py": f"__version__ = '{version}'\n"},
                requires=requires,
            )
            for name, version, requires in (
                ("torchvision", "0.14.1+rocm5.2", ("torch==1.13.1", "numpy")),
                ("torchaudio", "0.13.1+rocm5.2", ("torch==1.13.1",)),
            )
        ),
        make_wheel(folder, "numpy", "1.26.4", {"numpy/__init__.py": numpy.format("1.26.4")}),
        make_wheel(folder, "numpy", "2.0.0", {"numpy/__init__.py": numpy.format("2.0.0")}),
        make_wheel(folder, "typing-extensions", "4.12.2", {"typing_extensions.py": "x = 1\n"}),
    )


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _metadata(name: str, version: str, requires: Iterable[str]) -> str:
    needs = "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
    return f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}\n"


def _wheel(python_tag: str) -> str:
    tag = f"Tag: {python_tag}-none-any\n"
    return f"Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\n{tag}"


def _record(contents: Mapping[str, bytes], itself: str) -> str:
    def row(path: str, content: bytes) -> str:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        return f"{path},sha256={digest},{len(content)}\n"

    return "".join(row(path, content) for path, content in contents.items()) + f"{itself},,\n"
