"""Lines of shell files that only set what ROCm reads, and that can go without breaking the rest."""

from __future__ import annotations

import re
import shlex
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from wizard.knowledge.variables import LIBRARY_PATH
from wizard.machine.assignments import assignments, is_wanted
from wizard.operations.edit_lines import Lines

OPENINGS = frozenset({"if", "for", "while", "until", "case", "select", "{"})
CLOSINGS = frozenset({"fi", "done", "esac", "}"})
FISH_OPENINGS = frozenset({"if", "for", "while", "switch", "function", "begin"})
FISH_CLOSINGS = frozenset({"end"})
BODIES = frozenset({"{"})
FISH_BODIES = FISH_OPENINGS - {"switch"}
"""After these commands follow; after the others a test, or names."""
LEADING = frozenset({"then", "do", "else", "elif", "!", "and", "or"})
"""Words after which a command follows on the same line."""
LISTS = {"then": True, "do": True, "else": True, "elif": False}
"""Words that begin a list of commands in a block, or a test."""
PLAIN_EXPORTS = re.compile(
    r"(?P<indent>[ \t]*)export(?P<words>(?:[ \t]+[A-Za-z_][A-Za-z0-9_]*=[A-Za-z0-9._:,+-]*)+)[ \t]*"
)
"""Without quotes, variables or anything else that could mean more than it says."""
HERE = re.compile(r"(?<!<)<<(?!<)(-?)\s*([^\s;&|()<>=][^\s;&|()<>]*)")
QUOTES = str.maketrans("", "", "'\"\\")
WAITING = frozenset({"&&", "||", "|", "|&"})
"""At the end of a line these make the next command depend on this one."""
INNER_HASH = re.compile(r"(?<=[^\s;&|()<>])#")
"""One within a word begins no comment, as in ``$#``; shlex takes it for one."""
SHARED = frozenset({"CUDA_VISIBLE_DEVICES"})
"""Read by ROCm, but not its own: such a line may be meant for another card."""
PLACE = re.compile(r"/opt/rocm[^/:]*(?:/[^:]*)?|\$\{?ROCM_PATH\}?(?:/[^:]*)?")
OWN_PATH = re.compile(r"\$(?:PATH|LD_LIBRARY_PATH)|\$\{(?:PATH|LD_LIBRARY_PATH)(?::?\+[^}]*)?\}")
LONGEST = 8_192
"""Of one command, from its first line on: where it ends is looked for anew with each line."""
TITLE_WORDS = re.compile(r"rocm|rdna ?1|miopen|gfx10", re.IGNORECASE)
"""In a comment that stood above such lines."""


@dataclass(frozen=True, slots=True)
class Findings:
    """What a shell file sets for ROCm."""

    out: Lines
    """Lines that can be taken out."""
    left: Lines
    """Lines that do more, or stand inside something, and are left to the user."""
    only: bool
    """True when nothing else in the file does anything."""


def rocm_lines(path: str, text: str) -> Findings:
    """The lines of a file that set what ROCm reads."""
    rows = text.split("\n")
    free = _read(rows, fish=path.endswith(".fish")).at_top
    found = [number for number, row in enumerate(rows, 1) if _concerns_rocm(row)]
    out = [number for number in found if number in free and _only_sets(rows[number - 1])]
    titles = [number for number in _titles(rows, frozenset(out)) if number in free]
    rest = (row for number, row in enumerate(rows, 1) if number not in out)
    return Findings(
        out=tuple((number, rows[number - 1]) for number in sorted({*out, *titles})),
        left=tuple((number, rows[number - 1]) for number in found if number not in out),
        only=bool(out)
        and not any(row.strip() and not row.lstrip().startswith("#") for row in rest),
    )


def whole_lines(path: str, text: str) -> frozenset[int]:
    """Lines that are commands of their own: at the top, or in the body of a block."""
    read = _read(text.split("\n"), fish=path.endswith(".fish"))
    return frozenset({*read.at_top, *read.bodies})


def block_lines(path: str, text: str, wanted: Collection[int]) -> frozenset[int]:
    """Those of these lines that can go out of the bodies of blocks.

    Each must only set what ROCm reads, and another command must stay: no shell reads a block
    that is empty.
    """
    rows = text.split("\n")
    bodies = _read(rows, fish=path.endswith(".fish")).bodies
    out = {n for n in wanted if n in bodies and _only_sets(rows[n - 1].strip(" \t"))}
    stays = {body for n, body in bodies.items() if n not in out and any(_tokens(rows[n - 1]))}
    return frozenset(n for n in out if bodies[n] in stays)


def parted(row: str, out: Collection[tuple[str, str]]) -> tuple[str, ...]:
    """The rest of a line of plain exports without these, one a line; nothing for any other line."""
    found = PLAIN_EXPORTS.fullmatch(row)
    words = found["words"].split() if found else []
    rest = [word for word in words if tuple(word.split("=", 1)) not in out]
    return tuple(f"{found['indent']}export {word}" for word in rest) if found else ()


def _concerns_rocm(row: str) -> bool:
    return any(
        name not in SHARED and (name != LIBRARY_PATH or PLACE.search(value))
        for name, value, _ in assignments(row)
    ) or bool(_path_entry(row))


def _only_sets(row: str) -> bool:
    """True for a line that is one command which sets nothing but what ROCm reads."""
    words = _simple_command(row)
    if words[:1] == ["export"]:
        words = words[1:]
    if words[:1] == ["set"]:  # fish
        names = [word for word in words[1:] if not word.startswith("-")][:1]
        return bool(names) and _is_ours(names[0], " ".join(words))
    pairs = [word.partition("=") for word in words]
    return bool(pairs) and all(equals and _is_ours(name, value) for name, equals, value in pairs)


