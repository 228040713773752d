"""The rows of a sweep in words: what each is, and what came of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from wizard.conv2d.presets import Row, Setting
from wizard.conv2d.search.compare_settings import rivals
from wizard.conv2d.verdicts import Result


def way_of(row: Row) -> str:
    """All of a row beside size and channels that is not a plain 3x3 forward pass; else ``""``."""
    shape = row.shape
    kernel = () if shape.kernel == 3 else (f"{shape.kernel}x{shape.kernel}",)
    _, _, _, *extras = shape.label.split(" ")
    work = () if row.work == "forward" else (row.work,)
    engine = () if row.engine == "configured" else (row.engine,)
    setting = (f"{name}={value}" for name, value in row.setting)
    log = ("log",) if row.log else ()
    return " ".join((*kernel, *extras, *work, *engine, *setting, *log))


def are_joined(rows: Iterable[Row]) -> bool:
    """True for rows that differ in more than size and channels, or have none."""
    ways = {(row.work, row.engine, row.setting) for row in rows}
    return len(ways) > 1 or any(work != "forward" or setting for work, _, setting in ways)


def what_of(row: Row) -> str:
    """A row in a few words: shape, work, and how it is measured."""
    if row.operation is not None:
        return row.operation.title
    high, wide = row.shape.h, row.shape.w
    plain = replace(row, work="forward", engine="configured", setting=(), log=False)
    words = [channels_of(plain), f"@{high}" if high == wide else f"@{high}x{wide}"]
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


def error_of(result: Result) -> str:
    """The largest error as a figure, or what happened in words."""
    if result.detail:
        return result.detail
    return "-" if result.max_abs_error is None else f"{result.max_abs_error:.1e}"
