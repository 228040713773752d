"""Snapshots by the user's own tools: made once, and believed only when the tool lists them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.system.roots import Root
from tests.root.conversation import Event, do_all, done_all, undo

pytestmark = pytest.mark.e2e

TIMESHIFT = """#!/bin/sh
case "$1 $2" in
"--create --scripted") [ "$3" = --comments ] && echo "0 > 2026-01-01 O $4" >>/srv/snapshots ;;
"--list --scripted") cat /srv/snapshots ;;
*) exit 1 ;;
esac
"""
SNAPPER = """#!/bin/sh
[ "$1 $2" = "-c system" ] || { echo "Unknown config."; exit 1; }
case "$3 $4" in
"create --print-number") [ "$5" = --description ] && echo 7 && echo "7,$6" >>/srv/snapshots ;;
"--csvout list") [ "$5 $6" = "--columns number,description" ] && cat /srv/snapshots ;;
*) exit 1 ;;
esac
"""
LIAR = "#!/bin/sh\necho 'E: the disk is not there'\n"
"""It ends well and has done nothing, as real ones have."""


def request(tool: str, config: str = "") -> Event:
    return {"verb": "snapshot", "tool": tool, "config": config}


@pytest.fixture
def tools(empty_root: Root) -> Iterator[Root]:
    """A root with stand-ins of both tools, with the options of the real ones."""
    empty_root.write("/srv/snapshots", "")
    empty_root.write("/usr/bin/timeshift", TIMESHIFT, 0o755)
    empty_root.write("/usr/bin/snapper", SNAPPER, 0o755)
    yield empty_root
    empty_root.run("rm", "-f", "/usr/bin/timeshift", "/usr/bin/snapper")


@pytest.mark.parametrize(("tool", "config"), [("timeshift", ""), ("snapper", "system")])
def test_a_snapshot_is_made_once_and_stays_when_the_run_is_taken_back(
    tools: Root, tool: str, config: str
) -> None:
    run = f"snap-{tool}"
    for _ in range(2):
        (event,) = done_all(tools, request(tool, config), run=run)
        assert f"{tool} has the snapshot 'before rdna1-setup {run}'" in event["outcome"]
    assert tools.path("/srv/snapshots").read_text().count(f"before rdna1-setup {run}") == 1
    assert undo(tools, run).returncode == 0
    assert run in tools.path("/srv/snapshots").read_text()


def test_a_tool_that_made_none_is_not_believed(tools: Root) -> None:
    tools.write("/usr/bin/timeshift", LIAR, 0o755)
    (event,) = do_all(tools, request("timeshift"), run="liar")
    assert event["event"] == "failed"
    assert "made no snapshot: E: the disk is not there" in event["happened"]


def test_a_configuration_that_is_not_there_is_told(tools: Root) -> None:
    (event,) = do_all(tools, request("snapper", "root"), run="config")
    assert "Unknown config" in event["happened"]
    assert "sudo snapper -c root create" in event["next_step"]


def test_a_tool_that_is_not_installed_is_told(empty_root: Root) -> None:
    (event,) = do_all(empty_root, request("snapper", "root"), run="none")
    assert event["happened"] == "snapper is not installed."
