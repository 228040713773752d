"""What pip is configured to use on a machine: its files and variables, as pip itself weighs them.

uv chooses the versions and reads none of this, so each setting that decides what is installed, or
from where, is read here and handed to uv. One that uv has no word for is named and stops.
"""

from __future__ import annotations

import configparser
import os.path
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement

from wizard.core.credentials import redact
from wizard.core.fact import Unknown
from wizard.core.lines import clean, shown
from wizard.core.trouble import Trouble
from wizard.host.host import Host

PYPI = "https://pypi.org/simple"
"""Where pip looks when nobody tells it anything else."""

_SECTIONS = ("global", "install", ":env:")
"""What `pip install` obeys: the later one outranks the earlier one, whichever file it is in."""
_OTHER_NAMES = {
    "pypi-url": "index-url",
    "default-timeout": "timeout",
    "no-dependencies": "no-deps",
    "only-deps": "only-dependencies",
    "require-venv": "require-virtualenv",
}
_FALSE = ("0", "f", "false", "n", "no", "off")
_TRUE = ("1", "on", "t", "true", "y", "yes")

_NO_MATTER = """
    break-system-packages build-constraint cache-dir check-build-dependencies compile
    config-settings debug disable-pip-version-check exists-action force-reinstall global-option
    help ignore-installed install-option isolated local-log log log-file no-build-isolation
    no-cache-dir no-clean no-color no-compile no-input no-python-version-warning no-require-hashes
    no-use-pep517 no-user no-warn-conflicts no-warn-script-location only-binary prefer-binary
    progress-bar quiet refresh-package report require-virtualenv resume-retries root-user-action
    source source-dir source-directory src upgrade upgrade-strategy use-feature use-pep517 user
    verbose
"""
"""What changes neither which wheels are installed nor where they come from."""
_NO_WORD = """
    abi all-releases dry-run editable group ignore-requires-python implementation no-binary
    no-deps no-proxy-env only-dependencies only-final platform prefix python python-version
    require-hashes requirement requirements-from-script root target uploaded-prior-to
    use-deprecated
"""
"""What does, and has no equal in uv, or none that this program could vouch for."""
_TRANSLATED = """
    cert client-cert constraint extra-index-url find-links index-url keyring-provider no-index
    pre proxy retries timeout trusted-host
"""


@dataclass(frozen=True, slots=True)
class PipSettings:
    """Where `pip install` would look for packages, and how it would reach it."""

    index: str = PYPI
    extra_indexes: tuple[str, ...] = ()
    find_links: tuple[str, ...] = ()
    """Absolute folders, or addresses of pages with links."""
    no_index: bool = False
    """True where only ``find_links`` count."""
    proxy: str = ""
    certificates: str = ""
    """The file, or folder, of the authorities that vouch for servers; ``""``: the system's."""
    client_certificate: str = ""
    trusted_hosts: tuple[str, ...] = ()
    """Hosts, with a port or without, whose certificates are not checked."""
    timeout_s: int | None = None
    retries: int | None = None
    keyring: bool = False
    """True where the program ``keyring`` is asked for logins."""
    prereleases: bool = False
    constraints: tuple[str, ...] = ()
    """Requirements that limit the versions of what is installed."""

    @property
    def variables(self) -> dict[str, str]:
        """What of it decides how a server is reached, as the variables of pip."""
        every = {
            "PIP_PROXY": self.proxy,
            "PIP_CERT": self.certificates,
            "PIP_CLIENT_CERT": self.client_certificate,
            "PIP_TRUSTED_HOST": " ".join(self.trusted_hosts),
        }
        return {name: value for name, value in every.items() if value}


@dataclass(frozen=True, slots=True)
class _Setting:
    value: str
    place: str
    """The file or the variable that it comes from."""


def pip_settings(host: Host, venv: str = "") -> PipSettings:
    """What `pip install` obeys, in this environment where one is named.

    Raises Trouble that names the setting when there is one that cannot be obeyed here.
    """
    found = _obeyed(host, venv)
    for name, setting in found.items():
        if name in _NO_WORD.split() and setting.value.lower() not in (*_FALSE, ":none:"):
            raise _cannot(name, setting, "uv has no such setting")
    return PipSettings(
        index=_text(found, "index-url") or PYPI,
        extra_indexes=_words(found, "extra-index-url"),
        find_links=_find_links(found, host.home),
        no_index=_truth(found, "no-index"),
        proxy=_text(found, "proxy"),
        certificates=_file(found, "cert", host) or _bundle(host),
        client_certificate=_file(found, "client-cert", host),
        trusted_hosts=_words(found, "trusted-host"),
        timeout_s=_number(found, "timeout"),
        retries=_number(found, "retries"),
        keyring=_keyring(found),
        prereleases=_truth(found, "pre"),
        constraints=_constraints(found, host),
    )


