"""Completions made from the parser: paths where a path is expected, and the words that we know."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

import shtab

from wizard.cli.options import parser
from wizard.conv2d.shapes import load_operations, load_presets
from wizard.knowledge.applications import load_applications
from wizard.knowledge.causes import load_causes
from wizard.knowledge.explanations import load_explanations
from wizard.knowledge.stacks import load_stacks
from wizard.report.explanations import approaches

SHELLS = ("bash", "zsh", "fish")
FOLDERS = ("DIR", "RECORDED")
FILES = ("FILE", "FILE.py", "PATH", "PY", "CARD")
"""What the help calls a path."""
RUNS, MEASURED = "runs", "conv2d/runs"
"""Where runs lie, below the folder for state."""


def completion(shell: str) -> str:
    """The completions for one shell; bash falls back to its own, paths first of all."""
    command_line = parser()
    for command, action in _taking(command_line):
        if (complete := _complete(command, action)) is not None:
            action.complete = complete  # type: ignore[attr-defined]
    text = shtab.complete(command_line, shell).rstrip("\n") + "\n"
    return text.replace("\ncomplete -o bashdefault ", "\ncomplete -o default -o bashdefault ")


def _taking(command_line: argparse.ArgumentParser) -> Iterator[tuple[str, argparse.Action]]:
    """Everything that takes a value, with its command."""
    for action in command_line._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                yield from ((name, each) for each in command._actions if each.nargs != 0)
        elif action.nargs != 0:
            yield "", action


def _complete(command: str, action: argparse.Action) -> Any:
    """What may stand there; None where nobody knows."""
    words = {
        "stack": (stack.id for stack in load_stacks()),
        "app": (application.id for application in load_applications()),
        "topic": (topic.id for topic in (*load_explanations(), approaches())),
        "fix": load_causes(),
        "operations": (operation.id for operation in load_operations()),
    }
    match action.dest:
        case "preset" if command == "conv2d":
            return _words("tables", (preset.id for preset in load_presets()))
        case "preset":
            names = (preset.name for stack in load_stacks() for preset in stack.presets)
            return _words("presets", dict.fromkeys(names))
        case "run_id":
            return _listed("runs", RUNS)
        case "attach" | "run":
            return _listed("measured", MEASURED)
        case name if name in words:
            return _words(name, words[name])
        case _ if action.metavar in FOLDERS:
            return shtab.DIRECTORY
        case _:
            return shtab.FILE if action.metavar in FILES else None


def _words(name: str, words: Iterable[str]) -> dict[str, Any]:
    """Fixed words, each as its shell wants it quoted."""
    known = sorted(words)
    quoted = [shlex.quote(word) for word in known]
    escaped = [word.replace(" ", "\\ ") for word in known]
    return {
        **_bash(name, f"printf '%s\\n' {' '.join(map(shlex.quote, escaped))}"),
        "zsh": f"({' '.join(escaped)})",
        "fish": " ".join(quoted),
    }


def _listed(name: str, folder: str) -> dict[str, Any]:
    """The names of the folders in a folder of ours."""
    found = f'command ls "${{XDG_STATE_HOME-$HOME/.local/state}}/rdna1-setup/{folder}" 2>/dev/null'
    home = "(set -q XDG_STATE_HOME; and echo $XDG_STATE_HOME; or echo ~/.local/state)"
    return {
        **_bash(name, found),
        # zsh evaluates it anew each time, out of a text in double quotes.
        "zsh": f"($({found}))".replace("$", "\\$").replace('"', '\\"'),
        "fish": f"(command ls {home}/rdna1-setup/{folder} 2>/dev/null)".replace("$", "\\$"),
    }


def _bash(name: str, command: str) -> dict[str, Any]:
    """A function for bash that prints those lines of a command that begin like the word."""
    function = f"_rdna1_setup_{name}"
    text = (
        f"{function}() {{\n"
        "  local line\n"
        f"  {command} |\n"
        '    while IFS= read -r line; do [[ "$line" == "$1"* ]] && printf \'%s\\n\' "$line"; done\n'
        "}"
    )
    return {"bash": function, "preamble": {"bash": text}}
