"""One machine: what it is and what fits, what is wrong with it, what is told of it to others."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from wizard.advice.comparison import LineSpeed, line_speed
from wizard.advice.recommend import Recommendation, recommend
from wizard.diagnose.explain import Explanation, explain, explain_file
from wizard.diagnose.finding import Finding
from wizard.diagnose.fix import has_plan, make_fix
from wizard.diagnose.fix_settings import by_hand
from wizard.diagnose.lines import NotText
from wizard.diagnose.machine import Diagnosis, Progress, diagnose
from wizard.diagnose.this_machine import looks_here
from wizard.host.host import Host, places_of
from wizard.knowledge.applications import Application, load_applications
from wizard.knowledge.claims import Approach, Claim, load_approaches, load_claims
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.machine.part import PartDone
from wizard.plan.steps import Plan
from wizard.report.bundle import preview_lines, report_files_of, whole_lines, write_folder
from wizard.report.sources import gather
from wizard.run.runs import records_of
from wizard.services.named_files import place_of
from wizard.services.plan_request import folder_of


class Knowledge:
    """One machine, and the tables. Each table is loaded when it is first asked for."""

    def __init__(self, arguments: argparse.Namespace, host: Host) -> None:
        self._arguments, self._host = arguments, host
        # Detect asks before Choose does.
        self.recommend = lru_cache(maxsize=2)(self._recommend)

    def detect(self, on_part: Callable[[PartDone], None]) -> Machine:
        """Reads the machine, and tells each part that is read. It may block without end."""
        return detect(self._host, on_part)

    def _recommend(
        self, machine: Machine, applications: tuple[str, ...], preset: str = ""
    ) -> Recommendation:
        """What to take for what is to run, with the published variables that were chosen."""
        return recommend(machine, applications, preset=preset)

    def stacks(self) -> tuple[Stack, ...]:
        """What can be installed."""
        return load_stacks()

    def claims(self) -> tuple[Claim, ...]:
        """What people say of the stacks."""
        return load_claims()

    def applications(self) -> tuple[Application, ...]:
        """What a user may want to run."""
        return load_applications()

    def approaches(self) -> tuple[Approach, ...]:
        """Every approach, also those that no stack of ours installs."""
        return load_approaches()

    def suggest_folder(self, machine: Machine, stack: str) -> str:
        """Absolute path of a new folder for a stack."""
        return folder_of(self._arguments, stack, machine.access.home)

    def line_speed(self) -> LineSpeed | None:
        """Quick: how fast an earlier run fetched here; None where none did."""
        return line_speed(records_of(self._host))


class Unreadable(ValueError):
    """A file that cannot be explained; the message says which and why."""


def explained_file(name: str) -> Explanation:
    """What the text in a file proves; raises ``Unreadable``."""
    shown = "standard input" if name == "-" else name
    try:
        with _opened(name) as file:
            explained = explain_file(file)
    except NotText as error:
        raise Unreadable(f"{shown}: {error}.") from None
    except IsADirectoryError:
        raise Unreadable(f"{shown} is a folder. Name the files in it.") from None
    except FileNotFoundError:
        raise Unreadable(f"{shown} does not exist. Check the name.") from None
    except PermissionError:
        raise Unreadable(
            f"{shown}: you have no permission to read it. Copy it with sudo, or pipe it: sudo cat "
            "FILE | rdna1-setup explain -"
        ) from None
    except OSError as error:
        raise Unreadable(f"{shown}: {error.strerror or error}.") from None
    return explained


def _opened(name: str) -> BinaryIO:
    return sys.stdin.buffer if name == "-" else open(name, "rb")  # noqa: PTH123


def diagnosis_of(
    host: Host,
    machine: Machine,
    on_progress: Callable[[Progress], None] = lambda _: None,
    *,
    kernel_log: str = "",
    try_torches: bool = False,
) -> Diagnosis:
    """Every check of a machine, and what of its fixes a hand has to do."""
    places = places_of(host)
    looks = looks_here(host, machine, places, kernel_log=kernel_log, try_torches=try_torches)
    found = diagnose(machine, looks, on_progress)
    return replace(found, findings=by_hand(host, machine, found.findings))


class Diagnostics:
    """For one machine; texts may be of any. Each may take a while, and runs in a thread."""

    def __init__(self, host: Host) -> None:
        self._host = host

    def look(
        self, machine: Machine, on_progress: Callable[[Progress], None] = lambda _: None
    ) -> Diagnosis:
        """Every check, each reported when it begins and when it ends."""
        return diagnosis_of(self._host, machine, on_progress)

    def explain(self, text: str) -> Explanation:
        """What a text proves. Raises ValueError, with a text fit to show."""
        return explain(text.encode("utf-8", "surrogateescape"))

    def explain_file(self, path: str) -> Explanation:
        """The same of the text in a file."""
        # Absolute: `-` would be the standard input, which is the keyboard of the screens.
        return explained_file(os.path.abspath(os.path.expanduser(path)))  # noqa: PTH100, PTH111 - ~who

    def fixes(self, machine: Machine, findings: Iterable[Finding]) -> dict[Finding, Plan | None]:
        """The findings that a plan fixes, each with its plan; None where that fails by now."""
        return {each: self._fix_if_any(machine, each) for each in findings if has_plan(each)}

    def _fix_if_any(self, machine: Machine, finding: Finding) -> Plan | None:
        try:
            return self.make_fix(machine, finding)
        except (OSError, ValueError):
            return None  # told in full when it is asked for

    def make_fix(self, machine: Machine, finding: Finding) -> Plan:
        """The plan that fixes it. Raises ValueError, with a text fit to show, where none does."""
        return make_fix(self._host, machine, finding)


@dataclass(frozen=True, slots=True)
class ReportDraft:
    """What would leave this machine, and how to write it."""

    path: str
    """The folder where it would go, unless its owner says otherwise."""
    lines: tuple[str, ...]
    """Each file with what was replaced in it, then the whole text of each."""
    about: tuple[str, ...]
    """The files with what was replaced in each, alone."""
    command: str
    """The shell line that writes the same."""
    write: Callable[[str], str]
    """Into a new folder at this path, and as one file beside it; gives both. Raises Trouble."""


class Reports:
    """Texts about one machine. Nothing is written but in a live start."""

    def __init__(self, host: Host, *, live: bool) -> None:
        self._host, self._places, self._live = host, places_of(host), live

    def draft(self) -> ReportDraft:
        """Looks at the machine, which takes a while; writes nothing."""
        home, report_files = self._places.home, report_files_of(gather(self._host, self._places))

        def write(typed: str) -> str:
            self._check_live()
            return " and ".join(
                map(str, write_folder(report_files, place_of(typed, home), zipped=True))
            )

        return ReportDraft(
            path=f"{home}/rdna1-report-{_now()}",
            lines=tuple(whole_lines(report_files)),
            about=tuple(preview_lines(report_files)),
            command="rdna1-setup report --folder DIR --zip",
            write=write,
        )

    def save(self, name: str, text: str) -> str:
        """Writes a text under a name and gives its path."""
        self._check_live()
        folder = Path(self._places.state) / "saved"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{_now()}-{Path(name).name}"
        path.write_text(text, "utf-8", "backslashreplace")  # a name in it may be of any bytes
        return str(path)

    def _check_live(self) -> None:
        if not self._live:
            raise ValueError("a dry run writes nothing")


def _now() -> str:
    return f"{datetime.now().astimezone():%Y%m%d-%H%M%S}"
