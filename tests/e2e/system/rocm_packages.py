"""The packages of the stand-in archive, out of ``rocm_archive.toml``."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.e2e.system.debs import Deb
from tests.e2e.system.scripts import SCRIPTS, Place

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DATA = Path(__file__).with_name("rocm_archive.toml")
Data = Mapping[str, Any]
DRIVER = "/opt/amdgpu"


@dataclass(frozen=True, slots=True)
class Repository:
    """One suite of one of AMD's repositories."""

    path: str
    """Below the server, for example ``rocm/apt/5.7.1``."""
    suite: str
    release: str
    packages: tuple[Deb, ...]


def repositories() -> tuple[Repository, ...]:
    """Every suite with its packages."""
    data = read_data()
    return tuple(
        _Suite(data, row, suite, end).repository()
        for row in data["repositories"]
        for suite, end in row["suites"].items()
    )


def read_data() -> Data:
    """The whole file."""
    return tomllib.loads(DATA.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class _Suite:
    data: Data
    row: Data
    suite: str
    end: str

    def repository(self) -> Repository:
        plain = tuple(self._deb(name) for name in self.row["packages"])
        row = self.row
        return Repository(
            row["path"], self.suite, row["release"], (*plain, *self._versioned(plain))
        )

    def _version(self, name: str) -> str:
        text: str = self.row["packages"][name]
        if text.startswith("="):
            return text[1:].format(end=self.end)
        return f"{text}.{self.row['number']}-{self.row['build']}{self.end}"

    def _deb(self, name: str) -> Deb:
        module = self.data["modules"][name]
        place = self._place(name)
        scripts = SCRIPTS[module["scripts"]](place) if "scripts" in module else {}
        conffiles: dict[str, str] = module.get("conffiles", {})
        deb = Deb(
            name=name,
            version=self._version(name),
            architecture=module.get("architecture", "amd64"),
            depends=tuple(self._depends(name, module)),
            recommends=tuple(module.get("recommends", ())),
            provides=tuple(module.get("provides", ())),
            files={**_files(module, place), **{n: t.encode() for n, t in conffiles.items()}},
            programs=_programs(module, place),
            links=_links(module, place),
            conffiles=tuple(conffiles),
            scripts=scripts,
        )
        return replace(deb, maintainer=module.get("maintainer", deb.maintainer))

    def _place(self, name: str) -> Place:
        upstream = self._version(name).rpartition(":")[2]
        release, number, build = (self.row[key] for key in ("release", "number", "build"))
        return Place(f"/opt/rocm-{release}", release, number, build, upstream)

    def _depends(self, name: str, module: Data) -> Iterator[str]:
        for word in self.row.get("depends", {}).get(name, module.get("depends", [])):
            if word.startswith("@"):
                group = self.data["groups"][word[1:]]
                yield from (self._exact(one) for one in group if one in self.row["packages"])
            else:
                yield self._exact(word[1:]) if word.startswith("=") else word

    def _exact(self, name: str) -> str:
        return f"{name} (= {self._version(name)})"

    def _versioned(self, plain: tuple[Deb, ...]) -> Iterator[Deb]:
        """Such as ``rocm-core5.2.0``: the same files, no alternative, and beside other releases."""
        chosen = [deb for deb in plain if deb.name in self.row.get("versioned", ())]
        names = {name for deb in chosen for name in (deb.name, *deb.provides)}

        def longer(words: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(f"{w}{self.row['release']}" if w in names else w for w in words)

        for deb in chosen:
            yield replace(
                deb,
                name=longer((deb.name,))[0],
                depends=longer(deb.depends),
                provides=longer(deb.provides),
                scripts={},
            )


def _files(module: Data, place: Place) -> dict[str, bytes]:
    names = [f"{place.prefix}/{name}" for name in module.get("files", ())]
    names += [f"{DRIVER}/{name}" for name in module.get("driver_files", ())]
    names += [name.format(upstream=place.upstream) for name in module.get("system_files", ())]
    if headers := module.get("headers"):
        names += [f"{place.prefix}/include/{headers}/{headers}.h"]
        names += [f"{place.prefix}/lib/cmake/{headers}/{headers}-config.cmake"]
    files = {name: f"{name}, a stand-in of {place.release}\n".encode() for name in names}
    if library := module.get("library"):
        path = f"{place.prefix}/lib/{library}.0.{place.number}"
        files[path] = b"\x7fELF" + path.encode() + _padding(path, module.get("bytes", 4096))
    elif size := module.get("bytes"):
        path = f"{place.prefix}/llvm/lib/libLLVM.so"
        files[path] = b"\x7fELF" + _padding(path, size)
    version = f"{place.prefix}/.info/version"
    release = f"{place.release}-{place.build}\n".encode()
    return {n: release if n.startswith(version) else content for n, content in files.items()}


def _padding(seed: str, size: int) -> bytes:
    return random.Random(seed).randbytes(size)  # noqa: S311 - padding, no secret


def _programs(module: Data, place: Place) -> dict[str, bytes]:
    folder = f"{place.prefix}/{module.get('programs_in', 'bin')}"
    return {
        f"{folder}/{name}": f"#!/bin/sh\necho {name} of the stand-in {place.release}\n".encode()
        for name in module.get("programs", ())
    }


def _links(module: Data, place: Place) -> dict[str, str]:
    library = module.get("library")
    path = f"{place.prefix}/lib/{library}"
    return {path: f"{library}.0.{place.number}"} if library else {}
