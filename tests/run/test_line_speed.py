"""The speed of the line: measured by a run that fetched over it, or not known."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.server import WheelServer, make_wheel
from tests.system.fetching import chosen, never, ticking
from wizard.advice.comparison import LineSpeed, line_speed
from wizard.core.journal import Record
from wizard.system.downloads import Received, fetch_files, wanted_in

SIZE = 3_000_000


def record(*outcomes: str, began: str = "2026-11-02T10:00:00+01:00") -> Record:
    """A run with these outcomes."""
    return Record("r", "/r", began, {}, dict(enumerate(outcomes, 1)), {}, "finished")


def outcome(count: int, seconds: float) -> str:
    """How the step that fetches ends."""
    return f"3 wheels, {count} bytes, all hashes match{Received(count, seconds).words}"


def test_the_newest_run_that_fetched_enough_tells() -> None:
    small, old = record(outcome(1_000, 0.1)), record(outcome(100_000_000, 10.0), began="2025-01-01")
    new = record("a venv", outcome(1_000_000_000, 250.0))
    assert line_speed((small, new, old)) == LineSpeed(4_000_000, "2026-11-02")
    assert line_speed((small,)) is None


def test_an_outcome_of_an_earlier_version_tells_nothing() -> None:
    assert line_speed((record("3 wheels, 1300000000 bytes, all hashes match"),)) is None


def test_nothing_that_came_says_nothing() -> None:
    assert Received().words == ""


def test_what_lay_there_already_is_not_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    wheel = make_wheel(tmp_path / "made", "torch", "1.13.1", {"torch/__init__.py": ""}, size=SIZE)
    size = wheel.stat().st_size
    with WheelServer() as server:
        address = server.put(f"/{wheel.name}", wheel.read_bytes())
        first, second = Received(), Received()
        for received in (first, second):
            events = fetch_files(
                wanted_in(tmp_path / "staging", (chosen(wheel, address),)),
                tmp_path / "staging",
                cancelled=never,
                environ={},
                clock=ticking(0.5),
                received=received,
            )
            assert list(events)
    assert first.count == size
    assert first.seconds > 0
    assert second == Received(hashes=first.hashes)
