"""Which files below a venv are ours, so that undo removes those and no others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from wizard.host.files import Print
from wizard.run.journal import append_lines


class Owned:
    """The record of what is ours below one venv, kept in the folder of its run."""

    def __init__(self, run: Path) -> None:
        self._file = run / "owned.jsonl"

    def add(self, files: Mapping[str, Print]) -> None:
        """Note files as ours; a later note of the same path replaces the earlier one."""
        append_lines(self._file, [json.dumps([path, *files[path]]) for path in sorted(files)])

    def read(self) -> dict[str, Print]:
        """Everything noted so far; a line cut off by a crash, or damaged, is left out."""
        try:
            lines = self._file.read_bytes().splitlines()
        except OSError:
            return {}
        return dict(note for note in map(_note, lines) if note is not None)


def _note(line: bytes) -> tuple[str, Print] | None:
    try:
        path, size, time = json.loads(line)
    except (ValueError, TypeError):
        return None
    return (path, (size, time)) if isinstance(path, str) else None
