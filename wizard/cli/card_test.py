"""``test-my-card``: what hangs, from what size, and what helps, in about ten minutes."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from wizard.advice.card import card_closed, chosen_card
from wizard.advice.leftovers import torches_there
from wizard.advice.recommend import recommend
from wizard.cli.console import print_json, refuse, refuse_for
from wizard.cli.conv2d import document_of, from_here
from wizard.cli.conv2d_runs import (
    CANCELLED,
    budget_lines,
    is_under_way,
    measure_apart,
    obstacle_to,
    refusal,
)
from wizard.conv2d.card_test import (
    ENOUGH,
    FOR_LIMIT,
    Measurement,
    Part,
    finished_lately,
    hangs_of,
    kept_of,
    limit_after,
    other_device,
    setting_after,
    table_hangs,
)
from wizard.conv2d.caution import Circumstances, circumstances_of
from wizard.conv2d.requests import MOST_HANGS, Request, request_line
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.shapes import DEFAULT, Row, find_preset
from wizard.conv2d.stop_reasons import budget_spent
from wizard.conv2d.sweep import Deadlines, Sweep, SweepDone
from wizard.core.lines import clean, wrapped
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble
from wizard.host.host import Host, places_of
from wizard.knowledge.stacks import find_stack
from wizard.machine.detect import detect
from wizard.machine.facts import Gpu, Machine
from wizard.report.bundle import ReportFiles, require_new, write_folder
from wizard.report.card_test import (
    outcome_of_test,
    report_files_of_test,
    results_address,
    written_lines,
)
from wizard.report.conv2d import request_lines
from wizard.report.conv2d_answers import trouble_lines
from wizard.run.executor import now
from wizard.run.runs import records_of
from wizard.services.command_line import acts, host_of

SEARCHED_LATER = 3
"""Hangs that a search by itself is allowed."""
LONGEST_S = 600.0
"""After so long no search begins, and one under way is ended."""
ENDS = "Ctrl+C stops the test and keeps the results. Run the same command again to continue."
NO_CARD = (
    "No RX 5300, 5500, 5600 or 5700 (or similar card) was found, so there is nothing to test. To "
    "see what hardware was found, use this "
    "command:",
    "    rdna1-setup detect",
)
NO_TORCH = "No PyTorch for AMD cards is installed here, so your {0} cannot be tested yet."
INSTALL = (
    "Install PyTorch with the following command, then test your card again:",
    "    rdna1-setup apply --stack {0}",
)
NONE_FITS = (
    "No stack can currently be installed on this machine. To see why, run:",
    "    rdna1-setup plan",
)
ANOTHER_PYTHON = "Omit --python, or name a Python whose torch was built for ROCm."
BUILDS = {"cpu": "for the CPU only", "cuda": "for NVIDIA cards"}
OTHER_BUILD = "The torch in {0} was built {1}, so your card cannot be tested with it."
OTHER_DEVICE = (
    "The torch in {0} used {1} instead of your {2}, so no result was written. Set "
    "HIP_VISIBLE_DEVICES to the number of your card, then run this command again."
)
NOT_THE_CARD = "The graphics card was not measured, so no result card was written."
TAKEN = (
    "This measurement was already made at {0} and will not be repeated. To repeat it anyway, "
    "use --no-resume."
)
TIME_IS_UP = (
    "The ten-minute limit was reached, so the search was stopped. To finish it, use this command:"
)
LIMIT, SETTING = "The search for the exact limit", "The search for a setting"
FEW_HANGS = "too few allowed hangs are left for it (--hangs N allows more)"
NO_HANGS_LEFT = (
    "No more hangs are allowed for {0}, so it was not tested. Use --hangs to allow more."
)
LATE = "the ten minutes are over"


def run_test_my_card(arguments: argparse.Namespace) -> int:
    """Test; 0 when all is right or nothing can be tested, 1 when a shape is not, else 2 or 130."""
    table = find_preset(DEFAULT)
    return carry_out(arguments, host_of(arguments), () if table is None else table.rows)


def carry_out(arguments: argparse.Namespace, host: Host, rows: tuple[Row, ...]) -> int:
    """Test the card of a machine with a table of shapes."""
    machine = detect(host)
    card = chosen_card(machine)
    if card is None or not card.rdna1:
        return _nothing(arguments, *NO_CARD)
    arguments.python = from_here(arguments.python)
    if why := _wrong_python(arguments, machine):
        return refuse(why)
    pythons = _pythons(arguments, host, machine)
    if not pythons:
        return _nothing(arguments, *_what_to_install(machine, card))
    native = find_stack("native")
    if acts(arguments) and native is not None and (closed := card_closed(machine, native)):
        return refuse(f"The card cannot be used yet. First you need {closed}.")
    return _tested(arguments, host, card, pythons, rows)


def _nothing(arguments: argparse.Namespace, *texts: str) -> int:
    """Say why there is nothing to do here, as every command does that finds nothing to do."""
    print(*_lines(*texts), sep="\n", file=sys.stderr if arguments.json else sys.stdout)
    return 0


def _lines(*texts: str) -> Iterator[str]:
    """Texts in lines, but commands, which are indented, in one line each: they are copied."""
    for text in texts:
        whole = text.startswith(" ")
        yield from (text,) if whole else wrapped(text)


def _wrong_python(arguments: argparse.Namespace, machine: Machine) -> str:
    """Why the Python that was named cannot reach the card; ``""`` where it may."""
    if not arguments.python:
        return ""
    bin_folder = Path(arguments.python).parent
    there = (each for each in torches_there(machine) if Path(each.python).parent == bin_folder)
    built = BUILDS.get(next((each.build for each in there), ""), "")
    told = OTHER_BUILD.format(clean(arguments.python), built)
    return f"{told} {ANOTHER_PYTHON}" if built else ""


def _pythons(arguments: argparse.Namespace, host: Host, machine: Machine) -> tuple[str, ...]:
    """The Python that was named, else the first for ROCm; then that of ``native``, if it is there.

    ``native`` is known by its folder: the one that a run of ours made, or the usual one.
    """
    records = records_of(host)
    folders = {str(each.plan["venv"]) for each in records if each.plan["stack"] == "native"}
    folders.add(f"{host.home}/ai/native")
    there = [each.python for each in torches_there(machine) if each.build == "rocm"]
    first = [arguments.python] if arguments.python else there[:1]
    native = [each for each in there if each.rpartition("/bin/")[0] in folders]
    return tuple(dict.fromkeys((*first, *native[:1])))


def _what_to_install(machine: Machine, card: Gpu) -> Iterator[str]:
    yield NO_TORCH.format(clean(card.name))
    for each in torches_there(machine):
        if each.build in BUILDS:
            yield OTHER_BUILD.format(clean(each.place), BUILDS[each.build])
    possible = (fit.stack for fit in recommend(machine).fits if fit.possible)
    stacks = (stack for each in possible if (stack := find_stack(each)) is not None)
    stack = next((stack for stack in stacks if stack.gfx), None)
    yield from (line.format(stack.id) for line in INSTALL) if stack else NONE_FITS


def _tested(
    arguments: argparse.Namespace,
    host: Host,
    card: Gpu,
    pythons: tuple[str, ...],
    rows: tuple[Row, ...],
) -> int:
    """Say what will be done, ask, measure, write, and say what came of it."""
    given = arguments.hangs
    if given is not None and not 1 <= given <= MOST_HANGS:
        return refuse(f"--hangs must be a number from 1 to {MOST_HANGS}.")
    if arguments.deadline is not None and not 0 < arguments.deadline <= LONGEST_S:
        return refuse(f"--deadline must be a number of seconds above 0 and up to {LONGEST_S:g}.")
    around = circumstances_of(host)
    hangs = around.hangs if given is None else given
    name = arguments.folder or f"rdna1-card-test-{now():%Y-%m-%d-%H%M%S}"
    folder = Path(name).expanduser().absolute()
    if not acts(arguments):
        return _show(arguments, card, pythons, rows, hangs, folder, around)
    try:
        require_new(folder)
    except Trouble as trouble:
        return refuse_for(trouble)
    places, table = places_of(host), _table(arguments, pythons[0], rows, hangs)
    if (busy := obstacle_to(table, places)) is not None:
        return refuse(f"{busy.happened} {busy.next_step}")
    _say(_sentence(card, pythons, rows, hangs))
    if not is_under_way(table, places):
        code = refusal(arguments, table, around, hangs, ENDS)
        if code is not None:
            return code
    tested = CardTest(arguments, places, rows, hangs).with_pythons(pythons)
    return _told(arguments, host, card, tested, folder)


def _table(arguments: argparse.Namespace, python: str, rows: tuple[Row, ...], hangs: int) -> Sweep:
    usual, given = Deadlines(), arguments.deadline
    deadlines = Deadlines(first=given or usual.first, later=given or usual.later)
    return Sweep(python, rows, hangs=table_hangs(hangs), deadlines=deadlines)


def _sentence(card: Gpu, pythons: Sequence[str], rows: Sequence[Row], hangs: int) -> str:
    """What will be tested, and for how long."""
    with_native = f", then of {clean(pythons[1])}" if len(pythons) > 1 else ""
    gfx = f" ({card.gfx})" if isinstance(card.gfx, str) else ""
    searches = ("the exact limit of what hangs", "a setting that helps")
    done = searches if hangs >= ENOUGH else searches[: hangs > FOR_LIMIT]
    rest = f" --hangs {ENOUGH} also searches for {' and '.join(searches[len(done) :])}."
    return (
        f"This tests your {clean(card.name)}{gfx} with the torch of {clean(pythons[0])}"
        f"{with_native}: {', then '.join((f'{len(rows)} convolutions', *done))}. Expect about ten "
        f"minutes.{rest if len(done) < len(searches) else ''}"
    )


def _say(*texts: str) -> None:
    print(*_lines(*texts), sep="\n", end="\n\n", file=sys.stderr)


def _show(
    arguments: argparse.Namespace,
    card: Gpu,
    pythons: tuple[str, ...],
    rows: tuple[Row, ...],
    hangs: int,
    folder: Path,
    around: Circumstances,
) -> int:
    """What would be done, for a dry run."""
    if arguments.json:
        shapes = [row.label for row in rows]
        form = {"dry_run": True, "card": card.name, "pythons": pythons}
        print_json({**form, "shapes": shapes, "hangs": hangs, "folder": str(folder)})
        return 0
    print(*_lines("Nothing is started.", _sentence(card, pythons, rows, hangs)), sep="\n")
    print("", *request_lines(rows), "", sep="\n")
    print(*budget_lines(_table(arguments, pythons[0], rows, hangs), around, hangs), sep="\n")
    print(f"\nThe result card and the report would be written to {clean(str(folder))}.")
    return 0


class CardTest:
    """The parts of a test, one after another, with what is left of its hangs and of its time."""

    def __init__(
        self, arguments: argparse.Namespace, places: Places, rows: tuple[Row, ...], hangs: int
    ) -> None:
        self.arguments, self.places, self.rows, self.left = arguments, places, rows, hangs
        self.ends = time.monotonic() + LONGEST_S
        self.stopped = False
        """True once a key ended it."""
        self.broken = False
        """True once nothing more can be measured, whatever the reason."""

    def with_pythons(self, pythons: Sequence[str]) -> list[Measurement]:
        """What each Python's torch comes to; one hang is kept for each that waits."""
        tested = []
        for number, python in enumerate(pythons, 1):
            if self.stopped or self.broken:
                break
            if self.left < 1:
                _say(NO_HANGS_LEFT.format(python))
                break
            waiting = len(pythons) - number
            tested.append(self._with_python(python, waiting if self.left > waiting else 0))
        return tested

    def _with_python(self, python: str, kept: int) -> Measurement:
        self.left -= kept
        table = _table(self.arguments, python, self.rows, self.left)
        parts = [self._carried(table)]
        self.broken = self.broken or bool(other_device(parts[0].done.results))
        for what, make in ((LIMIT, limit_after), (SETTING, setting_after)):
            if self.stopped or self.broken:
                break
            results, late = parts[0].done.results, time.monotonic() >= self.ends
            request = make(table, results, self.left)
            if request is not None and not late:
                parts.append(self._carried(request, self.ends - time.monotonic()))
            elif (later := make(table, results, SEARCHED_LATER)) is not None:
                why = LATE if late else FEW_HANGS
                _say(
                    f"{what} was not started: {why}. To run it, use this command:",
                    f"    {request_line(later)}",
                )
        self.left += kept
        return Measurement(python, tuple(parts), self.stopped)

    def _carried(self, request: Request, seconds: float | None = None) -> Part:
        """A part carried out, or taken from an earlier start."""
        print(f"\n== {_title(request)}", file=sys.stderr)
        allowed, resume = request.hangs or 1, self.arguments.resume
        lately = finished_lately(request, self.places, os.environ, now()) if resume else None
        done: SweepDone | int
        if lately is not None:
            begun, done = lately
            _say(TAKEN.format(begun))
        else:
            done = measure_apart(request, self.places, resume=resume, seconds=seconds)
        if isinstance(done, int):
            self.stopped = seconds is None or time.monotonic() < self.ends
            if not self.stopped:
                _say(TIME_IS_UP, f"    {request_line(request)}")
            done = kept_of(request, self.places, os.environ)
        else:
            self.broken = done.trouble not in (None, budget_spent(allowed))
        self.left -= hangs_of(done.results, allowed)
        return Part(request, done)


