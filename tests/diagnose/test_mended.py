"""What became of a finding after its fix is seen, not believed."""

from __future__ import annotations

from dataclasses import replace

from wizard.diagnose.finding import Confidence, Evidence, Finding, Status
from wizard.diagnose.machine import Diagnosis
from wizard.diagnose.mended import AfterFix, after_fix

FILE = Evidence("HSA_OVERRIDE_GFX_VERSION=10.3.0", "~/.bashrc:118")
OTHER = Evidence("HSA_OVERRIDE_GFX_VERSION=10.3.0", "/etc/environment:3")
HERE = Evidence("HSA_OVERRIDE_GFX_VERSION=10.3.0", "this session")
BEFORE = Finding(
    "stale-override", Status.FAULT, Confidence.CERTAIN, "left over", (FILE, OTHER), "", ()
)


def outcome(*now: Finding, relogin_needed: bool = False) -> AfterFix:
    return after_fix(BEFORE, Diagnosis(True, now), relogin_needed=relogin_needed)


def test_what_is_not_found_any_more_is_gone() -> None:
    assert outcome() is AfterFix.GONE
    assert outcome(relogin_needed=True) is AfterFix.GONE
    assert outcome(replace(BEFORE, cause="disk-full")) is AfterFix.GONE


def test_a_check_that_ended_well_is_no_sign_of_the_cause() -> None:
    assert outcome(replace(BEFORE, status=Status.OK)) is AfterFix.GONE


def test_what_this_session_alone_still_has_waits_for_the_next_login() -> None:
    assert outcome(replace(BEFORE, evidence=(HERE,))) is AfterFix.WAITS_FOR_LOGIN


def test_what_a_new_login_puts_in_force_waits_for_it() -> None:
    assert outcome(BEFORE, relogin_needed=True) is AfterFix.WAITS_FOR_LOGIN


def test_less_of_the_same_is_gone_in_part() -> None:
    assert outcome(replace(BEFORE, evidence=(OTHER,))) is AfterFix.IN_PART


def test_what_was_in_the_session_before_says_nothing_about_a_login() -> None:
    before = replace(BEFORE, evidence=(HERE,))
    now = Diagnosis(True, (before,))
    assert after_fix(before, now, relogin_needed=False) is AfterFix.STAYS


def test_all_of_it_is_still_there_also_where_another_cause_explains_it_now() -> None:
    assert outcome(BEFORE) is AfterFix.STAYS
    hidden = Diagnosis(True, (), (BEFORE,))
    assert after_fix(BEFORE, hidden, relogin_needed=False) is AfterFix.STAYS
