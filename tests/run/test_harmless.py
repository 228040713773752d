"""What programs print alarmingly and means nothing bad is explained; every other line passes."""

from pathlib import Path

import pytest

from tests.run.places import plan_of
from tests.run.test_live import ending, events_of, live
from wizard.core.events import Event, Output
from wizard.plan.steps import Plan, RunProgram
from wizard.run.harmless import FAST_DEPS, explained

PIP = (
    "WARNING: pip is using lazily downloaded wheels using HTTP range requests to obtain dependency "
    "information. This experimental feature is enabled through --use-feature=fast-deps and it is "
    "not ready for production."
)
TORCH = (
    "/v/lib/python3.11/site-packages/torch/_subclasses/functional_tensor.py:368: UserWarning: "
    "Failed to initialize NumPy: No module named 'numpy' (Triggered internally at "
    "/__w/pytorch/pytorch/torch/csrc/utils/tensor_numpy.cpp:84.)"
)


def shown(*chunks: tuple[str, ...]) -> list[str]:
    return [line for chunk in chunks for line in explained(Output(chunk)).lines]


def test_what_pip_says_of_fast_deps_is_explained() -> None:
    assert shown(("before", PIP, "after")) == ["before", FAST_DEPS, "after"]


@pytest.mark.parametrize(
    "line",
    [
        PIP + " The index is not trusted.",
        PIP.replace("fast-deps", "fast-lane"),
        "WARNING: " + PIP,
        "WARNING: Retrying (Retry(total=4)) after connection broken by 'ReadTimeoutError'",
        "WARNING: torch 1.13.1 was yanked",
        TORCH,
        "",
    ],
)
def test_other_warnings_pass(line: str) -> None:
    assert shown((line, "next"), ("  indented",)) == [line, "next", "  indented"]


def saying(folder: Path, *lines: str) -> Plan:
    script = 'for line in "$@"; do echo "$line"; done'
    return plan_of(folder, RunProgram("x", ("sh", "-c", script, "sh", *lines), "nothing"))


def told(events: list[Event]) -> list[str]:
    return [line for event in events if isinstance(event, Output) for line in event.lines]


async def test_the_person_sees_the_explanation_and_the_log_keeps_the_words(tmp_path: Path) -> None:
    events = await events_of(live(tmp_path), saying(tmp_path, PIP, TORCH, "done"))
    assert told(events) == [FAST_DEPS, TORCH, "done"]
    log = Path(ending(events).log).read_text()
    assert PIP in log
    assert TORCH in log


async def test_a_failed_step_still_repeats_the_last_words(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, RunProgram("x", ("sh", "-c", 'echo "$0"; exit 1', PIP), "nothing"))
    assert FAST_DEPS in told(await events_of(live(tmp_path), plan))
