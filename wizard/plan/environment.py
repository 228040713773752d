"""What a venv carries so that every way of starting its Python sees the stack's variables."""

from __future__ import annotations

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
    # pip cuts the value at white space and reads the file in the locale's encoding.
    plain = constraints.isascii() and not any(map(str.isspace, constraints))
    return f"[install]\nconstraint = {constraints if plain else Path(constraints).as_uri()}\n"
