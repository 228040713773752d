"""All texts that people read, by where they stand."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.documents.made import ROOT
from wizard.knowledge.tables import read_table

PARSED = {
    *("anchors", "pattern", "unless", "near", "unless_near", "beside", "without", "until"),
    *("other", "english", "quote", "words", "one_line", "start", "told", "slot", "graphics"),
}
"""Keys of data that are matched or quoted, not read."""
SHOWN = ("tests/golden/screens", "tests/golden/plain", "tests/golden/diagnose", "assets/explain")
PAGES = ("assets/man/rdna1-setup.1", "SCREENS.md", "tests/golden/plans.txt")
OPTION = re.compile(r"(?<![\w-])--?[a-z][\w-]*|https?://\S+|\S*/\S+")
"""What is typed or an address, and so no prose."""


@cache
def texts() -> tuple[tuple[str, str], ...]:
    """Each text with the file, and the line where there is one, that it stands in."""
    return tuple(_all())


def _all() -> Iterator[tuple[str, str]]:
    for path in sorted((*ROOT.glob("wizard/**/*.py"), *ROOT.glob("screens/**/*.py"))):
        yield from in_code(path)
    for path in sorted(ROOT.glob("assets/root/*.py")):
        yield from in_code(path)
    for name in ("conv2d_worker", "conv2d_repro", "torch_check"):
        yield from in_code(ROOT / f"assets/{name}.py")
    for path in sorted(ROOT.glob("assets/*.toml")):
        yield from ((path.name, text) for text in _values(read_table(path.name)))
    files = [path for folder in SHOWN for path in sorted((ROOT / folder).glob("*.*"))]
    for path in (*files, *(ROOT / page for page in PAGES)):
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            yield f"{path.relative_to(ROOT)}:{number}", line


def in_code(path: Path) -> Iterator[tuple[str, str]]:
    """The string literals of a module that hold a space; docstrings are none."""
    tree = ast.parse(path.read_text("utf-8"))
    inner = {
        id(child)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr | ast.JoinedStr)
        for child in ast.iter_child_nodes(node)
        if isinstance(child, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (str(v.value) if isinstance(v, ast.Constant) else "{}" for v in node.values)
            text = "".join(parts)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in inner else node.value
        else:
            continue
        if " " in text.strip() and not _is_program(text):
            yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def _is_program(text: str) -> bool:
    """True for a style sheet or a shell script, whose comments nobody is shown."""
    return bool(re.search(r";\n|\{\n", text))


def prose(text: str) -> str:
    """A text without options, paths and addresses in it."""
    return OPTION.sub("", text)


def _values(data: object) -> Iterator[str]:
    if isinstance(data, dict):
        for key, value in data.items():
            if key not in PARSED:
                yield from _values(value)
    elif isinstance(data, list):
        for value in data:
            yield from _values(value)
    elif isinstance(data, str) and " " in data.strip():
        yield data
