"""Finds assignments in shell and environment files, without running them."""

from __future__ import annotations

import re
import shlex

PREFIXES = ("HSA_", "HIP_", "ROCR_", "MIOPEN_", "AMD_LOG_", "AMD_SERIALIZE_")
NAMES = frozenset(
    {
        "AMDGCN_USE_BUFFER_OPS",
        "CUDA_VISIBLE_DEVICES",
        "GPU_ENABLE_WGP_MODE",
        "GPU_MAX_HW_QUEUES",
        "LD_LIBRARY_PATH",
        "PYTORCH_ROCM_ARCH",
        "ROCM_PATH",
    }
)
MENTION = re.compile(rf"(?:{'|'.join((*PREFIXES, *sorted(NAMES)))})")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
EXPORTS = frozenset({"export", "declare", "typeset", "readonly", "local"})
OPENINGS = frozenset({"if", "then", "else", "elif", "do", "while", "{", "!", "begin", "and", "or"})
FISH = "set"
LONGEST_LINE = 4_096


def is_wanted(name: str) -> bool:
    """True for the variables that we look for; no other is ever shown."""
    return name.startswith(PREFIXES) or name in NAMES


def assignments(text: str) -> list[tuple[str, str, int]]:
    """Name, value and line number of each wanted assignment.

    ``NAME=value program`` and aliases set nothing for later programs and are left out.
    """
    if not MENTION.search(text):
        return []
    return [
        (name, value, number)
        for number, line in enumerate(text.splitlines(), start=1)
        if MENTION.search(line)
        for name, value in _in_line(line[:LONGEST_LINE])
        if is_wanted(name)
    ]


def _in_line(line: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for statement in _statements(line):
        found += _in_statement(statement)
    return found


def _statements(line: str) -> list[list[str]]:
    """The words of each command of a line, quotes removed, comments left out."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";&|")
    lexer.whitespace_split = True
    lexer.commenters = ""  # it would take the rest of a value such as a#b for a comment
    statements: list[list[str]] = [[]]
    try:
        for word in lexer:
            if word.startswith("#"):
                break
            if set(word) <= {";", "&", "|"}:
                statements.append([])
            else:
                statements[-1].append(word)
    except ValueError:  # a quote that is closed on a later line: what stands before it counts
        pass
    return statements


def _in_statement(words: list[str]) -> list[tuple[str, str]]:
    while words and words[0] in OPENINGS:
        words = words[1:]
    if not words:
        return []
    if words[0] == FISH:
        return _in_fish(words[1:])
    if words[0] in EXPORTS:
        return [pair for pair in map(_pair, words[1:]) if pair is not None]
    pairs = [_pair(word) for word in words]
    return [pair for pair in pairs if pair is not None] if None not in pairs else []


def _in_fish(words: list[str]) -> list[tuple[str, str]]:
    """What fish's ``set`` exports: without ``-x`` no program sees the variable."""
    options = [word for word in words if word.startswith("-")]
    if not any(map(_exports, options)):
        return []
    values = [word for word in words if not word.startswith("-")]
    # fish joins the elements of lists that are called like a path with colons
    joint = ":" if values and values[0].endswith("PATH") else " "
    return [(values[0], joint.join(values[1:]))] if values else []


def _exports(option: str) -> bool:
    return option == "--export" or (not option.startswith("--") and "x" in option)


def _pair(word: str) -> tuple[str, str] | None:
    name, equals, value = word.partition("=")
    return (name, value) if equals and NAME.fullmatch(name) else None
