"""The plain road from its first words on: the menu, and one way after the other."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout

from wizard.commands.looking import acts, host_of, places_of
from wizard.core.wording import DEMO_TOLD, DRY_RUN_TOLD
from wizard.plain import away, diagnosing, explaining, measuring, setting_up, telling
from wizard.plain.asking import Asker, Left, Option, WentBack
from wizard.plain.page import Page, paragraph
from wizard.plain.road import Do, Road, say

Way = Callable[[Road], int]

AIM = (
    "This is rdna1-setup in plain text. It inspects this machine, recommends a stack (a PyTorch "
    "build and everything it needs) for an RX 5500, 5600 or 5700, shows you the plan, installs "
    "it, and measures Conv2d on your card. Its authors have not run it on any of these cards."
)
LIVE = "Nothing is changed until you agree to a plan."
HOW = (
    "Answer with a number and press Enter. Press Enter alone to accept the default answer shown "
    "with each question. ? tells you more, b goes back to the previous question, and q quits, as "
    "do Ctrl+C and Ctrl+D. Nothing is changed unless you agree to a plan with y and Enter."
)
LEFT = "Goodbye. Nothing was changed except by plans you agreed to."
BYE = "Goodbye."
OURS = ("--plain", "--screens")
STOPPED = 130
FAILED = (1, STOPPED)


def run(arguments: argparse.Namespace, words: Sequence[str], do: Do, why: str = "") -> int:
    """Walk the road until somebody leaves; gives the exit code of the last plan carried out.

    ``words`` are those that it was started with; ``why`` says why there are no screens, where they
    were not declined.
    """
    out, trouble = sys.stdout, sys.stderr
    with redirect_stdout(Page(out)), redirect_stderr(Page(trouble)):
        given = tuple(word for word in words if word not in OURS)
        road = Road(Asker(sys.stdin, say), do, arguments, given)
        try:
            _begin(road, why)
            return _walk(road)
        except Left:
            say()
            say(LEFT)
            return 0
        except KeyboardInterrupt:
            say()
            say(LEFT)
            return STOPPED


def _begin(road: Road, why: str) -> None:
    from wizard.commands.overview import restart_lines, work_lines

    if why:
        road.say(why)
    mode = LIVE if acts(road.arguments) else DEMO_TOLD if road.arguments.demo else DRY_RUN_TOLD
    for text in (AIM, "", mode, "", HOW):
        road.say(paragraph(text))
    if acts(road.arguments):
        for text in (*work_lines(), *_unfinished(road), *restart_lines(road.arguments)):
            road.say(text)


def _unfinished(road: Road) -> tuple[str, ...]:
    """A run that stopped before its end, or before all of it was taken back."""
    from wizard.run.runs import half_back, unfinished_run

    places = places_of(host_of(road.arguments))
    if back := half_back(places):
        return ("", f"Run {back.id} is only partly undone. Open Roll back to finish undoing it.")
    waits = unfinished_run(places)
    if waits is None:
        return ()
    where = f" into {waits.plan['venv']}" if waits.plan["venv"] else ""
    return (
        "",
        f"A run is not finished: {waits.name}{where} ({waits.id}). Give the same answers to "
        "continue where it stopped, or roll it back.",
    )


def _walk(road: Road) -> int:
    code = 0
    while True:
        way = road.ask.choose("What do you want to do?", _ways(), first=True, explain=_explain)
        if way is None:
            road.say(BYE)
            return code
        try:
            ended = way(road)
        except WentBack:
            continue
        if way in _changing():
            code = ended if ended in FAILED else 0


def _ways() -> list[Option[Way | None]]:
    return [
        Option("Set up PyTorch: check, choose, read the plan, install", setting_up.walk),
        Option("Measure Conv2d with an installed PyTorch", measuring.walk),
        Option("Diagnose this machine and fix what is found", diagnosing.walk),
        Option("Explain a log or an error text", explaining.walk),
        Option("Remove ROCm or clean up after other scripts", away.clear),
        Option("Roll back: undo a run of this program", away.roll_back),
        Option("Show this machine on one page: verdict, advice, problems", telling.tell_all),
        Option("Report for an issue, without your name and home folder", telling.report),
        Option("Quit", None, "0"),
    ]


def _changing() -> tuple[Way, ...]:
    """Ways whose failure is a failure of the program, and no finding."""
    return (setting_up.walk, diagnosing.walk, away.clear, away.roll_back)


def _explain(place: int | None) -> None:
    text = HOW if place is None else MORE[place]
    say(paragraph(text))


MORE = (
    "1 asks what you want to run, recommends a stack, and shows the full plan. It installs into "
    "one folder, and only after you agree.",
    "2 runs convolutions one by one, each with a time limit. Your card may hang, so it warns you "
    "and asks first. It shows which shapes give the right numbers.",
    "3 looks for problems, shows the evidence, and says how to fix them.",
    "4 looks for known causes in a file or in lines you paste.",
    "5 removes AMD's packages, or files and lines of other scripts. It shows the plan first, and "
    "you can undo it.",
    "6 shows what a run made and undoes it. Your own files are kept.",
    "7 changes nothing. It prints about 40 lines and names the commands that show more.",
    "8 prints a report. It sends nothing anywhere.",
    "0 quits. That changes nothing.",
)
