"""THREATS.md promises nothing without a test: every one that it names is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\[(test_\w+)\]\((tests/[\w/]+\.py)\)")


def rows() -> list[str]:
    """The lines of its tables that name a threat."""
    lines = (ROOT / "THREATS.md").read_text().splitlines()
    cells = [line for line in lines if line.startswith("| ")]
    return [line for line in cells if not line.startswith(("| threat", "|--", "| -"))]


def test_every_threat_names_a_test_that_is_there() -> None:
    found = rows()
    assert len(found) > 15
    for row in found:
        links = LINK.findall(row)
        assert links, f"no test for: {row}"
        for name, path in links:
            names = {
                node.name
                for node in ast.walk(ast.parse((ROOT / path).read_text()))
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            }
            assert name in names, f"{path} has no {name}"


def test_it_is_one_page() -> None:
    assert len((ROOT / "THREATS.md").read_text().splitlines()) <= 75
