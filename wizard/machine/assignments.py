"""Finds assignments of wanted variables in scripts and files of settings, without running them.

Each function gives name, value and line number, and never anything about another variable.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable, Iterator
from itertools import islice

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
        for words in _statements(line[:LONGEST_LINE])
        for name, value in _in_statement(words)
        if is_wanted(name)
    ]


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
    if not any(
        option == "--export" or (not option.startswith("--") and "x" in option)
        for option in options
    ):
        return []
    values = [word for word in words if not word.startswith("-")]
    # fish joins the elements of lists that are called like a path with colons
    joint = ":" if values and values[0].endswith("PATH") else " "
    return [(values[0], joint.join(values[1:]))] if values else []


def _pair(word: str) -> tuple[str, str] | None:
    name, equals, value = word.partition("=")
    return (name, value) if equals and NAME.fullmatch(name) else None


Assigned = tuple[str, str, int]
Reader = Callable[[str], list[Assigned]]

MODULE_LIMIT = 10
LONGEST_JSON = 1_000_000
# As texts, which re compiles when they are first needed: most homes hold none of these files.
FISH_BYTE = r"\\x([0-9a-fA-F]{2})"
FISH_SEPARATOR = "\x1e"
UNIT_ENVIRONMENT = r"\s*Environment\s*=(.*)"
UNIT_FILE = r"(?m)^[ \t]*EnvironmentFile[ \t]*=[ \t]*-?(/\S+)[ \t]*$"
PYTHON_TEXT = r"""(?:'([^'\\\n]*)'|"([^"\\\n]*)")"""
PYTHON_SETS = (
    rf"environ\s*\[\s*['\"](\w+)['\"]\s*\]\s*=\s*{PYTHON_TEXT}",
    rf"(?:environ\.setdefault|putenv)\(\s*['\"](\w+)['\"]\s*,\s*{PYTHON_TEXT}",
    rf"['\"](\w+)['\"]\s*:\s*{PYTHON_TEXT}",
    rf"\b(\w+)\s*=\s*{PYTHON_TEXT}\s*[,)]",
)
"""Item assignment, setdefault and putenv; and the two ways to write ``environ.update``."""
YAML_KEY = r"""( *)(?:- +)?["']?([\w.-]+)["']?\s*:(?:\s+(.*))?"""
YAML_ITEM = r"""( *)- +(["']?)([A-Z_a-z]\w*)=(.*)"""
YAML_COMMENT = r"\s+#.*"


def fish_universals(text: str) -> list[Assigned]:
    """Exported universal variables of ``fish_variables``."""
    found: list[Assigned] = []
    for line, number in _mentioning(text):
        head, _, value = line.partition(":")
        words = head.split()
        if words[:1] == ["SETUVAR"] and "--export" in words and is_wanted(words[-1]):
            plain = re.sub(FISH_BYTE, lambda match: chr(int(match[1], 16)), value)
            joint = ":" if words[-1].endswith("PATH") else " "
            found.append((words[-1], plain.replace(FISH_SEPARATOR, joint), number))
    return found


def json_variables(key: str) -> Reader:
    """Reads the object under this key of a JSON file: ``env_vars`` of conda, ``env`` of Jupyter."""

    def read(text: str) -> list[Assigned]:
        if not MENTION.search(text) or len(text) > LONGEST_JSON:
            return []
        try:
            values = json.loads(text)
        except (ValueError, RecursionError):
            return []
        found = values.get(key) if isinstance(values, dict) else None
        if not isinstance(found, dict):
            return []
        pairs = [(n, v) for n, v in found.items() if is_wanted(n) and isinstance(v, str)]
        return [
            (name, value, text.count("\n", 0, max(text.find(f'"{name}"'), 0)) + 1)
            for name, value in pairs
        ]

    return read


