"""The score: what counts as right, as surplus and as a wrong fix."""

from __future__ import annotations

from tests.diagnose.reading import Case, load_causes, load_corpus
from tests.diagnose.scoring import judged, score

CASE = Case("x/y.txt", "text", "apt", ("apt-key",), ("dpkg-lock",), ("disk-full",), None, "")


def test_a_perfect_diagnosis_scores_fully() -> None:
    answers = {case.text: case.expected for case in load_corpus()}
    result = score(load_corpus(), answers.__getitem__)

    assert (result.precision, result.recall) == (1.0, 1.0)
    assert (result.forbidden, result.misses) == (0, ())


def test_a_diagnosis_that_names_nothing_has_no_recall() -> None:
    result = score(load_corpus(), lambda text: ())

    assert result.recall == 0.0
    assert result.forbidden == result.surplus == 0


def test_a_diagnosis_that_names_everything_is_not_precise() -> None:
    result = score(load_corpus(), lambda text: tuple(load_causes()))

    assert result.recall == 1.0
    assert result.precision < 0.05
    assert result.forbidden > 1000


def test_what_is_tolerated_counts_neither_way() -> None:
    assert judged(CASE, ("apt-key", "disk-full")).surplus == ()
    assert judged(CASE, ("disk-full",)).missing == ("apt-key",)


def test_a_forbidden_cause_is_told_apart_from_a_needless_one() -> None:
    miss = judged(CASE, ("apt-key", "dpkg-lock", "python-too-new"))

    assert miss.surplus == ("dpkg-lock", "python-too-new")
    assert miss.forbidden == ("dpkg-lock",)


def test_the_root_must_be_named_before_what_follows_from_it() -> None:
    case = Case("x/y.txt", "text", "apt", ("apt-key", "disk-full"), (), (), None, "")

    assert judged(case, ("disk-full", "apt-key")).root_not_first
    assert not judged(case, ("apt-key", "disk-full")).root_not_first
