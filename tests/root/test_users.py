"""Two users of one machine, who even share a group: neither takes back what the other did."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system.roots import Root
from tests.root.conversation import (
    Event,
    apt_change,
    argv,
    do_all,
    done_all,
    keep_debs,
    plan_of,
    put_back,
    set_aside,
)

pytestmark = pytest.mark.e2e
TREE = "/opt/rocm-of-owner"
GUEST = 1717
ASKS = """
import json, sys
from typed_session import Session
line, uid, *argv = sys.argv[1:]
session = Session(argv, line.encode(), int(uid))
for number in range(1, len(json.loads(line)["steps"]) + 1):
    print(json.dumps([session.first, *session.events(number)][-1]))
session.end()
"""


@pytest.fixture(scope="module")
def shared(root: Root) -> Iterator[Root]:
    """A root with a second user, whose own group is that of the owner."""
    group = str(root.numbers()[1])
    root.run("useradd", "--uid", str(GUEST), "--gid", group, "--no-create-home", "guest")
    for name, text in (
        ("typed_session.py", Path(__file__).with_name("typed_session.py").read_text()),
        ("asks.py", ASKS),
    ):
        root.write(f"/srv/{name}", text)
    yield root
    root.run("userdel", "guest")


def asked_by(root: Root, uid: int, *steps: Event, run: str) -> list[Event]:
    """How each step of a plan ends for a user who came through sudo and typed yes."""
    line = plan_of(*steps, run=run)
    words = ("/usr/bin/python3", "-B", "/srv/asks.py", line, str(uid))
    told = root.run(*words, *argv(root)).stdout
    return [json.loads(each) for each in told.splitlines()]


def test_what_one_user_set_aside_is_put_back_by_that_user_or_by_root(shared: Root) -> None:
    owner = shared.numbers()[0]
    shared.write(f"{TREE}/lib/x", "x\n")
    (aside,) = asked_by(shared, owner, set_aside(TREE), run="owner-1")
    assert aside["event"] == "done", aside
    (tried,) = asked_by(shared, GUEST, put_back(TREE), run="guest-1")
    assert tried["event"] == "failed", tried
    assert tried["happened"] == f"No backup contains {TREE}."
    assert "another user's" in tried["meaning"]
    assert not shared.path(TREE).exists()
    (back,) = asked_by(shared, owner, put_back(TREE), run="owner-2")
    assert back["event"] == "done", back
    assert shared.path(f"{TREE}/lib/x").read_text() == "x\n"
    asked_by(shared, owner, set_aside(TREE), run="owner-3")
    done_all(shared, put_back(TREE), run="root-1")
    assert shared.path(f"{TREE}/lib/x").read_text() == "x\n"


def test_settings_are_restored_by_no_run_of_a_user_of_the_same_group(shared: Root) -> None:
    core = ("stand-core", "1.0")
    shared.apt("install", "stand-core=1.0")
    purge = apt_change((), ("stand-core",), purge=True)
    owner = shared.numbers()[0]
    kept, gone = asked_by(shared, owner, keep_debs(core), purge, run="owner-purges")
    assert (kept["event"], gone["event"]) == ("done", "done")
    restore = {"verb": "restore_settings", "run": "owner-purges"}
    (tried,) = asked_by(shared, GUEST, restore, run="guest-restores")
    assert tried["event"] == "failed", tried
    assert tried["happened"] == "This user has no run with the ID owner-purges."
    (event,) = do_all(shared, restore, run="root-restores")
    assert event["event"] == "done", event
