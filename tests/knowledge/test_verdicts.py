"""Every verdict rests on claims that say so, and says in its sentence what speaks against it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from wizard.knowledge.applications import load_applications
from wizard.knowledge.claims import (
    PROMISING,
    TOPICS,
    Claim,
    Grade,
    Question,
    Verdict,
    Word,
    evidence,
    load_aspects,
    load_claims,
    load_programs,
    load_purposes,
    load_verdicts,
    verdict_on,
)
from wizard.knowledge.stacks import load_stacks

CLAIMS = {claim.id: claim for claim in load_claims()}
STACKS = {stack.id: stack for stack in load_stacks()}
PROGRAMS = {program.id: program for program in load_programs()}
TARGETS = {
    **{stack.id: stack.gfx for stack in STACKS.values()},
    **{program.id: program.gfx for program in PROGRAMS.values()},
}
PURPOSES = {purpose.id: purpose for purpose in load_purposes()}
QUESTIONS = {**PURPOSES, **{aspect.id: aspect for aspect in load_aspects()}}
ROWS = load_verdicts()
CARD_ROWS = [row for row in ROWS if row.about not in ("cause", "support")]
"""Verdicts on whether something runs: there is a for and an against."""
STRENGTH = {
    Grade.LIBRARY: 5,
    Grade.SOURCE_CODE: 4,
    Grade.MAINTAINER: 4,
    Grade.SEVERAL_USERS: 3,
    Grade.ONE_USER: 2,
    Grade.CLAIM_ONLY: 1,
    Grade.REFUTED: 0,
}
LEAST = {Word.WORKS: 3, Word.LIKELY: 2, Word.POSSIBLE: 1, Word.UNLIKELY: 1, Word.NO: 2}
"""How strong the claims together must be for a word."""
RUN_WORDS = (Word.WORKS, Word.LIKELY)
"""Words that say of a card that somebody has run it there."""
RAN = re.compile(r"\b(ran|trained)\b")
ADMITS = re.compile(r"\b(but|although|though|only|yet|except|even|while|nobody|without)\b")
UNREAD = re.compile(r"\b(not read by us|did not find|as reported|quoted)\b")


def name(row: Verdict) -> str:
    return " ".join(filter(None, (row.about, row.stack, row.gfx, row.preset)))


def named(ids: Iterable[str]) -> list[Claim]:
    return [CLAIMS[each] for each in ids]


def strength(claims: Iterable[Claim], gfx: str = "") -> int:
    """Of claims together: of the strongest; two people who ran the same count as several.

    A claim about other chips than ``gfx`` is worth one grade less.
    """
    worth = [(STRENGTH[c.grade] - bool(gfx and c.gfx and gfx not in c.gfx), c.who) for c in claims]
    best = max((one for one, _ in worth), default=0)
    people = {who for one, who in worth if one == best}
    agree = best == STRENGTH[Grade.ONE_USER] and len(people) > 1
    return STRENGTH[Grade.SEVERAL_USERS] if agree else best


def was_run(claim: Claim, gfx: str) -> bool:
    """Whether somebody ran it on a card of this chip: not read it, published it or installed it."""
    return (
        claim.grade in (Grade.SEVERAL_USERS, Grade.ONE_USER)
        and RAN.search(claim.method) is not None
        and not claim.card.startswith("none")
        and claim.topic != "install"
        and (not claim.gfx or gfx in claim.gfx)
    )


def carrying(row: Verdict, gfx: str) -> list[Claim]:
    """The claims that count for its word; for ``RUN_WORDS`` of a card only those that were run."""
    needs_run = row.word in RUN_WORDS and TARGETS[row.stack]
    return [
        claim
        for claim in named(row.claims)
        if claim.leaning == leans(row.word) and (not needs_run or was_run(claim, gfx))
    ]


def leans(word: Word) -> str:
    """Which claims carry a word."""
    if word in PROMISING:
        return "for"
    return "against" if word in (Word.UNLIKELY, Word.NO) else "unknown"


def wrong_side(row: Verdict) -> set[str]:
    """Claims that carry a verdict and say the opposite, and the other way round."""
    carries = leans(row.word)
    if row.word is Word.DISPUTED:
        carries = "for"
    opposite = {"for": "against", "against": "for"}.get(carries, "none")
    return {c.id for c in named(row.claims) if c.leaning == opposite} | {
        c.id for c in named(row.against) if c.leaning == carries != "unknown"
    }


def test_every_claim_that_is_named_exists_and_is_named_once() -> None:
    wrong = {
        name(row): found
        for row in ROWS
        if (found := [c for c in (*row.claims, *row.against) if c not in CLAIMS])
        or len({*row.claims, *row.against}) < len(row.claims) + len(row.against)
    }
    assert wrong == {}


def test_every_verdict_names_a_claim_that_carries_it() -> None:
    assert [name(row) for row in ROWS if not row.claims] == []


def test_no_verdict_rests_on_what_was_refuted_or_not_read() -> None:
    wrong = {
        f"{name(row)}: {claim.id}"
        for row in ROWS
        for claim in named((*row.claims, *row.against))
        if claim.grade is Grade.REFUTED or UNREAD.search(f"{claim.text} {claim.method}")
    }
    assert wrong == set()


def test_claims_are_about_the_stack_that_the_verdict_is_on() -> None:
    wrong = {
        f"{name(row)}: {claim.id}"
        for row in ROWS
        if row.stack in STACKS
        for claim in named((*row.claims, *row.against))
        if row.stack not in claim.stacks
    }
    assert wrong == set()


def test_what_carries_a_verdict_does_not_say_the_opposite() -> None:
    assert {name(row): found for row in CARD_ROWS if (found := wrong_side(row))} == {}


def test_no_word_is_better_than_its_claims_for_any_chip() -> None:
    rows = {
        (gfx, verdict_on(row.about, row.stack, gfx, row.preset))
        for row in CARD_ROWS
        for gfx in TARGETS[row.stack] or ("",)
    }
    wrong = {
        f"{row.about} {row.stack} {gfx}: {row.word.value}"
        for gfx, row in rows
        if row is not None and strength(carrying(row, gfx), gfx) < LEAST.get(row.word, 0)
    }
    assert wrong == set()


def test_a_disputed_verdict_has_both_sides() -> None:
    disputed = [row for row in CARD_ROWS if row.word is Word.DISPUTED]
    assert [name(row) for row in disputed if not (row.claims and row.against)] == []


def test_who_contradicts_a_claim_that_carries_a_verdict_is_named() -> None:
    """Unless that one is weaker than the claim, was not read, or is about another stack."""
    silent = {
        f"{name(row)}: {rival}"
        for row in ROWS
        for claim in named(row.claims)
        for rival in claim.contradicts
        if row.stack in CLAIMS[rival].stacks
        and STRENGTH[CLAIMS[rival].grade] >= STRENGTH[claim.grade]
        and CLAIMS[rival].setting in ("", row.preset)
        and not UNREAD.search(f"{CLAIMS[rival].text} {CLAIMS[rival].method}")
        and rival not in (*row.claims, *row.against)
    }
    assert silent == set()


def opponents(row: Verdict, question: Question) -> list[Claim]:
    """Claims on the topics of a question that lean the other way."""
    other = {"for": "against", "against": "for"}.get(leans(row.word), "none")
    return [
        claim
        for claim in CLAIMS.values()
        if row.stack in claim.stacks
        and claim.topic in question.topics
        and claim.leaning == other
        and claim.setting in ("", row.preset)
        and (not claim.gfx or not row.gfx or row.gfx in claim.gfx)
    ]


def test_a_stronger_claim_on_the_question_is_named_against_the_verdict() -> None:
    silent = {
        f"{name(row)}: {claim.id}"
        for row in CARD_ROWS
        for claim in opponents(row, QUESTIONS[row.about])
        if STRENGTH[claim.grade] > strength(named(row.claims)) and claim.id not in row.against
    }
    assert silent == set()


def test_the_sentence_admits_what_is_as_strong_as_what_carries_the_verdict() -> None:
    silent = {
        name(row): row.why
        for row in ROWS
        if row.against
        and strength(named(row.against)) >= strength(named(row.claims))
        and not ADMITS.search(row.why)
    }
    assert silent == {}


def test_a_claim_that_holds_under_settings_carries_no_verdict_of_a_stack_without_them() -> None:
    wrong = {
        f"{name(row)}: {claim.id}"
        for row in ROWS
        for claim in named(row.claims)
        if claim.setting and claim.setting != row.preset and claim.leaning == leans(row.word)
    }
    assert wrong == set()


def test_settings_are_those_that_a_stack_has_on_offer() -> None:
    offered = {(s.id, preset.name) for s in STACKS.values() for preset in s.presets}
    rows = {(row.stack, row.preset) for row in ROWS if row.preset}
    claimed = {(s, c.setting) for c in CLAIMS.values() if c.setting for s in c.stacks}
    assert rows <= offered
    assert claimed <= offered


def test_the_sentence_is_one_plain_and_short() -> None:
    wrong = [
        f"{name(row)}: {row.why}"
        for row in ROWS
        if len(row.why.split()) > 25 or not row.why.endswith(".") or re.search(r"\. [A-Z]", row.why)
    ]
    assert wrong == []


def test_no_support_by_amd_is_said_of_every_stack_for_a_card_in_the_sentence_too() -> None:
    rows = [row for row in ROWS if row.about == "support" and STACKS[row.stack].gfx]
    assert {row.word.value for row in rows} == {"none"}
    assert [name(row) for row in rows if "never officially supported" not in row.why] == []


def test_every_stack_has_a_verdict_on_every_question_and_no_two_rows_say_the_same() -> None:
    keys = [(row.about, row.stack, row.gfx, row.preset) for row in ROWS]
    assert len(keys) == len(set(keys))
    asked = {(question, stack, "", "") for question in QUESTIONS for stack in STACKS}
    assert asked - set(keys) == set()
    assert {row.stack for row in ROWS} == {*STACKS, *PROGRAMS}
    assert {row.about for row in ROWS} == QUESTIONS.keys()


def test_a_target_of_its_own_is_one_that_the_stack_is_for() -> None:
    assert [name(row) for row in ROWS if row.gfx and row.gfx not in TARGETS[row.stack]] == []


def test_the_two_words_for_aspects_are_given_to_no_purpose() -> None:
    aside = (Word.UNKNOWN, Word.NONE)
    assert [name(row) for row in ROWS if row.about in PURPOSES and row.word in aside] == []


def test_each_review_has_a_date_after_the_claims_that_it_names() -> None:
    for row in ROWS:
        date.fromisoformat(row.reviewed)
        assert max(claim.date for claim in named((*row.claims, *row.against))) <= row.reviewed


def test_questions_fit_their_places_and_name_topics_that_are_known() -> None:
    for question in QUESTIONS.values():
        assert 0 < len(question.short) <= 14
        assert question.topics
        assert set(question.topics) <= TOPICS.keys()


def test_every_application_has_a_purpose_and_every_purpose_an_application() -> None:
    assert {application.purpose for application in load_applications()} == PURPOSES.keys()


def test_a_program_outside_pytorch_says_how_it_is_had_and_what_it_is_not() -> None:
    for program in PROGRAMS.values():
        assert program.install
        assert program.link.startswith("https://")
        assert program.note.endswith(".")
        assert not {row.about for row in ROWS if row.stack == program.id} - PURPOSES.keys()


def test_the_verdict_for_a_target_or_for_settings_goes_before_the_general_one() -> None:
    general, own = verdict_on("images", "native"), verdict_on("images", "native", "gfx1012")
    assert general is not None
    assert own is not None
    assert (general.gfx, own.gfx) == ("", "gfx1012")
    preset = verdict_on("cnn", "rocm57", "gfx1010", "GEMM only")
    assert preset is not None
    assert preset.preset == "GEMM only"
    assert verdict_on("cnn", "native", "gfx1010", "GEMM only") == verdict_on("cnn", "native")
    assert verdict_on("images", "no such stack") is None


def test_evidence_begins_with_what_the_verdict_names_and_holds_each_claim_once() -> None:
    row = verdict_on("images", "native")
    assert row is not None
    found = [claim.id for claim in evidence(PURPOSES["images"], "native", row)]
    assert found[: len(row.claims)] == list(row.claims)
    assert len(found) == len(set(found))
