"""Finds the variables that ROCm, MIOpen and the loader read, where they are set."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wizard.knowledge.variables import effect_of, empty_element
from wizard.machine.facts import Setting, Unknown
from wizard.machine.host import Host
from wizard.machine.part import Found, Part
from wizard.machine.shell import assignments, is_wanted

HOME_FILES = (
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".config/fish/config.fish",
)
SYSTEM_FILES = ("/etc/environment", "/etc/profile", "/etc/bash.bashrc")
FOLDERS = (("/etc/profile.d", ".sh"), ("/etc/environment.d", ".conf"))
USER_FOLDER = (".config/environment.d", ".conf")
LIBRARY_PATH = "LD_LIBRARY_PATH"
OWN_VALUE = re.compile(r"\$LD_LIBRARY_PATH\b|\$\{LD_LIBRARY_PATH(?::?[+-][^}]*)?\}")
"""References to its value before, which may be none."""


def read_settings(host: Host) -> Found[tuple[Setting, ...]]:
    """The live environment first, then each file in the order in which a login reads them."""
    settings = [_setting(name, value, "", 0) for name, value in _live(host)]
    unread: list[Unknown] = []
    for path in _files(host):
        text = host.read(path)
        if isinstance(text, Unknown):
            if host.exists(path):
                unread.append(text)
            continue
        settings += [_setting(name, value, path, line) for name, value, line in assignments(text)]
    return Found(tuple(one for one in settings if _matters(one)), tuple(unread))


def _live(host: Host) -> list[tuple[str, str]]:
    return sorted((name, value) for name, value in host.environ.items() if is_wanted(name))


def _files(host: Host) -> Iterator[str]:
    yield from SYSTEM_FILES
    for folder, ending in (*FOLDERS, (f"{host.home}/{USER_FOLDER[0]}", USER_FOLDER[1])):
        names = host.names(folder)
        if not isinstance(names, Unknown):
            yield from (f"{folder}/{name}" for name in names if name.endswith(ending))
    yield from (f"{host.home}/{name}" for name in HOME_FILES)


def _setting(name: str, value: str, file: str, line: int) -> Setting:
    return Setting(name, value, file, line, _effect(name, value))


def _effect(name: str, value: str) -> str:
    if name != LIBRARY_PATH:
        return str(effect_of(name, value))
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
    return f"{live} in force, {len(settings) - live} in {files} files", lines


def _lines(setting: Setting) -> list[str]:
    place = f"{setting.file}:{setting.line}" if setting.file else "in force now"
    return [f"{place}: {setting.name}={setting.value}", f"  {setting.effect or 'not known to us'}"]


SETTINGS: Part[tuple[Setting, ...]] = Part(
    title="Settings",
    source="environment, shell files, /etc/profile.d",
    read=read_settings,
    without=lambda _: (),
    tell=_tell,
)
"""Variables of ROCm, MIOpen and the loader."""
