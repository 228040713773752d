"""Clear the flag by which libraries ask for an executable stack."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.environment import site_packages
from wizard.host.files import Print, prints
from wizard.operations.operation import After, AtOnce, Before
from wizard.system.executable_stack import asks_for_executable_stack
from wizard.system.system import System
from wizard.system.whole_file import draft_of


@dataclass(frozen=True, slots=True)
class ClearExecutableStack(AtOnce):
    """Clear the executable-stack flag of libraries, as ``patchelf --clear-execstack`` does."""

    reason: str
    venv: str
    libraries: tuple[str, ...]
    """File names inside ``torch/lib``."""
    site: str = ""
    """The site folder of an environment that the user had before; ``""`` for one of ours."""

    title = "Clear the executable-stack flag"

    def shown(self) -> str:
        """Of which libraries."""
        return f"clear the executable-stack flag of {', '.join(self.libraries)} in {self.venv}"

    def act(self, system: System, before: Before) -> str:
        """Clear it, in those libraries that lie in the environment itself."""
        try:
            cleared = [
                library.name
                for library in self._found()
                if system.clear_executable_stack(str(library))
            ]
        except ValueError as error:
            raise Trouble(
                f"The executable-stack flag could not be cleared: {error}.",
                "The library has an unexpected format. Nothing in it was changed.",
                "Use another stack, or clear the flag with patchelf --clear-execstack and run the "
                "same command again.",
            ) from None
        return f"cleared: {', '.join(cleared)}" if cleared else "no library has this flag"

    def verify(self, before: Before) -> After:
        """That none of them has it."""
        if asking := [library for library in self._found() if _may_ask(library)]:
            raise Trouble(
                f"{asking[0]} still asks for an executable stack.",
                "Another program may be changing the environment.",
                "Run the same command again.",
            )
        return After(files=prints(Path(self.venv), self._places()))

    def remains(self, before: Before) -> Mapping[str, Print]:
        """Unfinished copies; the libraries go with their torch."""
        return prints(Path(self.venv), map(draft_of, self._places()))

    @property
    def undo(self) -> str:
        """With what it is undone."""
        return f"it is removed with the {'new torch' if self.site else 'venv'}"

    def _places(self) -> tuple[Path, ...]:
        return tuple(
            packages / "torch" / "lib" / name
            for packages in site_packages(Path(self.venv), self.site)
            for name in self.libraries
        )

    def _found(self) -> tuple[Path, ...]:
        venv = Path(self.venv).resolve()
        there = (library for library in self._places() if library.is_file())
        return tuple(each for each in there if each.resolve().is_relative_to(venv))


def _may_ask(library: Path) -> bool:
    try:
        return asks_for_executable_stack(library)
    except (OSError, ValueError):
        return True  # who clears it will say what is wrong
