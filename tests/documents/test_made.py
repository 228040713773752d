"""The man page, completions and import graph fit the program of now."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents.import_graph import import_graph, reach
from tests.documents.made import ROOT, made, man_page
from wizard.cli.options import COMMANDS

MADE_WITH = (3, 11)
"""The Python whose argparse words the files that are kept."""


@pytest.mark.parametrize(("path", "text"), list(made()), ids=lambda one: getattr(one, "name", ""))
def test_what_is_made_from_the_program_fits_it(path: Path, text: str) -> None:
    if sys.version_info[:2] != MADE_WITH and path.suffix != ".md":
        pytest.skip("argparse words its help otherwise in other versions of Python")
    told = f"{path.relative_to(ROOT)} is out of date: python -m tests.documents.made"
    assert path.read_text("utf-8") == text, told


def test_the_man_page_tells_every_command() -> None:
    page = man_page().replace("\\-", "-")
    assert [name for name in COMMANDS if f"rdna1-setup {name}" not in page] == []


def test_no_two_packages_import_each_other() -> None:
    graph = {package: set(others) for package, others in import_graph().items()}
    mutual = {
        (one, other) for one in graph for other in graph[one] if one < other and one in graph[other]
    }
    assert mutual == set()
    assert "screens" not in {package for one in graph for package in reach(graph, one)}


@pytest.mark.parametrize(("shell", "check"), [("bash", "-n"), ("zsh", "-n"), ("fish", "-n")])
def test_a_shell_can_read_its_completions(shell: str, check: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    path = ROOT / "assets" / "completions" / f"rdna1-setup.{shell}"
    subprocess.run((shell, check, path), check=True, timeout=20)