def _obeyed(host: Host, venv: str) -> dict[str, _Setting]:
    """Every setting that `pip install` knows, by its usual name."""
    matters, nothing = (*_TRANSLATED.split(), *_NO_WORD.split()), _NO_MATTER.split()
    found: dict[str, _Setting] = {}
    for section, settings in _sections(host, venv).items():
        for name, setting in settings.items():
            usual = _OTHER_NAMES.get(name, name)
            if not setting.value:
                continue  # to pip an empty value is none, though it hides that of a weaker file
            if usual in matters:
                found[usual] = setting
            elif section == "install" and usual not in nothing:
                raise _cannot(name, setting, "This version of rdna1-setup does not know it")
    return found


def _sections(host: Host, venv: str) -> dict[str, dict[str, _Setting]]:
    """The settings of each section, the weakest section first; of two files the stronger's."""
    sections: dict[str, dict[str, _Setting]] = {section: {} for section in _SECTIONS}
    for path in _files(host, venv):
        for section, name, value in _read(host, path):
            if section in sections:
                sections[section][name] = _Setting(value, path)
    for variable, value in host.environ.items():
        if variable.startswith("PIP_"):
            name = _normal(variable.removeprefix("PIP_"))
            sections[":env:"][name] = _Setting(value, variable)
    return sections


def _files(host: Host, venv: str) -> tuple[str, ...]:
    """The files that pip reads, the weakest first."""
    own = host.environ.get("PIP_CONFIG_FILE", "")
    if own == os.path.devnull:
        return ()
    shared = (host.environ.get("XDG_CONFIG_DIRS") or "/etc/xdg").split(":")
    every = [*(f"{folder}/pip/pip.conf" for folder in shared if folder), "/etc/pip.conf"]
    if not (own and host.exists(own)):
        personal = host.environ.get("XDG_CONFIG_HOME") or f"{host.home}/.config"
        every += [f"{host.home}/.pip/pip.conf", f"{personal}/pip/pip.conf"]
    if venv:
        every.append(f"{venv}/pip.conf")
    return (*every, own) if own else tuple(every)


def _read(host: Host, path: str) -> Iterator[tuple[str, str, str]]:
    """Section, name and value of each setting of a file; nothing where there is no such file."""
    if not host.exists(path):
        return
    text = host.read(path)
    if isinstance(text, Unknown):
        raise _unreadable(path, text.because)
    parser = configparser.RawConfigParser()
    try:
        parser.read_string(text, path)
    except configparser.Error as error:
        raise _unreadable(path, " ".join(str(error).split())) from None
    for section in parser.sections():
        for name, value in parser.items(section):
            yield section, _normal(name), value


def _normal(name: str) -> str:
    return name.lower().replace("_", "-").removeprefix("--")


def _text(found: Mapping[str, _Setting], name: str) -> str:
    return found[name].value if name in found else ""


def _words(found: Mapping[str, _Setting], name: str) -> tuple[str, ...]:
    return tuple(_text(found, name).split())


def _truth(found: Mapping[str, _Setting], name: str) -> bool:
    value = _text(found, name).lower()
    if value and value not in _TRUE + _FALSE:
        raise _cannot(name, found[name], "It must be true or false")
    return value in _TRUE


def _number(found: Mapping[str, _Setting], name: str) -> int | None:
    if name not in found:
        return None
    try:
        number = float(found[name].value)
    except ValueError:
        raise _cannot(name, found[name], "It must be a number") from None
    return max(1, round(number)) if name == "timeout" else int(number)


def _file(found: Mapping[str, _Setting], name: str, host: Host) -> str:
    if name not in found:
        return ""
    path = _absolute(found[name].value, found, name, host.home)
    if not host.exists(path):  # uv would only warn
        raise _cannot(name, found[name], "There is no such file")
    return path


def _absolute(path: str, found: Mapping[str, _Setting], name: str, home: str) -> str:
    if path == "~" or path.startswith("~/"):
        path = home + path[1:]
    if not path.startswith("/"):
        raise _cannot(name, found[name], "Its path is not absolute")
    return path


