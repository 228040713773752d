"""Which package of the program imports which, read from the sources."""

from __future__ import annotations

import ast
import textwrap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
TOPS = ("wizard", "screens", "assets")
WIDTH = 100


def import_graph() -> dict[str, tuple[str, ...]]:
    """The packages that each package imports, itself left out; those that import most come first.

    Imports inside functions count too; those for type checkers alone do not.
    """
    graph: defaultdict[str, set[str]] = defaultdict(set)
    for top in TOPS:
        for path in (ROOT / top).rglob("*.py"):
            here = package_of(path.relative_to(ROOT).with_suffix("").parts)
            graph[here] |= {package_of(tuple(name.split("."))) for name in imported(path)} - {here}
    order = sorted(graph, key=lambda package: (-len(reach(graph, package)), package))
    return {package: tuple(sorted(graph[package])) for package in order}


def graph_lines() -> Iterator[str]:
    """The graph as text, a package a paragraph."""
    for package, others in import_graph().items():
        text = f"{package} -> {', '.join(others) or 'nothing of ours'}"
        yield from textwrap.wrap(text, WIDTH, subsequent_indent="    ")


def package_of(parts: tuple[str, ...]) -> str:
    """The package that a module is counted to: ``wizard.plan``, ``screens``, ``wizard`` itself."""
    if parts[0] != "wizard":
        return parts[0]
    if parts[1:] == ("__main__",):
        return "wizard.__main__"
    return ".".join(parts[:2]) if (ROOT / "wizard" / Path(*parts[1:2])).is_dir() else "wizard"


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports."""
    for node in _nodes(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _ours(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module and _ours(node.module):
            # from wizard import plan: the module is named behind the package
            names = (f"{node.module}.{alias.name}" for alias in node.names)
            yield from names if node.module in TOPS else (node.module,)


def reach(graph: dict[str, set[str]], package: str) -> set[str]:
    """All that a package imports, and what that imports in turn."""
    found: set[str] = set()
    waiting = [package]
    while waiting:
        new = graph.get(waiting.pop(), set()) - found
        found |= new
        waiting += new
    return found


def _nodes(node: ast.AST) -> Iterator[ast.AST]:
    """A tree without what stands below ``if TYPE_CHECKING``."""
    yield node
    for child in ast.iter_child_nodes(node):
        test = getattr(child, "test", None)
        if isinstance(child, ast.If) and isinstance(test, ast.Name) and test.id == "TYPE_CHECKING":
            continue
        yield from _nodes(child)


def _ours(module: str) -> bool:
    return module.split(".")[0] in TOPS
