"""The demo's example: whole, told as what it is, and played in a minute."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest

from wizard.conv2d.runs.example import NOT_RECORDED, recorded, replayed
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.shapes import DEFAULT, find_preset
from wizard.conv2d.sweep import Sweep, SweepDone, SweepEvent
from wizard.conv2d.verdicts import Verdict
from wizard.host.live import LiveHost
from wizard.services.experiments import Example

PRESET = find_preset(DEFAULT)
assert PRESET is not None
SWEEP = Sweep("/home/owner/venv/bin/python", PRESET.rows)
SETTING = SettingRequest(replace(SWEEP, rows=PRESET.rows[1:2]), hangs=3)
LIMIT = LimitRequest(replace(SWEEP, rows=PRESET.rows[1:2]), "size", 1, 256, hangs=3)


async def played(request: Sweep | SettingRequest | LimitRequest) -> tuple[list[SweepEvent], float]:
    """All events, and how long they would have taken."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    return [event async for event in replayed(request, sleep)], sum(waited)


async def test_the_default_table_hangs_where_it_was_planted_and_nowhere_else() -> None:
    events, seconds = await played(SWEEP)
    done = events[-1]
    assert isinstance(done, SweepDone)
    hung = [(each.shape.c_in, each.shape.h) for each in done.results if each.verdict == "hung"]
    assert hung == [(16, 44), (16, 48), (16, 64), (16, 224)]
    assert {each.verdict for each in done.results} == {Verdict.PASS, Verdict.HUNG}
    assert seconds < 30


async def test_the_setting_and_the_limit_of_the_first_hang_are_found() -> None:
    setting, limit = [(await played(request))[0][-1] for request in (SETTING, LIMIT)]
    assert isinstance(setting, SweepDone)
    assert isinstance(limit, SweepDone)
    assert setting.setting is not None
    assert setting.setting.changes == (("MIOPEN_DEBUG_CONV_WINOGRAD", "0"),)
    assert limit.limit is not None
    assert (limit.limit.known.passes, limit.limit.known.hangs) == (42, 43)


async def test_what_was_not_recorded_is_not_made_up() -> None:
    events, _ = await played(replace(SWEEP, rows=SWEEP.rows[:3]))
    assert events == [SweepDone((), NOT_RECORDED, 0.0)]


def test_it_says_on_which_card_it_was_recorded_and_that_the_hang_was_planted() -> None:
    assert Example(LiveHost()).replayed.startswith("recorded on an NVIDIA H100 with a hang")


@pytest.mark.parametrize("kind", ["sweep", "setting", "limit"])
def test_its_events_are_in_the_order_of_their_times(kind: str) -> None:
    times = [seconds for seconds, _ in recorded()[kind]]
    assert all(one <= other for one, other in pairwise(times))
