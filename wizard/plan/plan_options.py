"""What a plan was asked for, in the words of the command line, and how two plans differ in that."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wizard.apt.openpgp import NotAKey, public_keys
from wizard.apt.sources import KEYRING, SOURCE
from wizard.core.credentials import redact
from wizard.knowledge.stacks import find_stack, load_catalogue
from wizard.operations.resolve import AS_CONFIGURED

Options = dict[str, str]
"""Options by name; a value of ``""`` is an option that was left out, one of its name a flag.

What a plan does not tell is not among them.
"""


WRITES = "WriteSystemFile"
"""The kind of step that writes a file of the system's."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How two plans for one folder were asked for, as far as they differ."""

    before: str
    """For example ``with --torch-index pip``."""
    now: str


def difference(before: Mapping[str, Any], now: Mapping[str, Any]) -> Difference | None:
    """How the JSON forms of two plans differ; None where no option explains it."""
    if before["kind"] != now["kind"]:
        return None
    was, comes = _options(before), _options(now)
    names = [name for name in was if name in comes and was[name] != comes[name]]
    if not names:
        return None
    only_left_out = len(names) == 1 and not comes[names[0]]
    return Difference(_words(names, was), "without it" if only_left_out else _words(names, comes))


def _words(names: Sequence[str], options: Options) -> str:
    given = [_given(name, options[name]) for name in names if options[name]]
    left_out = [name for name in names if not options[name]]
    parts = ((f"with {' '.join(given)}", given), (f"without {' '.join(left_out)}", left_out))
    return " and ".join(words for words, found in parts if found)


def _given(name: str, value: str) -> str:
    return name if value == name else f"{name} {shlex.quote(value)}"


def _options(form: Mapping[str, Any]) -> Options:
    steps = form["steps"]
    manifest = _step(steps, "Resolve").get("manifest", {})
    check, venv = _step(steps, "CheckTorch"), _step(steps, "CreateEnvironment")
    return {
        "--stack": form["stack"],
        "--footprint": str(form.get("footprint", "")),
        "--torch-index": _index(form["stack"], manifest),
        "--wheelhouse": str(manifest.get("wheelhouse", "")),
        "--python-mirror": str(_step(steps, "InstallPython").get("mirror", "")),
        "--base-python": str(venv.get("python", "")),
        "--without-card": "--without-card" if check.get("device") == "none" else "",
        **_of_system(form["stack"], steps),
    }


def _of_system(stack: str, steps: Sequence[Mapping[str, Any]]) -> Options:
    """Release, mirror and key, as the files tell them that name the repository to apt."""
    written = {step["path"]: step["content"] for step in steps if step["kind"] == WRITES}
    catalogue, found = load_catalogue(), {}
    if SOURCE in written:
        place = written[SOURCE].partition("] ")[2].partition(" ")[0]
        address, _, directory = place.rpartition("/")
        named = (r.version for r in catalogue.releases.values() if r.directory == directory)
        release, own = next(named, directory), find_stack(stack)
        is_own = own is not None and release == own.system_release
        found["--system-release"] = "" if is_own else release
        found["--rocm-repo"] = "" if address == catalogue.repository.address else redact(address)
    if key := _fingerprint(written.get(KEYRING, "")):
        found["--rocm-key-fingerprint"] = "" if key == catalogue.repository.fingerprint else key
    return found


def _fingerprint(key: str) -> str:
    try:
        return public_keys(key.encode())[0].fingerprint
    except (NotAKey, IndexError):
        return ""


def _step(steps: Sequence[Mapping[str, Any]], kind: str) -> Mapping[str, Any]:
    return next((step for step in steps if step["kind"] == kind), {})


def _index(stack: str, manifest: Mapping[str, Any]) -> str:
    known = find_stack(stack)
    own = "" if known is None else redact(known.index)
    if named := str(manifest.get("index", "")):
        return "" if named == own else named
    return "" if not own or not manifest or manifest.get("wheelhouse") else AS_CONFIGURED
