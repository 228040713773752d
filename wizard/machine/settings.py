"""Finds the variables that ROCm, MIOpen and the loader read, where they are set."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable

from wizard.core.sizes import counted
from wizard.host.host import Host
from wizard.knowledge.variables import effect_of, empty_element
from wizard.machine.facts import Setting, Unknown
from wizard.machine.part import Found, Part
from wizard.machine.setting_files import SettingFile, login_files, near_files
from wizard.machine.shell import is_wanted
from wizard.machine.sites import Survey, survey

TEXT_LIMIT = 256 * 1024
"""Of each file: nobody writes longer ones, and to understand a damaged one takes minutes."""
LIBRARY_PATH = "LD_LIBRARY_PATH"
OWN_VALUE = re.compile(r"\$LD_LIBRARY_PATH\b|\$\{LD_LIBRARY_PATH(?::?[+-][^}]*)?\}")
"""References to its value before, which may be none."""


def read_settings(host: Host) -> Found[tuple[Setting, ...]]:
    """The live environment first, then each file in the order in which a login reads them."""
    live = [Setting(name, value, "", 0, "") for name, value in _live(host)]
    found = _in_files(host, login_files(host))
    settings = (*live, *found.value)
    everywhere = {_text(one) for one in settings if not one.within}
    return Found(_explained(settings, everywhere), found.unread)


def read_near_settings(host: Host, surveyed: Survey | None = None) -> Found[tuple[Setting, ...]]:
    """What environments, kernels of Jupyter and applications set for themselves."""
    known = survey(host) if surveyed is None else surveyed
    found = _in_files(host, near_files(host, known))
    return Found(_explained(found.value, [f"{n}={v}" for n, v in _live(host)]), found.unread)


def _live(host: Host) -> list[tuple[str, str]]:
    return sorted((name, value) for name, value in host.environ.items() if is_wanted(name))


def _in_files(host: Host, files: Iterable[SettingFile]) -> Found[tuple[Setting, ...]]:
    settings: list[Setting] = []
    unread: list[Unknown] = []
    for file in files:
        text = host.read(file.path)
        if isinstance(text, str):
            assigned = file.read(text[:TEXT_LIMIT])
            settings += [Setting(n, v, file.path, line, "", file.within) for n, v, line in assigned]
        elif file.expected and host.exists(file.path):
            unread.append(text)
    return Found(tuple(dict.fromkeys(settings)), tuple(unread))


def _explained(settings: tuple[Setting, ...], everywhere: Collection[str]) -> tuple[Setting, ...]:
    """Each with what it does beside the others that are in force with it."""
    inside: dict[str, set[str]] = {}
    for one in settings:
        inside.setdefault(one.within, set(everywhere)).add(_text(one))
    told = (one._replace(effect=_effect(one, inside[one.within])) for one in settings)
    return tuple(one for one in told if _matters(one))


def _text(setting: Setting) -> str:
    return f"{setting.name}={setting.value}"


def _effect(setting: Setting, beside: Collection[str]) -> str:
    name, value = setting.name, setting.value
    if name != LIBRARY_PATH:
        return str(effect_of(name, value, beside))
    effects = [empty_element(value)] if has_empty_element(value) else []
    effects += [effect_of(name, value)] if _names_rocm(value) else []
    return "; ".join(map(str, effects))


def _matters(setting: Setting) -> bool:
    """A library path is everybody's business, and only ours when it is faulty or names ROCm."""
    return setting.name != LIBRARY_PATH or bool(setting.effect)


def has_empty_element(value: str) -> bool:
    """True when a loader path has an empty element, at least where it was not set before."""
    alone = OWN_VALUE.sub("", value)
    return bool(alone) and "" in alone.split(":")


def _names_rocm(value: str) -> bool:
    return "rocm" in value.lower()


def _tell(settings: tuple[Setting, ...]) -> tuple[str, tuple[str, ...]]:
    files = len({one.file for one in settings if one.file})
    live = sum(not one.file for one in settings)
    lines = tuple(line for one in settings for line in _lines(one))
    if not settings:
        return "none", lines
    return f"{live} in this session, {len(settings) - live} in {counted(files, 'file')}", lines


def _lines(setting: Setting) -> list[str]:
    place = f"{setting.file}:{setting.line}" if setting.file else "this session"
    alone = f" (only in {setting.within})" if setting.within else ""
    effect = setting.effect or "unknown to this program"
    return [f"{place}: {_text(setting)}{alone}", f"  {effect}"]


def _tell_near(settings: tuple[Setting, ...]) -> tuple[str, tuple[str, ...]]:
    lines = tuple(line for one in settings for line in _lines(one))
    owners = len({one.within for one in settings})
    if not settings:
        return "none", lines
    return f"{len(settings)} in {owners} of them", lines


SETTINGS: Part[tuple[Setting, ...]] = Part(
    title="Settings",
    source="environment, shell and fish files, environment.d, systemd",
    read=read_settings,
    without=lambda _: (),
    tell=_tell,
)
"""Variables of ROCm, MIOpen and the loader that a login or a service sets."""


def near_settings_part(surveyed: Callable[[], Survey]) -> Part[tuple[Setting, ...]]:
    """Variables that environments and applications set for themselves."""
    return Part(
        title="App settings",
        source="activate, .pth, sitecustomize, conda, kernel.json, .env, compose",
        read=lambda host: read_near_settings(host, surveyed()),
        without=lambda _: (),
        tell=_tell_near,
    )
