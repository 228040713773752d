"""What to do next is told by keys on the screens, by commands outside them, from one text."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import wizard
from screens.diagnose.text import Shown, details, fixed_text
from screens.done import panels_of
from screens.faults import in_one_run, told
from screens.run.screen import failure_text
from screens.session import Session
from tests.screens import examples
from tests.screens.diagnose_fakes import OVERRIDE
from wizard.cli.options import COMMANDS
from wizard.conv2d.stop_reasons import budget_spent
from wizard.conv2d.sweep import Sweep, SweepDone
from wizard.core.events import PlanFinished, StepFailed
from wizard.core.trouble import Trouble, explained
from wizard.core.wording import by_keys
from wizard.knowledge.causes import load_causes
from wizard.report.conv2d_conclusion import answer_text
from wizard.report.findings import whole_lines
from wizard.run.progress import after, before_run
from wizard.services import LIVE
from wizard.services.plans import refused

FULL = explained("No space left on device", 1)
FAILED = StepFailed(1, FULL.happened, FULL.meaning, FULL.next_step)
COMMANDS_ALONE = ("fetch", "keep", "apply --plan", "rollback --list", "rollback --forget")
"""What no key of the wizard does."""
FINISHED = PlanFinished(True, False, True, False, "", "")
ANY_COMMAND = re.compile(r"rdna1-setup ((?:[a-z-]+)(?: --?[a-z-]+)?)")


def test_after_a_failed_step_the_screen_names_keys_and_the_command_line_the_command() -> None:
    assert "run the same command again" in FULL.next_step
    failed = after(before_run(examples.PLAN), FAILED)
    assert "press Enter" in failure_text(failed).plain


def test_an_option_of_the_footprint_is_told_by_its_key_wherever_it_stands() -> None:
    text = "Choose an older release, or use --footprint venv. --footprint venv needs no packages."
    assert by_keys(text) == (
        "Choose an older release, or use the footprint venv (u on Choose). "
        "The footprint venv (u on Choose) needs no packages."
    )


def test_done_names_keys_too() -> None:
    session = Session(plan=examples.PLAN, failure=FAILED)
    panels = {panel.title: panel.lines for panel in panels_of(session, LIVE)}
    assert "same command" not in panels["What to do next"][0]


def test_notices_and_refusals_name_keys_too() -> None:
    trouble = Trouble("It stopped.", "No matter.", "Run the same command again.")
    assert told(trouble).endswith("\n\nTry again.")
    assert in_one_run(trouble).endswith(" Try again.")
    refusal = refused(Trouble("No.", "No.", "Check the date, then run the same command again."))
    assert refusal.next_step == "Check the date, then try again."


def test_a_finding_names_keys_on_the_screen_and_commands_elsewhere() -> None:
    finding = replace(OVERRIDE, fix=load_causes()["stale-override"].fix)
    assert "rdna1-setup clean-up" in " ".join(whole_lines(finding))
    shown = " ".join(" ".join(line.plain for line in details(finding, Shown(), 200)).split())
    assert "(Remove, x on Welcome, finds them)" in shown
    assert "rdna1-setup clean-up" not in shown


def test_what_became_of_a_fix_names_the_key_that_looks_again() -> None:
    there, _ = fixed_text(OVERRIDE, (OVERRIDE,), FINISHED, LIVE)
    assert "rdna1-setup diagnose" not in there


def test_a_run_of_the_panel_that_stopped_names_its_keys() -> None:
    request = Sweep("python3", ())
    shown = answer_text(request, SweepDone((), budget_spent(1), 0.0))
    assert "Press Esc, then Enter, to continue with the remaining shapes." in shown
    assert "To allow more hangs, press o." in shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See `rdna1-setup detect`.", "See Detect (Set up PyTorch on Welcome)."),
        ("rdna1-setup conv2d --python DIR/bin/python measures it.",
         "Measure (c on Welcome) measures it."),
        ("Undo this run (rdna1-setup rollback), then go.",
         "Undo this run (Roll back, r on Welcome), then go."),
        ("Undo it: rdna1-setup rollback 20261009-1200-ab",
         "Undo it: rdna1-setup rollback 20261009-1200-ab (r on Welcome, if it is the last run)"),
        ("rdna1-setup rollback undoes a run.", "Roll back (r on Welcome) undoes a run."),
        ("Install it with rdna1-setup.", "Install it with rdna1-setup."),
        ("To see the list of runs, use `rdna1-setup rollback --list`.", "To see the list of "
        "runs, use `rdna1-setup rollback --list`."),
        ("To continue from here, run the same command with --hangs 4. To start over, add "
         "--no-resume.",
         "Press Esc, then Enter, to continue from here, with 4 hangs allowed (o)."),
        ("Take a new folder with --venv DIR.", "Take a new folder on Choose (f)."),
    ],
)  # fmt: skip
def test_a_command_becomes_the_key_that_does_the_same(text: str, shown: str) -> None:
    assert by_keys(text) == shown
    assert by_keys(shown) == shown


def remedies() -> Iterator[str]:
    """All texts of causes and of failures that were foreseen; ``{}`` for what is filled in."""
    for cause in load_causes().values():
        yield from (cause.meaning, *cause.fix)
    home = Path(wizard.__file__).parent
    plans = ("package_resolution", "rollback_packages", "start_check", "wheel_index")
    for place in ("run", "apt", "diagnose", *(f"plan/{each}.py" for each in plans)):
        for path in sorted((home / place).rglob("*.py")) or [home / place]:
            tree = ast.parse(path.read_text(encoding="utf-8"))
            inside = {
                id(part)
                for node in ast.walk(tree)
                if isinstance(node, ast.JoinedStr)
                for part in node.values
            }
            for node in ast.walk(tree):
                if isinstance(node, ast.JoinedStr):
                    parts = (
                        part.value if isinstance(part, ast.Constant) else "{}"
                        for part in node.values
                    )
                    yield "".join(map(str, parts))
                elif isinstance(node, ast.Constant) and id(node) not in inside:
                    yield node.value if isinstance(node.value, str) else ""


def test_no_remedy_names_a_command_on_a_screen_where_a_key_does_it() -> None:
    left = []
    for text in remedies():
        shown = by_keys(text)
        commands = ANY_COMMAND.findall(re.sub(r"rdna1-setup rollback \{\}", "", shown))
        if "same command" in shown or not all(map(_is_alone, commands)):
            left.append(shown)
    assert left == []


def _is_alone(command: str) -> bool:
    return command.startswith(COMMANDS_ALONE) or command.split()[0] not in COMMANDS
