"""A real terminal, an ordinary user, real sudo: a password, a typed yes, and all goes by itself."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system.bases import OWNER, PASSWORD, PREFIX, TRIXIE, base_tar
from tests.e2e.system.roots import Root, fresh_root
from tests.e2e.system.sudos import SUDOS, Sudo, forget_passwords
from tests.e2e.terminal import Terminal
from tests.root.archive import add_source, publish
from tests.root.conversation import (
    RUNS,
    Event,
    apt_change,
    argv,
    journal,
    plan_of,
    talk,
    undo,
    wait_until,
    write_file,
)
from tests.root.stops import FOLDER, kill, pids, stopped_at, waiting

pytestmark = pytest.mark.e2e
CHANGE = apt_change((("stand-slow", "1.0"),))
PLACE = "stand-slow-postinst-configure"
PROFILE = write_file("/etc/profile.d/rdna1-setup-rocm.sh", "# ours\n")
SMALL_WIZARD = "/srv/small_wizard.py"
PATH = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


@pytest.fixture(scope="module", params=SUDOS, ids=str)
def root(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Root]:
    """A root whose owner may use sudo with a password; in Debian 13 that is sudo-rs."""
    scratch = tmp_path_factory.mktemp("archive")
    sudo: Sudo = request.param
    with fresh_root(sudo.suite, base_tar(sudo.suite)) as made:
        sudo.take_over(made)
        publish(made, waiting("stand-slow", "1.0"), scratch=scratch)
        add_source(made, scratch)
        made.give_sudo("with password")
        made.write(SMALL_WIZARD, Path(__file__).with_name("small_wizard.py").read_text())
        yield made


@pytest.fixture(autouse=True)
def _nothing_remembered(root: Root) -> Iterator[None]:
    """sudo asks anew in each test, and nothing is left at work."""
    yield
    kill(*pids(root, "python"))
    root.give_sudo("with password")
    forget_passwords(root)
    root.run("dpkg", "--purge", "stand-slow")
    root.run("rm", "-rf", "/var/lib/rdna1-setup", "/etc/profile.d/rdna1-setup-rocm.sh")


def terminal(root: Root, run: str, *steps: Event, how: str = "go", user: str = OWNER) -> Terminal:
    """The small wizard on a terminal."""
    words = (f"{PREFIX}/bin/python", SMALL_WIZARD, run, json.dumps(steps), how)
    return Terminal(root.command(*words, user=user, env=PATH), os.environ)


def give_password(screen: Terminal, password: str = PASSWORD) -> None:
    screen.wait_for("assword")
    screen.send(f"{password}\n")


def test_the_terminal_shows_digest_packages_and_paths_and_takes_a_typed_yes(root: Root) -> None:
    with terminal(root, "yes", CHANGE, PROFILE) as screen:
        give_password(screen)
        screen.wait_for("Type yes")
        shown = screen.text()
        screen.send("yes\n")
        screen.wait_for("THE END")
        assert screen.exit_code() == 0
    (begin,) = [r for r in journal(root, "yes") if r["event"] == "begin"]
    assert f"digest {begin['digest']}" in shown
    assert "install stand-slow=1.0" in shown
    assert "write /etc/profile.d/rdna1-setup-rocm.sh" in shown
    assert f"{RUNS}/yes/UNDO.sh" in shown
    assert begin["user"] == root.numbers()[0]


@pytest.mark.parametrize("answer", ["no\n", "\n", "y\n", "YES\n", "yes please\n", "\x04", "\x03"])
def test_anything_but_yes_changes_nothing(root: Root, answer: str) -> None:
    with terminal(root, "no", PROFILE) as screen:
        give_password(screen)
        screen.wait_for("Type yes")
        screen.send(answer)
        if answer == "\x04" and root.suite is TRIXIE:  # which sudo-rs keeps to itself
            screen.send("no\n")
        if answer != "\x03":  # which ends the small wizard too
            screen.wait_for("TROUBLE The plan was not confirmed")
        screen.exit_code()
    assert not root.path(f"{RUNS}/no").exists()
    assert not root.path("/etc/profile.d/rdna1-setup-rocm.sh").exists()


def test_what_was_typed_before_the_question_is_no_answer_to_it(root: Root) -> None:
    with terminal(root, "ahead", PROFILE) as screen:
        screen.wait_for("assword")
        screen.send(f"{PASSWORD}\nyes\nyes\n")
        screen.wait_for("Type yes")
        screen.wait_until(lambda: bool(pids(root, "assets/root")), "the helper asks")
        screen.send("no\n")
        screen.wait_for("TROUBLE The plan was not confirmed")


def test_what_was_typed_before_sudo_had_the_terminal_is_no_answer_either(root: Root) -> None:
    """Where it asks for no password, it hands on what it finds, once it has the terminal."""
    root.give_sudo("without password")
    with terminal(root, "ahead", PROFILE) as screen:
        screen.send("yes\nyes\n")
        screen.wait_for("change nothing: ")
        screen.send("no\n")
        screen.wait_for("TROUBLE The plan was not confirmed")


def test_the_wizard_has_the_terminal_back_while_the_helper_is_at_work(root: Root) -> None:
    """While it waits, sudo would read the keys that are meant for the wizard."""
    with terminal(root, "keys", PROFILE, how="keys") as screen:
        give_password(screen)
        screen.wait_for("Type yes")
        screen.send("yes\n")
        screen.wait_for("READY")
        screen.wait_until(lambda: not pids(root, "sudo --"), "sudo has ended")
        screen.send("hello\n")
        screen.wait_for("TYPED hello")
        screen.wait_for("THE END")


def test_the_password_is_nowhere(root: Root) -> None:
    with terminal(root, "secret", PROFILE) as screen:
        give_password(screen)
        screen.wait_for("Type yes")
        running = "\0".join(word for one in root.running() for word in one.command)
        screen.send("yes\n")
        screen.wait_for("THE END")
    assert PASSWORD not in running
    found = ("grep", "-rlF", PASSWORD, "/var/lib/rdna1-setup", "/var/log", "/home", "/tmp")
    assert root.run(*found, check=False).stdout == ""


def test_a_wrong_password_is_told_and_what_to_run_by_hand(root: Root) -> None:
    with terminal(root, "wrong", PROFILE) as screen:
        for _ in range(3):
            give_password(screen, "wrong")
        screen.wait_for("TROUBLE sudo did not grant root rights (exit code 1)")
        screen.wait_for("some command")
    assert not root.path(RUNS).exists()


def test_a_user_who_may_not_use_sudo_is_told(root: Root) -> None:
    root.give_sudo("none")
    with terminal(root, "none", PROFILE) as screen:
        answers = ("assword", "TROUBLE")  # sudo-rs refuses before it asks for anything
        screen.wait_until(lambda: any(each in screen.text() for each in answers), "an answer")
        if "TROUBLE" not in screen.text():
            screen.send(f"{PASSWORD}\n")
        screen.wait_for("TROUBLE sudo did not grant root rights")


def test_a_machine_without_sudo_is_told_of(root: Root) -> None:
    root.run("mv", "/usr/bin/sudo", "/usr/bin/sudo.away")
    with terminal(root, "absent", PROFILE) as screen:
        screen.wait_for("TROUBLE sudo is not installed")
        screen.wait_for("some command")
    root.run("mv", "/usr/bin/sudo.away", "/usr/bin/sudo")


def test_a_closed_terminal_lets_the_step_finish_and_the_next_wizard_watches_it(root: Root) -> None:
    with stopped_at(root, PLACE):
        with terminal(root, "closed", CHANGE) as screen:
            give_password(screen)
            screen.wait_for("Type yes")
            screen.send("yes\n")
            screen.wait_until((root.path(FOLDER) / f"{PLACE}.reached").exists, "the middle")
            screen.hang_up()
            wait_until(lambda: not pids(root, SMALL_WIZARD), "the wizard is gone")
        with terminal(root, "", how="watch") as screen:
            screen.wait_for("AT WORK 1")
            (root.path(FOLDER) / PLACE).unlink()
            screen.wait_for("1 package installed, 0 removed; dpkg confirms each")
            screen.wait_for("THE END")
    assert not pids(root, "assets/root")
    assert undo(root, "closed").returncode == 0
    with terminal(root, "", how="watch") as screen:
        screen.wait_for("AT WORK nobody")


def test_a_helper_that_was_killed_is_told_once_its_program_has_ended(root: Root) -> None:
    with stopped_at(root, PLACE):
        with terminal(root, "killed", CHANGE) as screen:
            give_password(screen)
            screen.wait_for("Type yes")
            screen.send("yes\n")
            screen.wait_until((root.path(FOLDER) / f"{PLACE}.reached").exists, "the middle")
            kill(*pids(root, "assets/root"))
            screen.wait_for("TROUBLE The root helper ended unexpectedly")
        with terminal(root, "", how="watch") as screen:
            screen.wait_for("AT WORK 1")
            screen.wait_for("Progress")
            (root.path(FOLDER) / PLACE).unlink()
            screen.wait_for("TROUBLE The root helper ended unexpectedly")


def test_yes_in_advance_counts_for_nobody_who_came_through_sudo(root: Root) -> None:
    root.give_sudo("without password")
    plan = {"schema": 1, "run": "advance", "steps": [PROFILE], "yes": True}
    done = root.run(
        "setsid", "--wait", "sudo", "--", *argv(root),
        user=OWNER, text=json.dumps(plan) + "\n", check=False,
    )  # fmt: skip
    event = json.loads(done.stdout)
    assert event["event"] == "refused"
    assert "no terminal in which to prompt you" in event["happened"]


def test_yes_in_advance_counts_for_root_itself_without_a_terminal_only(root: Root) -> None:
    with talk(root, PROFILE, run="root") as conversation:
        assert conversation.first["event"] == "ready"
    with talk(root, PROFILE, run="root-2", yes=False) as conversation:
        assert conversation.first["event"] == "refused"
    with terminal(root, "root-3", PROFILE, user="root") as screen:
        screen.wait_for("Type yes")
        screen.send("no\n")
        screen.wait_for("TROUBLE The plan was not confirmed")


IN_THE_BACKGROUND = """
import os, signal, subprocess, sys
def step_back():
    os.setpgid(0, 0)
    for number in (signal.SIGTTIN, signal.SIGTTOU):
        signal.signal(number, signal.SIG_IGN)
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
os.setpgid(0, 0)  # a job of its own, as of a shell
os.tcsetpgrp(0, os.getpgrp())
plan, *argv = sys.argv[1:]
helper = subprocess.Popen(argv, stdin=subprocess.PIPE, text=True, preexec_fn=step_back)
helper.stdin.write(plan + chr(10))
helper.stdin.close()
print("ENDED", helper.wait(), flush=True)
print("OURS", os.tcgetpgrp(0) == os.getpgrp(), flush=True)
"""


@pytest.mark.parametrize(("answer", "code"), [("yes\n", 0), ("no\n", 2), ("\x04", 2)])
def test_a_helper_that_was_started_in_the_background_asks_and_gives_the_terminal_back(
    root: Root, answer: str, code: int
) -> None:
    """So sudo-rs starts whatever has pipes for its input and output."""
    words = ("/usr/bin/python3", "-c", IN_THE_BACKGROUND, plan_of(PROFILE, run="background"))
    with Terminal(root.command(*words, *argv(root)), os.environ) as screen:
        screen.wait_for("change nothing: ")
        screen.send(answer)
        screen.wait_for(f"ENDED {code}")
        screen.wait_for("OURS True")


HUNG_UP = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGHUP, signal.SIG_IGN)
plan, *argv = sys.argv[1:]
with open("/srv/said", "w") as said, open("/dev/null", "w") as null:
    helper = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=said, stderr=null, text=True)
    helper.stdin.write(plan + chr(10))
    helper.stdin.flush()
    helper.wait()
    said.write("ENDED")
"""


