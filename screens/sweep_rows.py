"""The rows of the Conv2d table: verdicts as mark and word, times, published figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rich.text import Text

from screens.sweep_places import way_of
from screens.words import cut, short_time, shown
from wizard.conv2d.compare_settings import rivals
from wizard.conv2d.presets import Published, Row, Setting
from wizard.conv2d.verdicts import Result, Verdict

COLUMNS = (
    ("Size", "size", 8),
    ("Channels", "channels", 10),
    ("Verdict", "verdict", 11),
    ("Cold", "cold", 8),
    ("Warm", "warm", 8),
    ("Error", "error", 8),
    ("Published", "published", 11),
)
"""Head, key and width; fixed widths, so that nothing jumps when a verdict arrives."""
SHARES = {"what": 2, "channels": 1, "error": 2, "published": 2}
"""How what a screen has above 80 columns is given to its texts."""
JOINED = (("What", "what", 33), *(column for column in COLUMNS[2:-1]))
"""Columns for rows that size and channels do not tell apart."""
NARROW = 80
NOT_RUN = "· not run"
EXAMPLE = "example"
RUNNING = "> running"
MARKS = {
    Verdict.PASS: ("✓", "green"),
    Verdict.SLOW: ("✓", "yellow"),
    Verdict.WRONG: ("✗", "red"),
    Verdict.ERROR: ("✗", "red"),
    Verdict.HUNG: ("✗", "red"),
    Verdict.CRASHED: ("✗", "red"),
    Verdict.OUT_OF_MEMORY: ("✗", "red"),
    Verdict.FLAKY: ("✗", "red"),
    Verdict.UNUSABLE: ("?", "yellow"),
}
SHORT_VERDICTS = {Verdict.OUT_OF_MEMORY: "no memory"}


def columns(
    cells: int, published: str, *, joined: bool = False
) -> tuple[tuple[str, str, int], ...]:
    """The columns for a screen width; ``published`` is the title of the last one."""
    titled = JOINED if joined else (*COLUMNS[:-1], (published, *COLUMNS[-1][1:]))
    more = max(0, cells - NARROW) // sum(SHARES.get(key, 0) for _, key, _ in titled)
    return tuple((head, key, width + more * SHARES.get(key, 0)) for head, key, width in titled)


def are_joined(rows: Iterable[Row]) -> bool:
    """True for rows that differ in more than size and channels, or have none."""
    ways = {(row.work, row.engine, row.setting) for row in rows}
    return len(ways) > 1 or any(work != "forward" or setting for work, _, setting in ways)


def what_of(row: Row) -> str:
    """A row in a few words: shape, work, and how it is measured."""
    if row.operation is not None:
        return row.operation.title
    high, wide = row.shape.h, row.shape.w
    words = [channels_of(row), f"@{high}" if high == wide else f"@{high}x{wide}"]
    words += [row.work] if row.work != "forward" else []
    words += [row.engine] if row.engine != "configured" else []
    return " ".join((*words, *_setting_words(row.setting)))


def _setting_words(setting: Setting) -> Iterable[str]:
    """The name of what is compared, or the variables without what most begin with."""
    names = {rival.setting: rival.name for rival in rivals()}
    if setting in names:
        return [names[setting]] if setting else []
    return [f"{_short_name(name)}={value}" for name, value in setting]


def _short_name(variable: str) -> str:
    return variable.removeprefix("MIOPEN_").removeprefix("DEBUG_").removeprefix("CONV_")


def channels_of(row: Row) -> str:
    """Channels, and how they are convolved where that is not the usual way."""
    return f"{row.shape.c_in}->{row.shape.c_out} {way_of(row)}".rstrip()


def blank_row(row: Row, verdict: str, widths: Mapping[str, int]) -> tuple[Text, ...]:
    """A row before its shape was measured, for columns of these widths."""
    if "what" in widths:
        words = (cut(shown(what_of(row)), widths["what"]), verdict, "", "", "")
        return tuple(map(Text, words))
    size = f"{row.shape.h}x{row.shape.w}"
    channels = cut(shown(channels_of(row)), widths["channels"])
    published = _published(row.published, widths["published"])
    return tuple(Text(shown(cell)) for cell in (size, channels, verdict, "", "", "", published))


def _published(published: Published | None, cells: int) -> str:
    if published is None:
        return ""
    if cells > len(published.summary):
        return published.summary
    cold = "" if published.cold_s is None else f" {published.cold_s:.2g} s"
    return cut(f"{published.verdict}{cold}", cells)


def measured_cells(result: Result, width: int) -> tuple[tuple[str, Text], ...]:
    """Column keys and cells of a verdict; ``width`` is that of the error."""
    mark, colour = MARKS[result.verdict]
    word = SHORT_VERDICTS.get(result.verdict, result.verdict.value)
    return (
        ("verdict", Text(f"{mark} {word}", style=colour)),
        ("cold", Text(short_time(result.cold_s))),
        ("warm", Text(short_time(result.warm_s))),
        ("error", Text(cut(shown(error_of(result)), width))),
    )


def error_of(result: Result) -> str:
    """The largest error as a figure, or what happened in words."""
    if result.detail:
        return result.detail
    return "-" if result.max_abs_error is None else f"{result.max_abs_error:.1e}"


def tally(verdicts: Iterable[Verdict]) -> str:
    """How often each verdict came, in the order of first appearance."""
    words = [verdict.value for verdict in verdicts]
    return ", ".join(f"{words.count(word)} {word}" for word in dict.fromkeys(words))
