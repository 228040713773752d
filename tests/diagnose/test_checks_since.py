"""What has changed since it last worked: told once, and never more than it proves."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.conv2d.made import made
from tests.diagnose.measuring import LOADED, hung, machine, measured, with_kernel
from wizard.conv2d.shapes import square
from wizard.conv2d.verdicts import Verdict
from wizard.core.fact import Unknown
from wizard.core.journal import Record
from wizard.diagnose.checks_measured import since_last_good
from wizard.diagnose.finding import Confidence, Finding, Status
from wizard.machine.facts import Machine, Setting
from wizard.machine.stack_facts import StackFacts, stack_form, stack_of

NEW_KERNEL = "6.11.0-9"


def installed(began: str = "2026-01-01T10:00:00+00:00", **fields: Any) -> Record:
    plan = {"id": "x", "stack": "rocm57", "venv": "/v", "steps": []}
    stack = stack_form(stack_of(machine()))
    return replace(Record("1", "/r", began, plan, {}, {}, "finished", stack), **fields)


def since(*args: Any, runs: tuple[Record, ...] = (), here: Machine | None = None) -> Finding:
    (one,) = since_last_good(args, runs, here or machine())
    return one


def test_what_passed_and_hangs_after_a_change_is_likely_the_change() -> None:
    here = with_kernel(NEW_KERNEL, "2.41")
    one = since(measured(hung(), day=2, stack=stack_of(here)), measured(day=1), here=here)
    assert (one.status, one.confidence) == (Status.FAULT, Confidence.LIKELY)
    assert one.title == (f"Since {_day(1)}: kernel 6.8.0 -> {NEW_KERNEL}, glibc 2.35 -> 2.41")
    assert one.evidence[0].text == "16->32 3x3 @64x64: pass, then hung"


def test_what_changed_after_it_hung_is_no_reason_for_the_hang() -> None:
    one = since(measured(hung(), day=2), measured(day=1), here=with_kernel(NEW_KERNEL))
    assert "no recorded change" in one.title


def test_what_passed_and_hangs_without_any_change_is_told_without_a_culprit() -> None:
    one = since(measured(hung(), day=2), measured(day=1))
    assert (one.status, one.confidence) == (Status.WARNING, Confidence.POSSIBLE)
    assert "no recorded change" in one.title
    assert "--repeats" in one.fix[0]


def test_a_change_by_itself_is_no_fault() -> None:
    one = since(measured(day=1), here=with_kernel(NEW_KERNEL))
    assert one.status is Status.NOT_TESTED
    assert f"kernel 6.8.0 -> {NEW_KERNEL}" in one.title
    assert "not necessarily a problem" in one.meaning


def test_another_shape_that_fails_makes_a_change_possible_at_most() -> None:
    other = hung(shape=square(64, 128, 224))
    one = since(measured(other, day=2), measured(day=1), here=with_kernel(NEW_KERNEL))
    assert (one.status, one.confidence) == (Status.WARNING, Confidence.POSSIBLE)
    assert not list(since_last_good((measured(other, day=2), measured(day=1)), (), machine()))


def test_without_any_change_that_is_said() -> None:
    one = since(measured())
    assert one.status is Status.OK
    assert "No recorded change" in one.title


def test_what_was_not_recorded_then_is_named_and_not_guessed() -> None:
    one = since(measured(stack=StackFacts(kernel="6.8.0")), here=with_kernel(NEW_KERNEL))
    assert "not recorded then: glibc, distribution, driver, compute firmware (MEC), settings" in (
        one.meaning
    )
    old = measured(stack=StackFacts(), day=1)
    one = since(measured(hung(), day=2), old)
    assert any(e.text.startswith("not recorded then: kernel, glibc") for e in one.evidence)


def test_what_cannot_be_seen_now_has_not_changed() -> None:
    dark = Unknown("no permission")
    here = replace(machine(), system=replace(machine().system, kernel=dark, glibc=dark))
    one = since(measured(), here=here)
    assert one.status is Status.OK


def test_torch_and_settings_count_too() -> None:
    override = Setting("HSA_OVERRIDE_GFX_VERSION", "10.3.0", "", 0, "")
    one = since(measured(), here=machine("2.5.1+rocm6.2", override))
    assert "torch 2.2.2+rocm5.7 -> 2.5.1+rocm6.2" in one.title
    assert "HSA_OVERRIDE_GFX_VERSION not set -> 10.3.0" in one.title


def test_of_a_clean_measurement_settings_say_nothing() -> None:
    override = Setting("HSA_OVERRIDE_GFX_VERSION", "10.3.0", "", 0, "")
    one = since(measured(clean=True), here=machine("2.2.2+rocm5.7", override))
    assert one.status is Status.OK


def test_the_last_good_one_counts_whatever_failed_before_it() -> None:
    before = measured(hung(), day=1, stack=StackFacts(kernel="5.15.0"))
    one = since(measured(day=2), before, here=machine())
    assert one.status is Status.OK


def test_a_sweep_that_was_not_finished_or_not_right_is_not_good() -> None:
    wrong = made(verdict=Verdict.WRONG, loaded=LOADED)
    runs = (measured(wrong), measured(finished=False))
    assert not list(since_last_good(runs, (), machine()))


def test_without_a_good_measurement_the_installation_counts() -> None:
    one = since(runs=(installed(),), here=with_kernel(NEW_KERNEL))
    assert one.status is Status.NOT_TESTED
    assert one.title.startswith("Since the last finished run of 2026-01-01")
    one = since(measured(hung()), runs=(installed(),), here=with_kernel(NEW_KERNEL))
    assert (one.status, one.confidence) == (Status.WARNING, Confidence.POSSIBLE)


def test_an_old_journal_says_that_nothing_was_recorded() -> None:
    one = since(runs=(installed(stack=None),))
    assert one.status is Status.OK
    assert "not recorded then: kernel, glibc" in one.title


def test_a_run_that_was_undone_is_no_ground() -> None:
    assert not list(since_last_good((), (installed(state="rolled back"),), machine()))


def _day(day: int) -> str:
    return f"the last good measurement of {measured(day=day).date}"
