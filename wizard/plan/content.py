"""What a step puts into a file or takes out of it, line by line, as it is shown below the step."""

from __future__ import annotations

from wizard.plan.steps import Step, WriteFile, WriteSystemFile
from wizard.plan.user_files import PutLinesBack, TakeLinesOut, numbered


def content_lines(step: Step) -> tuple[str, ...]:
    """Every line; none for a step that edits no file."""
    match step:
        case (
            TakeLinesOut(lines=lines, instead=instead)
            | WriteSystemFile(lines=lines, instead=instead)
        ) if lines:
            return *numbered(lines), *(f"new {line}" for line in numbered(instead))
        case WriteFile(content=content) | WriteSystemFile(content=content):
            rows = content.split("\n")
            return tuple(rows[:-1] if rows[-1] == "" else rows)
        case PutLinesBack(lines=lines, instead=instead):
            return *(f"removed {line}" for line in numbered(instead)), *numbered(lines)
        case _:
            return ()
