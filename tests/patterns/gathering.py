"""Every regular expression of the program: those compiled when it is loaded, and those in calls."""

from __future__ import annotations

import ast
import importlib
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[2]
PACKAGES = ("wizard", "screens", "assets")
MODULES = ("wizard/**/*.py", "screens/**/*.py", "assets/*.py", "assets/root/*.py")
CALLS = ("search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer")
BEGINS = frozenset({"match", "fullmatch"})
"""Calls that look where a text begins, and nowhere else."""
ANYWHERE = "search"
PROGRAMS = (
    *("wizard/__main__.py", "assets/conv2d_worker.py", "assets/conv2d_repro.py"),
    *("assets/torch_check.py", "assets/root/__main__.py"),
)
"""Run when they are imported."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """A pattern, where it stands, and whether it is looked for anywhere in a text."""

    where: str
    pattern: re.Pattern[Any]
    method: str = ANYWHERE


@dataclass(frozen=True, slots=True)
class Call:
    """A call of ``re`` in the code."""

    path: str
    line: int
    method: str
    pattern: ast.expr
    flags: ast.expr | None
    inside: bool
    """True in a function."""
    name: str = ""
    """The constant that it is the value of."""


@cache
def sources() -> dict[str, str]:
    """The modules of the program by their paths."""
    paths = (path for form in MODULES for path in sorted(ROOT.glob(form)))
    return {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in paths}


@cache
def parsed(path: str) -> ast.Module:
    """One of them as a tree."""
    return ast.parse(sources()[path])


@cache
def calls() -> tuple[Call, ...]:
    """Every call of a function of ``re`` with a pattern."""
    return tuple(_calls())


def _calls() -> Iterator[Call]:
    for path in filter(_speaks_of_re, sources()):
        tree = parsed(path)
        inside = {id(node) for function in _functions(tree) for node in ast.walk(function)}
        names = {
            id(node.value): ast.unparse(target)
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            for target in node.targets
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (method := _of_re(node.func)):
                flags = next((word.value for word in node.keywords if word.arg == "flags"), None)
                if method == "compile" and len(node.args) > 1:
                    flags = node.args[1]
                if method in ("search", "match", "fullmatch", "findall", "finditer"):
                    flags = node.args[2] if len(node.args) > 2 else flags
                name = names.get(id(node), "")
                yield Call(path, node.lineno, method, node.args[0], flags, id(node) in inside, name)


def _speaks_of_re(path: str) -> bool:
    return "import re\n" in sources()[path]


def _speaks_of_constants(path: str) -> bool:
    names = {call.name for call in calls() if call.name and not call.inside}
    return not names.isdisjoint(re.findall(r"\w+", sources()[path]))


def _functions(tree: ast.Module) -> Iterator[ast.AST]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
    return (node for node in ast.walk(tree) if isinstance(node, kinds))


def _of_re(function: ast.expr) -> str:
    if not isinstance(function, ast.Attribute) or function.attr not in ("compile", *CALLS):
        return ""
    owner = function.value
    return function.attr if isinstance(owner, ast.Name) and owner.id == "re" else ""


def in_calls() -> tuple[tuple[Gathered, ...], tuple[str, ...]]:
    """The patterns of calls in functions, and the calls whose pattern is only known when run."""
    known, made = [], []
    for call in calls():
        if not call.inside:
            continue
        try:
            flags = _value(call.path, call.flags) or 0
            pattern = re.compile(_value(call.path, call.pattern), flags)
        except NameError:
            words = ast.get_source_segment(sources()[call.path], call.pattern) or ""
            made.append(f"{call.path}: {' '.join(words.split())}")
            continue
        method = call.method if call.method in BEGINS else ANYWHERE
        known.append(Gathered(f"{call.path}:{call.line}", pattern, method))
    return tuple(known), tuple(made)


def _value(path: str, expression: ast.expr | None) -> Any:
    """What an expression of constants is in its module; ``NameError`` for any other."""
    if expression is None:
        return None
    code = compile(ast.Expression(expression), path, "eval")
    return eval(code, dict(vars(_module(path))))  # noqa: S307 - our own source


def _module(path: str) -> ModuleType:
    name = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return importlib.import_module(name)


def on_loading() -> tuple[Gathered, ...]:
    """What is compiled when all modules are loaded; to be called before any of them is."""
    compiled: dict[tuple[str, int, re.Pattern[Any]], None] = {}
    original = re.compile

    def noted(pattern: Any, flags: Any = 0) -> re.Pattern[Any]:
        caller = sys._getframe(1)
        made: re.Pattern[Any] = original(pattern, flags)
        compiled[caller.f_code.co_filename, caller.f_lineno, made] = None
        return made

    re.compile = noted
    try:
        for path in sources():
            if path not in PROGRAMS:
                _module(path)
    finally:
        re.compile = original
    methods = _methods(_uses())
    ours = tuple(f"{ROOT / package}/" for package in PACKAGES)
    return tuple(
        Gathered(where, pattern, methods.get(where, ANYWHERE))
        for file, line, pattern in compiled
        if file.startswith(ours) and (where := f"{Path(file).relative_to(ROOT)}:{line}")
    )


def _methods(uses: Mapping[tuple[str, str], set[str]]) -> dict[str, str]:
    """By the place of a constant: how it is used, where it is never looked for anywhere."""
    takers: defaultdict[str, set[str]] = defaultdict(set)
    for path in filter(_speaks_of_constants, sources()):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    takers[alias.name].add(path)
    found = {}
    for call in calls():
        if call.name and not call.inside:
            users = {call.path, "", *takers[call.name]}
            own = set[str]().union(*(uses.get((path, call.name), set()) for path in users))
            if own and own <= BEGINS:
                found[f"{call.path}:{call.line}"] = min(own, key=("match", "fullmatch").index)
    return found


def _uses() -> defaultdict[tuple[str, str], set[str]]:
    """What is called of a name, by module; of an attribute, by no module."""
    found: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for path in filter(_speaks_of_constants, sources()):
        nodes, called = list(ast.walk(parsed(path))), set()
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in (*CALLS, "pattern"):
                called.add(id(node.value))
                if node.attr != "pattern" and (key := _named(path, node.value)):
                    found[key].add(node.attr)
        for node in nodes:
            loaded = isinstance(getattr(node, "ctx", None), ast.Load)
            if loaded and id(node) not in called and (key := _named(path, node)):
                found[key].add(ANYWHERE)
    return found


def _named(path: str, node: ast.AST) -> tuple[str, str] | None:
    if isinstance(node, ast.Name):
        return path, node.id
    return ("", node.attr) if isinstance(node, ast.Attribute) else None
