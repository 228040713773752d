"""The time left comes from the measured speed, and is told only when it is worth telling."""

from __future__ import annotations

import pytest

from wizard.core.events import Output, Progress, StepFinished, StepStarted
from wizard.core.time_left import LONGEST_S, WATCHED_S, Pace, TimeLeft

MB = 1_000_000


class Clock:
    """Time that passes when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


class Watched:
    """A download whose clock and bytes go on together."""

    def __init__(self, total: int) -> None:
        self.clock = Clock()
        self.left = TimeLeft(self.clock)
        self.done = 0
        self.total = total
        self.left.take(StepStarted(1, 2, "", ""))
        self.tell()

    def tell(self, unit: str = "bytes") -> None:
        self.left.take(Progress(self.done, self.total, unit, "", None))

    def go_on(self, seconds: int, speed: int, unit: str = "bytes") -> None:
        for _ in range(seconds * 10):
            self.clock.now += 0.1
            self.done += speed // 10
            self.tell(unit)


def test_it_follows_from_the_measured_speed() -> None:
    download = Watched(1_000 * MB)
    download.go_on(10, 2 * MB)
    assert download.left.seconds == pytest.approx(490, rel=0.05)


def test_a_new_speed_counts_after_a_while() -> None:
    download = Watched(1_000 * MB)
    download.go_on(60, 10 * MB)
    download.go_on(40, 1 * MB)
    assert download.left.seconds == pytest.approx(360, rel=0.1)


def test_nothing_is_said_before_it_was_watched_for_a_while() -> None:
    download = Watched(1_000 * MB)
    download.go_on(int(WATCHED_S) - 1, 2 * MB)
    assert download.left.seconds is None


def test_what_a_kept_part_holds_is_no_speed() -> None:
    download = Watched(1_000 * MB)
    download.done = 900 * MB
    download.left.take(StepStarted(2, 2, "", ""))
    download.tell()
    download.go_on(10, 1 * MB)
    assert download.left.seconds == pytest.approx(90, rel=0.05)


def test_a_download_that_stands_still_says_less_and_less_and_then_nothing() -> None:
    download = Watched(1_000 * MB)
    download.go_on(10, 2 * MB)
    before = download.left.seconds
    download.clock.now += 20
    later = download.left.seconds
    assert before is not None
    assert later is not None
    assert later > before
    download.clock.now += LONGEST_S
    assert download.left.seconds is None


def test_a_download_that_begins_anew_is_measured_anew() -> None:
    download = Watched(1_000 * MB)
    download.go_on(10, 50 * MB)
    download.done = 0
    download.tell()
    assert download.left.seconds is None
    download.go_on(10, 1 * MB)
    assert download.left.seconds == pytest.approx(990, rel=0.05)


def test_the_next_step_begins_from_nothing_and_output_does_not_matter() -> None:
    download = Watched(1_000 * MB)
    download.go_on(10, 2 * MB)
    download.left.take(Output(("x",)))
    assert download.left.seconds is not None
    download.left.take(StepFinished(1, 1.0, False, ""))
    assert download.left.seconds is None


@pytest.mark.parametrize("unit", ["percent", "files"])
def test_what_is_no_byte_has_no_speed(unit: str) -> None:
    download = Watched(100)
    download.left.take(StepStarted(1, 2, "", ""))
    download.go_on(20, 10, unit)
    assert download.left.seconds is None


def test_an_unknown_size_has_no_end() -> None:
    download = Watched(0)
    download.go_on(20, 2 * MB)
    assert download.left.seconds is None


def test_byte_counts_become_ten_events_a_second_with_the_time_left() -> None:
    clock = Clock()
    pace = Pace(clock)
    told = []
    for number in range(1_000):
        clock.now = 100 + number / 100
        told.append(pace.tell(number * MB // 50, 1_000 * MB, "torch"))
    events = [event for event in told if event]
    assert 90 <= len(events) <= 110
    assert events[0].seconds_left is None
    assert events[-1].seconds_left == pytest.approx(490, rel=0.05)
    assert pace.tell(1_000 * MB, 1_000 * MB, "torch") is None
    assert pace.tell(1_000 * MB, 1_000 * MB, "torch", always=True) is not None
