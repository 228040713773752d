"""What a text tells of the machine it comes from: settings, versions, what pip was asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from wizard.diagnose.lines import Line
from wizard.diagnose.settings_told import settings_of, taken_back

TOLD_ANCHORS = (
    "HSA_",
    "HIP_",
    "MIOPEN_",
    "ROCR_",
    "CUDA_VISIBLE_DEVICES",
    "LD_LIBRARY_PATH",
    "PYTORCH_ROCM_ARCH",
    "AMD_SERIALIZE",
    "torch==",
    "torch ",
    "torch-",
    "torch:",
    "__version__",
    "requirement torch",
    "PyTorch version",
    "+rocm",
    "+cu",
    "numpy",
    "NumPy 2.",
    "Could not find a version that satisfies",
    "No matching distribution",
    "there is no version of torch",
    "depends on torch",
    "index-url",
    "Looking in indexes",
    "Bundled Code Objects",
    "code object v",
    "[Not Found]",
    "arch_list",
    "GPU arch",
)
TORCH = re.compile(
    r"(?:\btorch(?:==|[ ]\s*(?:[|(]\s*)?v?|-|: v?)|PyTorch version:? v?|__version__\W{1,8})"
    r"([12]\.\d+\.\d+(?:(?:a|b|rc|\.?dev|\.post)\d{0,12}){0,3}(?:\+[\w.]+)?)"
)
BARE = re.compile(
    r"^\W{0,4}(?:Version: )?([12]\.\d+\.\d+(?:(?:a|rc|\.dev)\w*)?"
    r"\+(?:rocm|cu|cpu|git)[\w.]*)\W*(?:$|\s)"
)
NUMPY = re.compile(
    r"\bnumpy(?:==|[ ]\s*(?:[|(]\s*)?v?|-|: v?)(\d+\.\d+(?:\.\d+)?)|NumPy (2\.\d+(?:\.\d+)?)\b"
)
NO_VERSION = re.compile(
    r"(?:satisfies the requirement|No matching distribution found for) "
    r"((?:py)?torch[\w-]*)\s*([=~<>!]=?[^\s(;,]{0,60})?"
)
FROM_VERSIONS = re.compile(r"\(from versions: ([^)]{0,4000})\)?")
UV_NO_VERSION = re.compile(r"there is no version of (torch\w*)(==[^\s,]{1,60})")
POETRY_NO_VERSION = re.compile(
    r"depends on (torch\w*) \(([^)\s]{1,60})\) which doesn.t match any versions"
)
INDEX = re.compile(
    r"(?:index-url[ =]|find-links[ =]|\s-[fi] |Looking in (?:indexes|links): )[^\n]{0,300}"
)
MISSING_TARGET = re.compile(r"amdgcn-amd-amdhsa--(gfx\w{1,40})\S{0,80} - \[Not Found\]")
BUNDLED = re.compile(
    r"hip(?:v4)?-amdgcn-amd-amdhsa--(gfx[0-9a-f]+)"
    r"|^\s*(?:hipv4-)?amdgcn-amd-amdhsa--(gfx[0-9a-f]+)\S* - \[code object"
)
ARCH_LIST = re.compile(r"\[(?:'gfx\w+'(?:, )?)+\]")
ARCH = re.compile(r"GPU arch ?: ?(gfx[0-9a-f]+)")
PYTORCH_INDEX = re.compile(r"pytorch\.org|amd\.com|radeon\.com")
NOT_INSTALLED = re.compile(
    r"satisfies the requirement|No matching distribution|from versions|pip3? (?:install|download)"
    r"|uv (?:pip|add)|there is no version|^\s*(?:Requires|Required-by|Collecting)|requires? torch"
    r"|not a supported wheel|>=|<=|[Uu]ninstall|Found existing installation"
)


MOST = 300
"""So much of a kind is kept: more tells no more."""


class Said(NamedTuple):
    """A value, and the line that tells it."""

    name: str
    value: str
    line: Line


@dataclass(slots=True)
class Told:
    """What the lines tell, in their order."""

    settings: list[Said] = field(default_factory=list)
    taken_back: list[Said] = field(default_factory=list)
    """Variables that were unset."""
    torch: list[Said] = field(default_factory=list)
    """Versions of torch that are installed."""
    numpy: list[Said] = field(default_factory=list)
    refused: list[Said] = field(default_factory=list)
    """What pip was asked for and did not find: name and version."""
    offered: list[Said] = field(default_factory=list)
    """The versions that it found instead."""
    indexes: list[Said] = field(default_factory=list)
    missing_targets: list[Said] = field(default_factory=list)
    """Targets of devices for which a program holds no code."""
    bundled: list[Said] = field(default_factory=list)
    """Targets for which it does."""
    library_targets: list[Said] = field(default_factory=list)
    """Targets that a library names in an error."""

    def values(self, name: str) -> list[Said]:
        """What a variable is set to, everywhere it is."""
        return [said for said in self.settings if said.name == name]


class ToldLines:
    """Gathers from the lines of a text."""

    def __init__(self) -> None:
        self._told = Told()

    def found(self) -> Told:
        """All that was told."""
        return self._told

    def take(self, line: Line) -> None:
        """Look at one line."""
        told = self._told
        self._pip(line)
        if not line.wrapped:  # else its parts told it already
            self._settings_and_versions(line)
        for each in (told.settings, told.torch, told.numpy, told.refused, told.offered):
            del each[MOST:]
        for each in (told.indexes, told.missing_targets, told.bundled, told.library_targets):
            del each[MOST:]

    def _settings_and_versions(self, line: Line) -> None:
        text, told = line.text, self._told
        told.settings += [Said(name, value, line) for name, value in settings_of(line)]
        told.taken_back += [Said(name, "", line) for name in taken_back(line)]
        if not NOT_INSTALLED.search(text):
            told.torch += [Said("torch", found[1], line) for found in TORCH.finditer(text)]
            told.torch += [Said("torch", found[1], line) for found in BARE.finditer(text)]
            found_numpy = ((found[1] or found[2]) for found in NUMPY.finditer(text))
            told.numpy += [Said("numpy", version, line) for version in found_numpy]
        for pattern, into in (
            (MISSING_TARGET, told.missing_targets),
            (BUNDLED, told.bundled),
            (ARCH, told.library_targets),
        ):
            into += [Said("gfx", found[1] or found[2], line) for found in _groups(pattern, text)]
        for listed in ARCH_LIST.findall(text):
            told.bundled += [Said("gfx", gfx, line) for gfx in re.findall(r"gfx\w+", listed)]

    def _pip(self, line: Line) -> None:
        text, told = line.text, self._told
        for pattern in (NO_VERSION, UV_NO_VERSION, POETRY_NO_VERSION):
            told.refused += [Said(f[1], f[2] or "", line) for f in pattern.finditer(text)]
        told.offered += [Said("versions", f[1], line) for f in FROM_VERSIONS.finditer(text)]
        told.indexes += [Said("index", f[0], line) for f in INDEX.finditer(text)]


def _groups(pattern: re.Pattern[str], text: str) -> list[tuple[str, str, str]]:
    return [
        (f[0], f[1] or "", (f[2] if pattern.groups > 1 else "") or "")
        for f in pattern.finditer(text)
    ]
