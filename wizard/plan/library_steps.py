"""Steps that exchange a library for a copy of it without the executable-stack flag, and back."""

from __future__ import annotations

from dataclasses import dataclass

from wizard.plan.titles import about_path


@dataclass(frozen=True, slots=True)
class ExchangeLibrary:
    """Keep a library beside itself under another name, and put a copy without the flag there."""

    reason: str
    path: str
    kept: str
    """Where what stands there now goes: beside it, so that nothing is copied."""
    bytes: int
    """The size of what stands there now; with another one nothing is done."""
    inverse: str
    needs_root: bool = False

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return about_path("Replace", self.path, "a library with a fixed copy")

    def __str__(self) -> str:
        return (
            f"rename {self.path} to {_name(self.kept)}, and put a copy without the "
            "executable-stack flag in its place"
        )


@dataclass(frozen=True, slots=True)
class BringLibraryBack:
    """Put the library back in the place of its copy."""

    reason: str
    path: str
    kept: str
    inverse: str
    needs_root: bool = False

    @property
    def title(self) -> str:
        """What it does, in a few words."""
        return about_path("Restore", self.path, "a library")

    def __str__(self) -> str:
        return f"remove {self.path}, and move {_name(self.kept)} back to its place"


def _name(path: str) -> str:
    return path.rpartition("/")[2]
