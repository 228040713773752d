"""What a venv carries so that every way of starting its Python sees the stack's variables."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

MODULE = "rdna1_setup_environment"
"""Name of the module in site-packages that the ``.pth`` file imports."""

PTH = f"import {MODULE}\n"
"""Python's site module runs a ``.pth`` line that begins with ``import`` at every start."""


def module_text(settings: tuple[tuple[str, str], ...], unset: tuple[str, ...]) -> str:
    """The module that sets and removes variables before torch can load."""
    lines = ['"""Variables of this environment, written by rdna1-setup."""']
    lines += ["", "import os", ""]
    lines += [f"os.environ[{name!r}] = {value!r}" for name, value in settings]
    lines += [f"os.environ.pop({name!r}, None)" for name in unset]
    return "\n".join(lines) + "\n"


def launcher_text(venv: str, settings: tuple[tuple[str, str], ...], unset: tuple[str, ...]) -> str:
    """``rdna1-python``: the same, for what must be settled before the interpreter starts.

    The loader reads LD_LIBRARY_PATH once, when a process starts: no Python code can undo it.
    """
    lines = ["#!/bin/sh", "# Written by rdna1-setup: starts this venv's Python."]
    lines += [f"unset {name}" for name in unset]
    lines += [f"export {name}={shlex.quote(value)}" for name, value in settings]
    lines += [f'exec {shlex.quote(venv + "/bin/python")} "$@"']
    return "\n".join(lines) + "\n"


def pip_configuration(constraints: str) -> str:
    """``pip.conf`` of the venv: later installations keep to the constraints."""
    return f"[install]\nconstraint = {_constraint(constraints)}\n"


def with_constraint(text: str, constraints: str) -> str:
    """A ``pip.conf`` that was there with our constraint added, all else in it as it was."""
    if not text.strip():
        return pip_configuration(constraints)
    section = _INSTALL.search(text)
    if section is None:
        return f"{text.rstrip()}\n\n{pip_configuration(constraints)}"
    start, end = section.span("lines")
    lines, ours = text[start:end], _constraint(constraints)
    mended, count = _CONSTRAINT.subn(lambda found: f"{found[0]}{ours} ", lines, count=1)
    mended = mended if count else f"constraint = {ours}\n{lines}"
    return f"{text[:start]}{mended}{text[end:]}"


_INSTALL = re.compile(r"^\[install\][^\n]*\n(?P<lines>(?:(?!\[).*(?:\n|\Z))*)", re.MULTILINE)
_CONSTRAINT = re.compile(r"^constraint[ \t]*[=:][ \t]*", re.MULTILINE)
"""pip takes several files there, with white space between them."""


def _constraint(path: str) -> str:
    # pip cuts the value at white space and reads the file in the locale's encoding.
    plain = path.isascii() and not any(map(str.isspace, path))
    return path if plain else Path(path).as_uri()