def _title(request: Request) -> str:
    """What a part is about."""
    if isinstance(request, Sweep):
        return f"The table: {len(request.rows)} convolutions"
    (row,) = request.sweep.rows
    if isinstance(request, LimitRequest):
        span = f"{request.smallest} to {request.largest}"
        return f"The exact limit of {row.shape.c_in}->{row.shape.c_out}, from {span}"
    return f"A setting that helps {row.label}"


def _told(
    arguments: argparse.Namespace,
    host: Host,
    card: Gpu,
    tested: Sequence[Measurement],
    folder: Path,
) -> int:
    """Print what came out, write card and report, and give the exit code."""
    with_card = [each for each in tested if each.results and not other_device(each.results)]
    if not with_card:
        return _not_measured(card, tested)
    if not arguments.json:
        print(*outcome_of_test(card.name, with_card), sep="\n")
    report_files = report_files_of_test(with_card, host, places_of(host))
    try:
        write_folder(report_files, folder)
    except Trouble as trouble:
        return refuse_for(trouble)
    if arguments.json:
        print_json(_form(card, with_card, folder, report_files))
    else:
        print(*written_lines(report_files, folder, results_address()), sep="\n")
    if any(each.stopped for each in tested):
        return CANCELLED
    results = [result for each in with_card for result in each.parts[0].done.results]
    return 0 if all(result.verdict.value == "pass" for result in results) else 1


def _not_measured(card: Gpu, tested: Sequence[Measurement]) -> int:
    """Why there is no result of the card."""
    for each in tested:
        for part in each.parts:
            if part.done.trouble is not None:
                print(*trouble_lines(part.done.trouble), sep="\n", file=sys.stderr)
        if other := other_device(each.results):
            _say(OTHER_DEVICE.format(clean(each.python), clean(other), clean(card.name)))
    if any(each.stopped for each in tested):
        return CANCELLED
    return refuse(NOT_THE_CARD)


def _form(
    card: Gpu, tested: Sequence[Measurement], folder: Path, report_files: ReportFiles
) -> dict[str, Any]:
    return {
        "card": card.name,
        "tests": [
            {
                "python": each.python,
                "finished": each.finished,
                "parts": [document_of(part.done, part.request) for part in each.parts],
            }
            for each in tested
        ],
        "folder": str(folder),
        "files": [each.name for each in report_files.files],
        "send_to": results_address() or None,
    }
