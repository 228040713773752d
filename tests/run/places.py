"""A home of their own for tests that run plans, and a small venv to work on."""

import os
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from wizard.core.journal import Kind
from wizard.core.own_files import Places, places
from wizard.operations.operation import After, Before, Operation
from wizard.plan.steps import Plan, Step
from wizard.system.system import News, System


def places_below(folder: Path) -> Places:
    """Our folders below a test's home."""
    return places({}, str(folder))


def plan_of(folder: Path, *steps: Step | Operation, plan_id: str = "0123456789ab") -> Plan:
    """A plan for ``folder/venv`` made of these steps."""
    return Plan(
        id=plan_id,
        kind=Kind.INSTALL,
        stack="cpu",
        footprint="venv",
        venv=str(folder / "venv"),
        steps=cast("tuple[Step, ...]", steps),
        download_bytes=None,
        installed_bytes=None,
        notes=(),
    )


@dataclass(frozen=True, slots=True)
class RunProgram(Operation):
    """A step that no plan of ours has: a program that a test wants to be run, or to fail."""

    reason: str
    argv: tuple[str, ...]
    deadline_s: float = 60.0

    title = "Run a program"

    def shown(self) -> str:
        return " ".join(self.argv)

    async def do(self, system: System, before: Before) -> News:
        output = system.run(self.argv, system.environment(), self.deadline_s)
        async with aclosing(output):
            async for lines in output:
                yield lines

    def verify(self, before: Before) -> After:
        return After("done")


def fake_uv(folder: Path) -> Path:
    """A program that does what ``uv venv ... DIR`` does, in a few milliseconds."""
    program = folder / "fake-uv"
    program.write_text(
        "#!/bin/sh\n"
        "for made; do :; done\n"
        'mkdir -p "$made/bin" "$made/lib/python3.10/site-packages"\n'
        'echo "home = /usr/bin" > "$made/pyvenv.cfg"\n'
        'echo "deactivate" > "$made/bin/activate"\n'
        'ln -sf /bin/sh "$made/bin/python"\n'
        "echo made\n"
    )
    program.chmod(0o755)
    return program


def tree(folder: Path) -> dict[str, str]:
    """Everything below a folder: text of files, targets of links."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {os.readlink(path)}"  # noqa: PTH115 - the raw target
        elif path.is_file():
            found[name] = path.read_text()
        else:
            found[name] = "folder"
    return found
