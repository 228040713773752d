"""The wizard, its pipes or its terminal go: the running step is finished and journalled."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

from assets.root.journal import READER_PATIENCE_S
from tests.e2e.system.bases import BOOKWORM, base_tar
from tests.e2e.system.roots import Root, fresh_root
from tests.root.archive import StandIn, add_source, build, publish
from tests.root.conversation import (
    RUNS,
    Event,
    apt_change,
    do_all,
    journal,
    talk,
    undo,
    wait_until,
    write_file,
)
from tests.root.stops import FOLDER, pids, stopped_at, wait_until_reached, waiting

pytestmark = pytest.mark.e2e
PLACE = "stand-slow-postinst-configure"
CHANGE = apt_change((("stand-slow", "1.0"),))
AFTER = write_file("/etc/profile.d/after.sh", "# after\n")
LINES = 100_000


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Root]:
    """A root with a package whose scripts can be stopped."""
    scratch = tmp_path_factory.mktemp("slow")
    with fresh_root(BOOKWORM, base_tar(BOOKWORM)) as root:
        publish(root, waiting("stand-slow", "1.0"), scratch=scratch)
        add_source(root, scratch)
        yield root


def told(root: Root, run: str) -> list[Event]:
    """What a run's helper wrote for whoever comes back."""
    text = root.path(f"{RUNS}/{run}/events.jsonl").read_text()
    *lines, _ = text.split("\n")  # behind the last line end one may just be written
    return [json.loads(line) for line in lines]


def check_finished(root: Root, run: str) -> None:
    """The step that was under way has its outcome, no other was begun, and nothing blocks."""
    wait_until(lambda: not pids(root, "assets/root"), "the helper has ended")
    assert told(root, run)[-1]["event"] == "done"
    assert [r["event"] for r in journal(root, run)] == ["begin", "intent", "outcome"]
    assert "stand-slow" in root.run("dpkg-query", "-W", "-f", "${Status} ${Package}\n").stdout
    assert not root.path("/etc/profile.d/after.sh").exists()
    assert undo(root, run).returncode == 0


def test_a_closed_input_takes_no_new_step_and_the_running_one_is_finished(slow: Root) -> None:
    with stopped_at(slow, PLACE), talk(slow, CHANGE, AFTER, run="input") as conversation:
        conversation.say('{"do": 1}')
        wait_until_reached(slow, PLACE)
        assert conversation.process.stdin is not None
        conversation.process.stdin.close()
        (slow.path(FOLDER) / PLACE).unlink()
        assert conversation.until("done")["step"] == 1
        assert conversation.hear() == {"event": "gone"}
    check_finished(slow, "input")


def test_a_closed_output_does_not_disturb_the_step(slow: Root) -> None:
    with stopped_at(slow, PLACE), talk(slow, CHANGE, AFTER, run="output") as conversation:
        conversation.say('{"do": 1}')
        wait_until_reached(slow, PLACE)
        assert conversation.process.stdout is not None
        conversation.process.stdout.close()
        (slow.path(FOLDER) / PLACE).unlink()
        wait_until(lambda: told(slow, "output")[-1]["event"] == "done", "the step is done")
    check_finished(slow, "output")


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGPIPE])
def test_a_signal_of_a_terminal_or_of_a_shutdown_does_not_disturb_the_step(
    slow: Root, number: signal.Signals
) -> None:
    run = f"signal-{number.name}"
    with stopped_at(slow, PLACE), talk(slow, CHANGE, AFTER, run=run) as conversation:
        conversation.say('{"do": 1}')
        wait_until_reached(slow, PLACE)
        for pid in pids(slow, "assets/root"):
            os.kill(pid, number)
        (slow.path(FOLDER) / PLACE).unlink()
        assert conversation.until("done")["step"] == 1
    check_finished(slow, run)


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-"])
def test_streams_that_are_closed_from_the_start_do_not_disturb_a_step(
    slow: Root, closed: str
) -> None:
    run = f"closed-{closed.encode().hex()}"
    inside = ("sh", "-c", f'exec "$@" {closed}', "sh")
    with talk(slow, AFTER, run=run, inside=inside) as conversation:
        conversation.say('{"do": 1}')
        conversation.say('{"end": true}')
        conversation.hear_out()
    wait_until(lambda: not pids(slow, "assets/root"), "the helper has ended")
    assert [event["event"] for event in told(slow, run)] == ["ready", "started", "done"]
    assert undo(slow, run).returncode == 0