def _bundle(host: Host) -> str:
    """The file of authorities that pip takes from the library that fetches for it."""
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        if value := host.environ.get(variable):
            return _file({"cert": _Setting(value, variable)}, "cert", host)
    return ""


def _find_links(found: Mapping[str, _Setting], home: str) -> tuple[str, ...]:
    def place(word: str) -> str:
        return word if "://" in word else _absolute(word, found, "find-links", home)

    return tuple(map(place, _words(found, "find-links")))


def _keyring(found: Mapping[str, _Setting]) -> bool:
    value = _text(found, "keyring-provider")
    if value == "import":
        raise _cannot(
            "keyring-provider",
            found["keyring-provider"],
            "Only `subprocess` works, which runs the program keyring",
        )
    return value == "subprocess"


def _constraints(found: Mapping[str, _Setting], host: Host) -> tuple[str, ...]:
    setting = found.get("constraint")
    if setting is None:
        return ()
    lines = (
        line
        for word in setting.value.split()
        for line in _constraint_lines(word, setting, host, frozenset())
    )
    return tuple(dict.fromkeys(lines))


def _constraint_lines(
    word: str, setting: _Setting, host: Host, above: frozenset[str]
) -> Iterator[str]:
    """The requirements of a file of constraints, and of the files that it names."""
    if "://" in word and not word.startswith("file://"):
        raise _cannot("constraint", setting, f"{redact(word)} is not a file on this computer")
    path = _absolute(word.removeprefix("file://"), {"constraint": setting}, "constraint", host.home)
    if path in above:
        return
    text = host.read(path)
    if isinstance(text, Unknown):
        raise _cannot("constraint", setting, f"{clean(text.because)}")
    for line in _logical_lines(text, host.environ):
        if another := _ANOTHER.match(line):
            beside = os.path.normpath(f"{path.rpartition('/')[0]}/{another['file']}")
            named = another["file"] if _WHOLE.match(another["file"]) else beside
            yield from _constraint_lines(named, setting, host, above | {path})
            continue
        yield _requirement(_HASHES.sub("", line).strip(), path, setting)


_ANOTHER = re.compile(r"(?:-c|--constraint|-r|--requirement)[\s=]*(?P<file>\S+)$")
_WHOLE = re.compile(r"/|\w+://")
_HASHES = re.compile(r"\s--hash[=\s]\S+")
_COMMENT = re.compile(r"(?:^|\s+)#.*$")
_VARIABLE = re.compile(r"\$\{(?P<name>[A-Z0-9_]+)\}")


def _logical_lines(text: str, environ: Mapping[str, str]) -> Iterator[str]:
    """Lines joined where one goes on in the next, without comments, variables filled in."""

    def filled(found: re.Match[str]) -> str:
        return environ.get(found["name"]) or found[0]

    for line in re.sub(r"\\\r?\n", "", text).splitlines():
        if stripped := _COMMENT.sub("", line).strip():
            yield _VARIABLE.sub(filled, stripped)


def _requirement(line: str, path: str, setting: _Setting) -> str:
    try:
        requirement = Requirement(line)
    except InvalidRequirement:
        raise _cannot(
            "constraint", setting, f"{path} has a line that cannot be read: {redact(line)}"
        ) from None
    if requirement.url:
        raise _cannot("constraint", setting, f"{path} gives an address for {requirement.name}")
    return str(requirement)


def _cannot(name: str, setting: _Setting, why: str) -> Trouble:
    value, place = shown(redact(setting.value)), shown(setting.place)
    variable = "/" not in place
    named = f"{place}={value}" if variable else f"{name} = {value} in {place}"
    where = f"{place}, or run `unset {place}`" if variable else f"it in {place}, or remove it there"
    return Trouble(
        f"This setting of pip cannot be followed: {named}. {clean(why)}.",
        "It may decide which packages are installed or where they come from, so it is not "
        "ignored. Nothing was changed.",
        f"Correct {where}. Then run the same command again.",
    )


def _unreadable(path: str, why: str) -> Trouble:
    return Trouble(
        f"pip's settings in {shown(path)} cannot be read: {shown(redact(why))}.",
        "They may say where packages come from, so they are not ignored. Nothing was changed.",
        "Correct the file or its permissions, then run the same command again.",
    )
