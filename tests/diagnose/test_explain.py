"""Texts to causes: each of them is known, and what only looks alike is not."""

from tests.diagnose.examples import PROVES, PROVES_NOTHING, REPORTS
from tests.diagnose.scoring import ORDINARY
from wizard.diagnose.explain import Answer, Explanation, explain
from wizard.knowledge.causes import load_causes


def explained(text: str) -> Explanation:
    return explain(text.encode())


def causes(text: str) -> list[str]:
    return [finding.cause for finding in explained(text).findings]


def test_a_text_is_explained_by_its_root_cause() -> None:
    found = [(cause, causes(text), text) for cause, text in PROVES]
    assert [each for each in found if each[1][:1] != [each[0]]] == []


def test_what_only_looks_alike_is_no_fault() -> None:
    found = [
        (what, [f.cause for f in explained(text).findings if f.counts and f.cause not in ORDINARY])
        for what, text in PROVES_NOTHING
    ]
    assert [each for each in found if each[1]] == []


def test_every_cause_has_an_example() -> None:
    assert {cause for cause, _ in PROVES} == set(load_causes())


def test_every_finding_shows_the_line_that_proves_it() -> None:
    for _, text in PROVES:
        for finding in explained(text).findings:
            assert finding.evidence
            assert all(evidence.where for evidence in finding.evidence)


def test_a_text_that_nothing_is_known_of_is_called_so() -> None:
    assert explained("Dear all, my computer is slow.\n").answer is Answer.CANNOT_TELL


def test_a_healthy_log_is_called_healthy() -> None:
    log = "[    3.1] amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 uses VM inv eng 0 on hub 0\n"
    assert explained(log).answer is Answer.NOTHING


def test_a_report_gives_one_cause_and_no_consequences() -> None:
    wrong = []
    for cause, text in REPORTS:
        told = [f for f in explained(text).findings if f.cause not in ORDINARY]
        found = [f.cause for f in told if f.counts or f.cause == cause]
        if found != ([] if cause == "none" else [cause]):
            wrong.append((cause, found, text))
    assert wrong == []