@pytest.mark.parametrize("closed", ["<&-", "<&- 2>&-"])
def test_an_input_that_is_closed_from_the_start_is_a_plan_that_did_not_come(
    slow: Root, closed: str
) -> None:
    inside = ("sh", "-c", f'exec "$@" {closed}', "sh")
    with talk(slow, AFTER, run="no-input", inside=inside) as conversation:
        assert conversation.first["event"] == "refused", conversation.first
        assert "none was sent" in conversation.first["happened"]


def test_a_wizard_that_reads_nothing_is_not_waited_for(slow: Root, tmp_path: Path) -> None:
    loud = StandIn("stand-loud", "1.0", scripts={"postinst": f"seq -f %060g {LINES}"})
    deb = build(loud, tmp_path)
    slow.path("/srv/loud.deb").write_bytes(deb.read_bytes())
    file = ("/srv/loud.deb", sha256(deb.read_bytes()).hexdigest())
    change = apt_change((), debs=(file,), expect_install=(("stand-loud", "1.0"),))
    with talk(slow, change, run="loud") as conversation:
        conversation.say('{"do": 1}')
        limit_s = READER_PATIENCE_S + 40  # which it must not take for each of its lines
        wait_until(lambda: told(slow, "loud")[-1]["event"] == "done", "the end", limit_s)
        conversation.say('{"end": true}')
        heard = [conversation.first]
        while (event := conversation.hear())["event"] != "gone":
            heard.append(event)
    written = told(slow, "loud")
    assert heard == written[: len(heard)]
    assert len(heard) < len(written)
    lines = [line for event in written for line in event.get("lines", ())]
    assert lines.count(f"{LINES:060d}") == 1
    assert len(lines) > LINES
    assert [event["seq"] for event in written] == list(range(1, len(written) + 1))


def test_what_the_caller_ignores_and_limits_does_not_reach_what_root_starts(slow: Root) -> None:
    """An ignored SIGCHLD makes each exit code a 0; some limits would stop dpkg half way."""
    first = "echo 500 >/proc/self/oom_score_adj"
    limits = f"{first}; trap '' CHLD; ulimit -S -n 10 -s 1024 -f 100; exec \"$@\""
    unknown = apt_change((("stand-slow", "9.9"),))
    before = ("bash", "-c", limits, "bash")
    with talk(slow, unknown, CHANGE, run="limits", inside=before) as conversation:
        assert "No package source on this system provides" in conversation.do(1)["happened"]
        for pid in pids(slow, "assets/root"):
            assert Path(f"/proc/{pid}/oom_score_adj").read_text() == "0\n"
        assert conversation.do(2)["event"] == "done"
    assert undo(slow, "limits").returncode == 0


def test_a_full_disk_is_told_and_nothing_is_half_done(slow: Root) -> None:
    """The file system of the journal is full: nothing may be changed without it."""
    slow.run("rm", "-rf", "/var/lib/rdna1-setup")
    slow.run("mkdir", "/var/lib/rdna1-setup")
    slow.limit_disk("/var/lib/rdna1-setup", 1 << 20)
    with talk(slow, AFTER, run="full") as conversation:
        slow.run("sh", "-c", "dd if=/dev/zero of=/var/lib/rdna1-setup/fill 2>/dev/null || :")
        event = conversation.do(1)
        assert event["event"] == "failed"
        assert "disk is full" in event["happened"]
        assert not slow.path("/etc/profile.d/after.sh").exists()
        slow.run("rm", "/var/lib/rdna1-setup/fill")
        assert conversation.do(1)["event"] == "done"
    assert undo(slow, "full").returncode == 0
    assert not slow.path("/etc/profile.d/after.sh").exists()


def test_a_full_disk_before_anything_refuses_the_plan(slow: Root) -> None:
    slow.run("sh", "-c", "dd if=/dev/zero of=/var/lib/rdna1-setup/fill 2>/dev/null || :")
    with talk(slow, AFTER, run="refused") as conversation:
        assert conversation.first["event"] == "refused"
        assert "disk is full" in conversation.first["happened"]
    slow.run("rm", "/var/lib/rdna1-setup/fill")
    assert do_all(slow, AFTER, run="refused")[0]["event"] == "done"
