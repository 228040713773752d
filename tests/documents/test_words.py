"""The word list of CONTRIBUTING.md holds in every text that people read."""

from __future__ import annotations

import re

import pytest

from tests.documents.made import ROOT
from tests.documents.texts import in_code, prose, texts

LONGEST = 25
"""Words of a sentence on a screen."""

BETTER = {
    r"mend(s|ed|ing|able)?": "fix",
    r"ways? back": "undo, rollback",
    r"(take|takes|taken|took|taking) (it |them |that |this )?back": "undo, roll back",
    r"roads?": "way, approach",
    r"let go of": "release",
    r"of (yours|ours|the user's)": "your, our",
    r"save for": "except",
    r"whom": "who",
    r"anew": "again",
    r"weigh(s|ed|ing)?": "compare",
    r"seen installed": "installed",
    r"fails so": "fails with this error",
    r"in force": "set",
    r"for good": "permanently",
    r"(is|are) to go": "will be removed",
    r"(go|goes|going|gone|went) on with": "continue",
    r"set aside": "back up, move away",
    r"(is|are) there already": "already exists",
    r"spoil(s|t|ed)?": "damage",
    r"half-way": "not finished",
    r"(somebody|anybody|everybody|whoever)": "someone, you",
    r"and the like": "and similar",
    r"not to be had": "not available",
    r"ended well": "succeeded",
    r"to its end": "until it has finished",
    r"(run|do|done|try|start) (it )?all the same": "anyway",
    r"1 (bytes|checks|files|folders|hangs|lines|packages|rows|runs|shapes|steps)": "1 file",
}
"""What is not to be said, as a pattern of whole words, and what is said instead."""


def _found(pattern: str) -> list[str]:
    wrong = re.compile(rf"(?<![\w.\\-])(?:{pattern})(?![\w-])", re.IGNORECASE)
    return [f"{place}: {text.strip()}" for place, text in texts() if wrong.search(prose(text))]


@pytest.mark.parametrize("pattern", BETTER)
def test_no_text_uses_a_word_for_which_there_is_a_better_one(pattern: str) -> None:
    assert _found(pattern) == [], f"better: {BETTER[pattern]}"


def test_no_word_stands_there_twice() -> None:
    twice = re.compile(r"(?<![\w.-])([a-z]{2,}) \1(?![\w-])", re.IGNORECASE)
    assert [f"{place}: {text.strip()}" for place, text in texts() if twice.search(text)] == []


def test_a_sentence_on_a_screen_is_short() -> None:
    sentences = [
        (place, sentence)
        for path in sorted((ROOT / "screens").rglob("*.py"))
        for place, text in in_code(path)
        for sentence in re.split(r"(?<=[.!?:;])\s+|\n", text)
    ]
    assert [each for each in sentences if len(re.findall(r"[A-Za-z]\S*", each[1])) > LONGEST] == []


def test_the_list_in_the_handbook_names_them() -> None:
    handbook = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## Words")[2]
    assert [better for better in BETTER.values() if better.split(",")[0] not in handbook] == []