def test_a_terminal_that_is_closed_at_the_question_is_told_of_clearly(root: Root) -> None:
    words = ("/usr/bin/python3", "-c", HUNG_UP, plan_of(PROFILE, run="closed"), *argv(root))
    with Terminal(root.command(*words), os.environ) as screen:
        screen.wait_for("change nothing: ")
        screen.hang_up()
        said = root.path("/srv/said")
        wait_until(lambda: "ENDED" in said.read_text(), "the helper has ended")
    event = json.loads(said.read_text().removesuffix("ENDED"))
    assert event["event"] == "refused"
    assert "could not be shown in the terminal" in event["happened"]
    assert "leave it open until you have answered" in event["next_step"]
    assert not root.path(f"{RUNS}/closed").exists()


def test_an_ordinary_user_cannot_start_it_nor_read_anothers_run(root: Root) -> None:
    started = root.run(*argv(root), user=OWNER, text="{}\n", check=False)
    assert "not started as root" in json.loads(started.stdout)["happened"]
    with talk(root, PROFILE, run="roots") as conversation:
        assert conversation.do(1)["event"] == "done"
    read = root.run("cat", f"{RUNS}/roots/events.jsonl", user=OWNER, check=False)
    assert "Permission denied" in read.stderr
    with terminal(root, "roots", PROFILE) as screen:
        give_password(screen)
        screen.wait_for("Type yes")
        screen.send("yes\n")
        screen.wait_for("TROUBLE Run roots belongs to another user")


ESCAPES = re.compile(r"[^\x20-\x7e\r\n\t]")


def test_nothing_but_plain_text_reaches_the_terminal(root: Root) -> None:
    """A path may hold any letters; none of them moves the cursor."""
    odd = f"/home/{OWNER}/\u202egnp.\u00e9\u200b.deb"
    change = apt_change((), debs=((odd, "0" * 64),), expect_install=(("stand-slow", "1.0"),))
    with terminal(root, "plain", change) as screen:
        give_password(screen)
        screen.wait_for("Type yes")
        assert "\\u202egnp" in screen.text()
        assert not ESCAPES.search(screen.text().replace("\x1b", ""))
        screen.send("no\n")
        screen.wait_for("TROUBLE")
