"""The terminal is closed in the middle of apt: it ends its work, watched by the next start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import packages
from tests.e2e.system.bases import OWNER, PREFIX
from tests.e2e.system.roots import Root
from tests.e2e.system.states import ROCM_57, Enter
from tests.e2e.system.test_road import APPLY_S, PYTHONS, at_a_terminal, prepared
from tests.e2e.system.walking import QUESTION
from tests.e2e.terminal import Terminal
from tests.root.conversation import RUNS, journal, wait_until
from tests.root.stops import pids

pytestmark = pytest.mark.e2e
HELD = "/srv/held"
HOOK = f"""
DPkg::Pre-Invoke {{ "while [ -e {HELD}/on ]; do touch {HELD}/reached; sleep 0.1; done"; }};
"""
GOES_ON = "still working"
IN_WIZARD = """
import asyncio, os, sys
from screens.app import SetupApp, show
from screens.start import LentTerminal
from screens.session import Session
from screens.start import services_for
from wizard.cli.options import parser
from wizard.services.command_line import host_of
from wizard.services.plan_request import requested_plan
from wizard.machine.detect import detect

arguments = parser().parse_args(sys.argv[1:])
host = host_of(arguments)
plan = requested_plan(arguments, arguments.stack, host, detect(host), exact=True)
lent = LentTerminal()
lent.app = SetupApp(services_for(parser().parse_args([]), lent), Session(plan=plan), "review")
sys.exit(show(lent.app))
"""
"""The wizard where it reviews the plan that these words make."""


@pytest.fixture
def road(enter: Enter, archive: ArchiveServer, wheels: Path) -> tuple[Root, tuple[str, ...]]:
    """A root on whose road apt stands still before dpkg's first work, and the words of apply."""
    root = enter(ROCM_57)
    words = prepared(root, archive, wheels)
    root.give_sudo("without password")
    root.write("/etc/apt/apt.conf.d/99held", HOOK)
    root.path(HELD).mkdir()
    root.path(f"{HELD}/on").touch()
    return root, words


def in_apt(root: Root) -> bool:
    return root.path(f"{HELD}/reached").exists()


def release(root: Root) -> None:
    """Let apt go on, now and whenever it comes again."""
    root.path(f"{HELD}/on").unlink()


def outcome_of_removal(root: Root) -> str:
    """What the helper journalled of the transaction that was under way."""
    (run,) = root.path(RUNS).iterdir()
    return str([r for r in journal(root, run.name) if r["event"] == "outcome"][-1]["outcome"])


@contextmanager
def left_in_apt(root: Root, terminal: Terminal, *answers: tuple[str, str]) -> Iterator[None]:
    """The terminal of a wizard is gone while apt is at work."""
    with terminal:
        for question, answer in answers:
            terminal.wait_for(question, APPLY_S)
            terminal.send(answer)
        terminal.wait_until(lambda: in_apt(root), "apt is at work")
        terminal.hang_up()
        yield


def test_the_next_apply_watches_apt_to_its_end_and_goes_on(
    road: tuple[Root, tuple[str, ...]],
) -> None:
    root, words = road
    apply = ("apply", *words, "--yes")
    with (
        left_in_apt(root, at_a_terminal(root, *apply), (QUESTION, "yes\n")),
        at_a_terminal(root, "watch") as watching,
        at_a_terminal(root, *apply) as again,
    ):
        watching.wait_for(GOES_ON)
        again.wait_for(GOES_ON)
        assert "rocm-core" in packages(root)
        release(root)
        watching.wait_for("The root step has finished")
        assert watching.exit_code() == 0
        assert "0 packages installed, 24 removed" in outcome_of_removal(root)
        again.wait_for(QUESTION)
        again.send("yes\n")
        again.wait_for("Finished.", APPLY_S)
        assert again.exit_code() == 0
    assert packages(root)["rocm-core"].version.startswith("5.2.0")


def test_the_next_rollback_watches_apt_to_its_end_and_goes_back(
    road: tuple[Root, tuple[str, ...]],
) -> None:
    root, words = road
    before = packages(root)
    with (
        left_in_apt(root, at_a_terminal(root, "apply", *words, "--yes"), (QUESTION, "yes\n")),
        at_a_terminal(root, "rollback", "--yes") as back,
    ):
        back.wait_for(GOES_ON)
        release(root)
        back.wait_for(QUESTION)
        back.send("yes\n")
        back.wait_for("Undone", APPLY_S)
    assert packages(root) == before


def test_the_wizards_first_screen_says_so_and_watches_and_go_on_is_offered(
    road: tuple[Root, tuple[str, ...]],
) -> None:
    root, words = road
    root.write("/srv/in_wizard.py", IN_WIZARD)
    env = {"PATH": f"{PYTHONS}/bin:/usr/local/bin:/usr/bin:/bin", "TERM": "xterm"}
    python = f"{PREFIX}/bin/python"
    reviewing = root.command(python, "/srv/in_wizard.py", "apply", *words, user=OWNER, env=env)
    answers = (("Esc goes back", "\r"), (QUESTION, "yes\n"))
    with left_in_apt(root, Terminal(reviewing, os.environ), *answers):
        with at_a_terminal(root) as wizard:
            wizard.wait_for(GOES_ON)
            wizard.send("w")
            wizard.wait_for("The step continues even if you")
            release(root)
            wizard.wait_for("The root step has finished")
            assert "0 packages installed, 24 removed" in outcome_of_removal(root)
            wizard.send("\r")
            wizard.wait_for("Continue")
        wait_until(lambda: not pids(root, "assets/root"), "the helper has ended")
    with at_a_terminal(root, "apply", *words, "--yes") as again:
        again.wait_for(QUESTION, APPLY_S)
        again.send("yes\n")
        again.wait_for("Finished.", APPLY_S)
    assert packages(root)["rocm-core"].version.startswith("5.2.0")