def unit_environment(text: str) -> list[Assigned]:
    """``Environment=`` of a systemd unit or drop-in, also over several lines."""
    found: list[Assigned] = []
    for line, number in _continued(text):
        if (match := re.match(UNIT_ENVIRONMENT, line)) and MENTION.search(line):
            pairs = (word.partition("=") for word in _words(match[1]))
            found += [(name, value, number) for name, _, value in pairs if is_wanted(name)]
    return found


def unit_files(text: str) -> tuple[str, ...]:
    """Files that a systemd unit takes variables from; those with specifiers are left out."""
    found = re.findall(UNIT_FILE, text) if "EnvironmentFile" in text else ()
    return tuple(path for path in found if "%" not in path and "*" not in path)


def imported_modules(pth: str) -> tuple[str, ...]:
    """Modules that a ``.pth`` file imports by lines of their own, which Python then runs."""
    lines = (line for line in pth.splitlines() if line.startswith("import "))
    words = (line.partition(";")[0].split() for line in lines)
    modules = (word[1] for word in words if len(word) == 2 and word[1].isidentifier())
    return tuple(islice(modules, MODULE_LIMIT))


def python_environ(text: str) -> list[Assigned]:
    """What a module puts into ``os.environ`` as plain text."""
    if "environ" not in text and "putenv" not in text:
        return []
    return [
        (match[1], match[2] if match[2] is not None else match[3], number)
        for line, number in _mentioning(text)
        if not line.lstrip().startswith("#")
        for pattern in PYTHON_SETS
        for match in re.finditer(pattern, line)
        if is_wanted(match[1])
    ]


def compose_environment(text: str) -> list[Assigned]:
    """What stands under ``environment:`` of a compose file, as a list or as a mapping."""
    if not MENTION.search(text):
        return []
    found: list[Assigned] = []
    inside: int | None = None  # indentation of the ``environment:`` that we are below
    for number, line in enumerate(text.split("\n"), start=1):
        plain = line[:LONGEST_LINE].rstrip()
        if not plain.strip() or plain.lstrip().startswith("#"):
            continue
        key, indent = re.fullmatch(YAML_KEY, plain), len(plain) - len(plain.lstrip(" "))
        item = re.fullmatch(YAML_ITEM, plain)
        if inside is not None and (indent > inside or (item and indent == inside)):
            found += _in_environment(plain, number)
        else:
            opens = key is not None and key[2] == "environment" and not key[3]
            inside = indent if opens else None
    return found


def _in_environment(line: str, number: int) -> list[Assigned]:
    if item := re.fullmatch(YAML_ITEM, line):
        name, value = item[3], item[4]
        value = value.rpartition(item[2])[0] if item[2] else _yaml_value(value)
    elif key := re.fullmatch(YAML_KEY, line):
        name, value = key[2], _yaml_value(key[3] or "")
    else:
        return []
    return [(name, value, number)] if is_wanted(name) and value else []


def _yaml_value(text: str) -> str:
    text = text.strip()
    if text[:1] in ("'", '"') and (end := text.find(text[0], 1)) > 0:
        return text[1:end]
    return re.sub(YAML_COMMENT, "", text)


def _mentioning(text: str) -> Iterator[tuple[str, int]]:
    """Lines with a variable that we look for, cut to a bearable length, and their numbers."""
    if not MENTION.search(text):
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if MENTION.search(line):
            yield line[:LONGEST_LINE], number


def _continued(text: str) -> Iterator[tuple[str, int]]:
    """Lines joined where one ends in a backslash, each with the number of its first line."""
    waiting, first = "", 1
    for number, line in enumerate(text.split("\n"), start=1):
        first = number if not waiting else first
        waiting += line[:LONGEST_LINE].removesuffix("\\")
        if line.endswith("\\") and len(waiting) < LONGEST_LINE:
            waiting += " "
            continue
        yield waiting, first
        waiting = ""
    if waiting:
        yield waiting, first


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.replace('"', "").split()
