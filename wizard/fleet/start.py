"""The script that starts the wizard of a folder."""

from __future__ import annotations

import shlex

import assets
from wizard.fleet.target import Target

SCRIPT = "fleet_start.sh"


def start_text(target: Target) -> str:
    """The script for these machines."""
    words = {
        "STACK": target.stack,
        "ARCHITECTURE": target.architecture,
        "MINOR": target.wizard_python,
        "PYTHON": target.wizard_python_path,
    }
    text = (assets.FOLDER / SCRIPT).read_text("utf-8")
    for name, word in words.items():
        text = text.replace(f"@{name}@", shlex.quote(word))
    return text
