"""Known threads come from our data, each once, and say how likely and how to tell."""

from __future__ import annotations

from dataclasses import replace

from tests.commands.test_conv2d_lines import result
from tests.handmade import clean_jammy
from tests.machine.records import machine
from wizard.conv2d.shapes import square
from wizard.conv2d.verdicts import Result, Verdict
from wizard.diagnose.checked import fine, found
from wizard.diagnose.finding import Confidence, Evidence
from wizard.knowledge.causes import load_causes
from wizard.knowledge.claims import load_claims
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.report.threads import LIKELY, NONE, POSSIBLE, known_threads, thread_lines

LINE = (Evidence("a line", "line 1"),)


def here() -> Machine:
    return detect(machine("rx5700xt-jammy-clean"))


def hung(torch: str) -> Result:
    one = result(Verdict.HUNG, square(16, 32, 44))
    return replace(one, loaded=replace(one.loaded, torch=torch))


def test_a_finding_names_the_threads_of_its_cause() -> None:
    sure = found("override-isa-mismatch", LINE)
    likely = known_threads(here(), (sure,), ())
    assert [one.link for one in likely] == [
        "https://github.com/ROCm/ROCm/issues/2527",
        "https://github.com/pytorch/pytorch/issues/106728",
    ]
    assert {one.likelihood for one in likely} == {LIKELY}
    assert sure.fix[0] in likely[0].confirmed_by
    unsure = replace(sure, confidence=Confidence.POSSIBLE)
    assert {one.likelihood for one in known_threads(here(), (unsure,), ())} == {POSSIBLE}


def test_what_is_fine_and_what_does_nothing_name_none() -> None:
    findings = (fine("override-isa-mismatch", "fine"), found("noop-setting", LINE))
    assert known_threads(here(), findings, ()) == ()
    assert list(thread_lines(())) == [NONE]


def test_a_link_that_is_no_thread_is_none() -> None:
    assert known_threads(here(), (found("kfd-permission", LINE),), ()) == ()


def test_each_thread_is_named_once_under_its_best_reason() -> None:
    sure = found("override-isa-mismatch", LINE)
    unsure = replace(sure, confidence=Confidence.POSSIBLE)
    told = known_threads(here(), (unsure, sure, unsure), ())
    assert [one.likelihood for one in told] == [LIKELY, LIKELY]


def test_a_hang_names_what_others_told_of_the_same_card_and_torch() -> None:
    told = known_threads(here(), (), (hung("1.13.1+rocm5.2"), hung("2.5.1+rocm6.2")))
    sources = " ".join(claim.source for claim in load_claims() if "rocm62" in claim.stacks)
    assert "https://github.com/pytorch/pytorch/issues/106728" in [one.link for one in told]
    assert all(one.link in sources for one in told)
    assert all("'hung' with torch 2.5.1+rocm6.2" in one.because for one in told)
    assert {one.likelihood for one in told} == {POSSIBLE}


def test_what_is_told_of_half_precision_is_named_for_half_precision_alone() -> None:
    one = hung("1.13.1+rocm5.2")
    half = replace(one, shape=replace(one.shape, dtype="float16"))
    link = "https://github.com/AUTOMATIC1111/stable-diffusion-webui/issues/4634"
    assert link not in [each.link for each in known_threads(here(), (), (one,))]
    assert link in [each.link for each in known_threads(here(), (), (half,))]


def test_what_passed_and_a_card_of_another_kind_name_none() -> None:
    assert known_threads(here(), (), (result(Verdict.PASS),)) == ()
    other = detect(machine("rx6700xt-noble"))
    assert known_threads(other, (), (hung("2.5.1+rocm6.2"),)) == ()
    assert known_threads(here(), (), (result(Verdict.HUNG, cpu=True),)) == ()


def test_no_thread_is_invented() -> None:
    data = " ".join(link for cause in load_causes().values() for link in cause.links)
    for cause in load_causes():
        for thread in known_threads(clean_jammy(), (found(cause, LINE),), ()):
            assert thread.link in data
            assert all((thread.likelihood, thread.because, thread.confirmed_by, thread.grade))
