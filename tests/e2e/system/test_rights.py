"""Rights in the wizard: sudo asks in the lent terminal, root's helper asks there, and draws on."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.system.bases import OWNER, PASSWORD, PREFIX
from tests.e2e.system.states import NOTHING, Enter
from tests.e2e.system.sudos import SUDOS, Sudo
from tests.e2e.terminal import Terminal

pytestmark = pytest.mark.e2e

PROGRAM = """
import sys
from screens.app import SetupApp, show
from screens.start import LentTerminal
from screens.session import Session
from screens.start import services_for
from wizard.core.journal import Kind
from wizard.cli.options import parser
from wizard.plan.form import with_id
from wizard.operations.groups import AddToGroups
from wizard.plan.steps import Plan

step = AddToGroups("The device files belong to it.", "owner", ("render",))
plan = Plan("", Kind.FIX, "", "system", "", (step,), 0, 0, True, (), cause="kfd-permission")
plan = with_id(plan)
lent = LentTerminal()
lent.app = SetupApp(services_for(parser().parse_args([]), lent), Session(plan=plan), "review")
sys.exit(show(lent.app))
"""
"""The wizard with a plan that needs a card on no machine."""


@pytest.mark.parametrize("sudo", SUDOS, ids=str)
def test_the_wizard_gets_root_by_a_password_that_it_never_sees(enter: Enter, sudo: Sudo) -> None:
    root = enter(NOTHING, sudo.suite)
    sudo.take_over(root)
    root.give_sudo("with password")
    root.run("groupadd", "--force", "render")
    root.write("/srv/rights.py", PROGRAM)
    env = {"TERM": "xterm-256color"}
    command = root.command(f"{PREFIX}/bin/python", "/srv/rights.py", user=OWNER, env=env)
    with Terminal(command, os.environ) as terminal:
        terminal.wait_for("Esc goes back")
        terminal.send("\r")
        terminal.wait_for(sudo.prompt)
        terminal.send("not this\n")
        terminal.wait_for(sudo.prompt)
        assert PASSWORD not in " ".join(word for one in root.running() for word in one.command)
        terminal.send(f"{PASSWORD}\n")
        terminal.wait_for("change nothing: ")
        assert "add owner to render" in terminal.text()
        terminal.send("yes\n")
        terminal.wait_for("1 of 1 step done")
        terminal.send("?")  # keys are the wizard's again, and it draws
        terminal.wait_for("Help")
    assert "render" in root.run("id", "-nG", OWNER).stdout.split()
    places = ("/home", "/var/lib/rdna1-setup", "/var/log", "/root", "/tmp")
    found = root.run("grep", "-rlF", PASSWORD, *places, check=False)
    assert found.stdout == ""


@pytest.mark.parametrize("sudo", SUDOS, ids=str)
def test_a_no_at_the_terminal_leaves_everything_as_it_is(enter: Enter, sudo: Sudo) -> None:
    root = enter(NOTHING, sudo.suite)
    sudo.take_over(root)
    root.give_sudo("without password")
    root.run("groupadd", "--force", "render")
    root.write("/srv/rights.py", PROGRAM)
    groups = Path(root.folder / "etc/group").read_bytes()
    env = {"TERM": "xterm-256color"}
    command = root.command(f"{PREFIX}/bin/python", "/srv/rights.py", user=OWNER, env=env)
    with Terminal(command, os.environ) as terminal:
        terminal.wait_for("Esc goes back")
        terminal.send("\r")
        terminal.wait_for("change nothing: ")
        terminal.send("no\n")
        terminal.wait_for("The plan was not confirmed")
    assert Path(root.folder / "etc/group").read_bytes() == groups
