"""The wizard as questions in plain text: its menu, and its ways to findings and texts."""

from __future__ import annotations

import argparse
import io
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout

from wizard.cli.plain_measuring import measure
from wizard.cli.plain_setup import clear, roll_back, set_up
from wizard.cli.questions import Asker, Do, Guide, Left, Option, Page, WentBack, paragraph, say
from wizard.cli.report import print_overview, restart_lines, work_lines
from wizard.core.lines import clean
from wizard.core.wording import DEMO_TOLD, DRY_RUN_TOLD
from wizard.diagnose.explain import explain_file
from wizard.diagnose.finding import Finding, conclude, counts_text
from wizard.diagnose.fix_settings import without_plan
from wizard.host.host import places_of
from wizard.report.findings import explanation_lines, fix_command, whole_lines
from wizard.run.runs import half_undone, unfinished_run
from wizard.services.command_line import absolute, acts, host_of
from wizard.services.machine import diagnosis_of

FINDINGS = "Which finding do you want to see? Type its number to see the evidence and the fix."
FINDINGS_MORE = """\
Each number stands for something found on this machine. Type a number to see the evidence \
and the fix.
a prints everything, including the checks that found nothing wrong.
0 goes back to the first menu."""
MEND_MORE = """\
1 goes back to the list of what was found.
2 shows the plan of the fix. Nothing is changed before you agree to it."""
ALL = "everything, including the checks that are fine"
TO_MENU = "back to the beginning"
MEND = "fix it: you see the plan first and are asked to confirm"
WHERE = "Where is the text (a log, a traceback, a program's output)?"
PATH = "Path to the file:"
WHERE_MORE = """\
The text is compared with the error messages that this program knows. It is not sent anywhere.
1 asks for the path to a text file, such as a log.
2 lets you paste the lines here."""
PATH_MORE = "Type the path to a text file, such as ~/error.log. The file is read but not changed."
PASTE = "Paste the text now. End with a line that contains only a period."
END = "."
Way = Callable[[Guide], int]
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


def diagnose(guide: Guide) -> int:
    """Tell what was found, then each finding that is asked for; gives the exit code of a fix."""
    host, machine = guide.look()
    findings = diagnosis_of(host, machine).findings
    counting = [finding for finding in findings if finding.counts]
    guide.say(conclude(findings).text, f"{counts_text(finding.status for finding in findings)}.")
    options: list[Option[Finding | str | None]] = []
    options += (Option(_head(each), each) for each in counting)
    options += (Option(ALL, ALL, "a"), Option(TO_MENU, None, "0"))
    while True:
        chosen = guide.ask.choose(FINDINGS, options, len(options) - 1, explain=FINDINGS_MORE)
        if chosen is None:
            return 0
        if isinstance(chosen, str):
            guide.carry_out("diagnose", *guide.app_words)
            continue
        command = _tell(guide, chosen, counting)
        if command:  # what was found here holds no longer after it
            return guide.carry_out(*command)


def _head(finding: Finding) -> str:
    return clean(f"{finding.status.word} ({finding.confidence.value}): {finding.title}")


def _tell(guide: Guide, finding: Finding, among: Sequence[Finding]) -> Sequence[str]:
    """One finding whole; the words of the command that fixes it, where that is wanted."""
    guide.say("", *whole_lines(finding))
    command = fix_command(finding, among)
    if not command:
        if told := without_plan(finding):
            guide.say(told)
        return ()
    options = [Option("back to the findings", False), Option(MEND, True)]
    try:
        wanted = guide.ask.choose("What now?", options, explain=MEND_MORE)
    except WentBack:
        return ()
    return shlex.split(command)[1:] if wanted else ()


def explain(guide: Guide) -> int:
    """Ask for the text, then tell what it proves."""
    options = [Option("in a file", True), Option("I will paste it here", False)]
    if guide.ask.choose(WHERE, options, explain=WHERE_MORE):
        path = guide.ask.text(PATH, explain=PATH_MORE)
        return guide.carry_out("explain", absolute(path), *guide.app_words) if path else 0
    guide.say(PASTE)
    text = guide.ask.lines(END)
    guide.say("", *explanation_lines(explain_file(io.BytesIO(text.encode("utf-8", "replace")))))
    return 0


def tell_all(guide: Guide) -> int:
    """Verdict, recommendation and problems of this machine; changes nothing."""
    return print_overview(guide.arguments, guide.applications)


def report(guide: Guide) -> int:
    """The report for an issue."""
    return guide.carry_out("report")


def run_plain(arguments: argparse.Namespace, words: Sequence[str], do: Do, why: str = "") -> int:
    """Offer the menu until somebody leaves; gives the exit code of the last plan carried out.

    ``words`` are those that it was started with; ``why`` says why there are no screens, where they
    were not declined.
    """
    out, trouble = sys.stdout, sys.stderr
    with redirect_stdout(Page(out)), redirect_stderr(Page(trouble)):
        given = tuple(word for word in words if word not in OURS)
        guide = Guide(Asker(sys.stdin, say), do, arguments, given)
        try:
            _begin(guide, why)
            return _walk(guide)
        except Left:
            say("", LEFT)
            return 0
        except KeyboardInterrupt:
            say("", LEFT)
            return STOPPED


def _begin(guide: Guide, why: str) -> None:
    if why:
        guide.say(why)
    mode = LIVE if acts(guide.arguments) else DEMO_TOLD if guide.arguments.demo else DRY_RUN_TOLD
    for text in (AIM, "", mode, "", HOW):
        guide.say(paragraph(text))
    if acts(guide.arguments):
        for text in (*work_lines(), *_unfinished(guide), *restart_lines(guide.arguments)):
            guide.say(text)


def _unfinished(guide: Guide) -> tuple[str, ...]:
    """A run that stopped before its end, or before all of it was taken back."""
    places = places_of(host_of(guide.arguments))
    if back := half_undone(places):
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


def _walk(guide: Guide) -> int:
    code = 0
    while True:
        way = guide.ask.choose("What do you want to do?", _ways(), first=True, explain=_explain)
        if way is None:
            guide.say(BYE)
            return code
        try:
            ended = way(guide)
        except WentBack:
            continue
        if way in _changing():
            code = ended if ended in FAILED else 0


def _ways() -> list[Option[Way | None]]:
    return [
        Option("Set up PyTorch: check, choose, read the plan, install", set_up),
        Option("Measure Conv2d with an installed PyTorch", measure),
        Option("Diagnose this machine and fix what is found", diagnose),
        Option("Explain a log or an error text", explain),
        Option("Remove ROCm or clean up after other scripts", clear),
        Option("Roll back: undo a run of this program", roll_back),
        Option("Show this machine on one page: verdict, advice, problems", tell_all),
        Option("Report for an issue, without your name and home folder", report),
        Option("Quit", None, "0"),
    ]


def _changing() -> tuple[Way, ...]:
    """Ways whose failure is a failure of the program, and no finding."""
    return (set_up, diagnose, clear, roll_back)


def _explain(place: int | None) -> None:
    text = HOW if place is None else MORE[place]
    say(paragraph(text))