def _is_ours(name: str, value: str) -> bool:
    if name in (LIBRARY_PATH, "PATH"):
        return _leads_only_into_rocm(value)
    return is_wanted(name) and name not in SHARED


def _leads_only_into_rocm(value: str) -> bool:
    """True when without this line the path would be what it was before it."""
    parts = [part for part in OWN_PATH.sub("", value).split(":") if part]
    return bool(parts) and all(PLACE.fullmatch(part) for part in parts)


def _path_entry(row: str) -> bool:
    words = _simple_command(row)
    value = next((word[5:] for word in words[:2] if word.startswith("PATH=")), "")
    return bool(value) and _leads_only_into_rocm(value)


def _simple_command(row: str) -> list[str]:
    """The words of a line that holds one command and no more; else none."""
    if row.rstrip("\r").endswith("\\") or row[:1].isspace():
        return []
    tokens = list(_tokens(row))
    return [] if any(_is_sign(token) for token in tokens) else tokens


def _tokens(row: str) -> Iterator[str]:
    try:
        yield from _lexer(row)
    except ValueError:  # a quote that is closed on a later line
        yield ";"


def _lexer(row: str) -> shlex.shlex:
    lexer = shlex.shlex(INNER_HASH.sub("_", row), posix=True, punctuation_chars=";&|()<>")
    lexer.whitespace_split = True
    return lexer


def _is_sign(token: str) -> bool:
    return bool(token) and set(token) <= set(";&|()<>")


def _titles(rows: list[str], out: frozenset[int]) -> Iterator[int]:
    """Comments right above lines that go, that name ROCm."""
    for number in out:
        above = number - 1
        while above > 0 and _is_title(rows[above - 1]):
            yield above
            above -= 1


def _is_title(row: str) -> bool:
    return row.lstrip().startswith("#") and TITLE_WORDS.search(row) is not None


@dataclass(frozen=True, slots=True)
class _Read:
    """Numbers of lines by where they stand; none where that cannot be told."""

    at_top: frozenset[int] = frozenset()
    """Those that stand inside of nothing."""
    bodies: Mapping[int, int] = field(default_factory=dict[int, int])
    """Lines that are commands of their own in a block, each with the number of its list."""


def _read(rows: list[str], *, fish: bool) -> _Read:
    inside = _Inside(fish=fish)
    free, bodies = set[int](), dict[int, int]()
    ends, carried = list[tuple[str, str]](), ""
    for number, row in enumerate(rows, 1):
        if ends:  # a here-document
            dash, end = ends[0]
            if (row.lstrip("\t") if dash else row).rstrip("\r") == end:
                ends.pop(0)
            continue
        if not inside and not carried:
            free.add(number)
        whole = carried + row
        if len(whole) > LONGEST:
            return _Read()
        body = 0 if carried else inside.body
        carried = f"{whole}\n" if _goes_on(whole) else ""
        if not carried:
            inside.read(whole)
            if body and body == inside.body:
                bodies[number] = body
            ends = [(dash, word.translate(QUOTES)) for dash, word in HERE.findall(whole)]
    return _Read() if inside or ends or carried else _Read(frozenset(free), bodies)


def _goes_on(row: str) -> bool:
    """True when the next line belongs to this one: an open quote, or a backslash at the end."""
    if row.endswith("\\"):
        return True
    try:
        return sum(token.count("`") for token in _lexer(row)) % 2 == 1
    except ValueError:
        return True


class _Inside:
    """Whether the next line stands inside of something, or belongs to the command before it."""

    def __init__(self, *, fish: bool) -> None:
        self._opening = FISH_OPENINGS if fish else OPENINGS
        self._closing = FISH_CLOSINGS if fish else CLOSINGS
        self._depth = 0
        self._open = 0
        self._waits = False
        self._fish = fish
        self._bodies: list[bool] = []
        """Of each block that is open: whether it is in a list of commands, and not in a test."""
        self._lists = 0

    def __bool__(self) -> bool:
        return self._depth != 0 or self._open != 0 or self._waits

    @property
    def body(self) -> int:
        """The number of the list of commands in which a line would stand by itself, 0 for none."""
        alone = not (self._open or self._waits) and self._bodies[-1:] == [True]
        return self._lists if alone else 0

    def read(self, row: str) -> None:
        """Take a line into account."""
        first = True  # of a command: elsewhere these words mean nothing
        for token in _tokens(row):
            self._waits = token in WAITING
            if _is_sign(token):
                self._parentheses(token)
                first = True
            elif first and token in self._opening:
                self._depth += 1
                self._bodies.append(token in (FISH_BODIES if self._fish else BODIES))
                self._lists += 1
                first = token in ("if", "while", "until", "{", "begin")
            elif first and token in self._closing:
                self._depth -= 1
                self._bodies[-1:] = []
                self._lists += 1
                first = False
            else:
                self._list_of(token, first=first)
                first = first and token in LEADING

    def _list_of(self, token: str, *, first: bool) -> None:
        if first and token in LISTS and self._bodies:
            self._bodies[-1] = LISTS[token] or self._fish
            self._lists += 1

    def _parentheses(self, token: str) -> None:
        self._open += token.count("(")
        # One that nobody opened ends a pattern of `case`.
        self._open = max(0, self._open - token.count(")"))
