"""How uv is called: here alone, so that nothing else has a say in what it does.

uv obeys a ``uv.toml`` of the folder that it is started in, and dozens of variables: one of them
changes which versions are installed, another from where. What it installs are hard links to its
cache, where a change to one of them would come back with the next installation. So it is started in
``/``, and installs with a cache of its own in the environment's folder, which is on the same file
system and is removed as soon as uv has ended.
"""

from __future__ import annotations

from collections.abc import Mapping

_APART = ("--directory", "/")
PATIENT = (("UV_COMPILE_BYTECODE_TIMEOUT", "0"),)
"""A busy disk may keep one file waiting for a minute; the deadline of the step counts."""
_STRANGE = ("UV_", "PIP_", "PYTHON", "CONDA_", "VIRTUAL_ENV", "RUST_", "FORCE_COLOR", "CLICOLOR")
"""How the names begin of variables that would make an installation another one, or colour it."""


def cache_of(venv: str) -> str:
    """The cache of an installation into this environment: there only while uv runs."""
    return f"{venv}/.rdna1-setup-uv"


def lock_of(venv: str) -> str:
    """The empty file by which two uvs do not change an environment at once; it stays."""
    return f"{venv}/.lock"


def create_environment(uv: str, python: str, venv: str) -> tuple[str, ...]:
    """Make an environment in a folder that may hold files of the user's; nothing is downloaded."""
    quiet = ("--no-config", "--no-cache", "--no-project", "--no-python-downloads")
    return (uv, "venv", "--python", python, *_APART, *quiet, "--allow-existing", venv)


def check_packages(uv: str, python: str) -> tuple[str, ...]:
    """Whether what is installed gets on with one another."""
    return (uv, "pip", "check", "--python", python, *_APART, "--no-config", "--no-cache")


def install_wheels(uv: str, python: str, venv: str, staging: str, lock: str) -> tuple[str, ...]:
    """Install what a lock names from a folder of wheels, without an index, every hash required."""
    return (
        *(uv, "pip", "install", "--python", python, *_APART, "--no-config"),
        *("--offline", "--no-index", "--no-deps", "--find-links", staging),
        *("--require-hashes", "--requirement", lock, "--compile-bytecode"),
        *("--link-mode", "hardlink", "--cache-dir", cache_of(venv)),
    )


def lock(uv: str, python: str, folder: str) -> tuple[str, ...]:
    """Choose every version for the project in a folder, by its own uv.toml; no wheel comes."""
    return (
        *(uv, "lock", "--project", folder, "--config-file", f"{folder}/uv.toml", *_APART),
        *("--python", python, "--no-cache", "--no-progress", "--color", "never"),
    )


def install_python(uv: str, version: str, folder: str, mirror: str = "") -> tuple[str, ...]:
    """Install a Python into a folder, from a mirror or from where the user's settings say."""
    source = ("--mirror", mirror) if mirror else ()
    return (
        *(uv, "python", "install", *source, *_APART, "--no-cache", "--no-bin"),
        *("--install-dir", folder, version),
    )


def list_pythons(uv: str, minor: str) -> tuple[str, ...]:
    """List the Pythons that this uv can install, with their addresses, as JSON."""
    form = ("--only-downloads", "--output-format", "json")
    return (uv, "python", "list", minor, *_APART, "--no-cache", *form)


def without_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """An environment without anything of the caller's that speaks to uv or Python."""
    return {name: v for name, v in environment.items() if not name.startswith(_STRANGE)}
