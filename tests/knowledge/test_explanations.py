"""Explanations: each has what a reader needs, fits the terminal, and names commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from assets import FOLDER
from tests.commands.running import wizard
from wizard.cli.conv2d_request import asked_for
from wizard.cli.options import parser
from wizard.conv2d.requests import sweep_in
from wizard.core.lines import WIDTH
from wizard.knowledge.explanations import (
    load_explanations,
    read_explanation,
)
from wizard.report.explanations import approaches, list_lines, topic_lines

TOPICS = load_explanations()
NEEDED = {
    *("rocm", "gfx1010", "override", "games", "downgrade"),
    *("variables", "hang", "untested", "unknown"),
}
LONGEST = 105
"""Lines: a screen or two, and the longest list somewhat more."""
MARKUP = re.compile(r"\*\*|^#|^>|```|\]\(|!", re.MULTILINE)
COMMAND = re.compile(r"^    (rdna1-setup .+)$|`(rdna1-setup [^`]+)`")


def test_every_topic_that_is_promised_is_there() -> None:
    assert {topic.id for topic in TOPICS} >= NEEDED
    assert len(TOPICS) == len(list((FOLDER / "explain").glob("*.md")))


def test_a_topic_has_title_summary_date_and_sources_that_can_be_followed() -> None:
    wrong = [
        topic
        for topic in TOPICS
        if not topic.title
        or len(topic.short) > WIDTH
        or not topic.short.endswith(".")
        or not re.fullmatch(r"20\d\d-\d\d-\d\d", topic.date)
        or not topic.sources
        or not topic.sources[0].startswith("* ")
    ]
    assert wrong == []
    lines = [(topic.id, line) for topic in TOPICS for line in topic.sources]
    known = re.compile(r"\* (https://|Linux, |rdna1-setup: )|  ")
    assert [(topic, line) for topic, line in lines if not known.match(line)] == []


def test_a_topic_fits_the_terminal_and_is_short() -> None:
    printed = {topic.id: list(topic_lines(topic)) for topic in TOPICS}
    assert [topic for topic, lines in printed.items() if len(lines) > LONGEST] == []
    each = [(topic, line) for topic, lines in printed.items() for line in lines]
    assert [(t, line) for t, line in each if len(line) > WIDTH or not line.isprintable()] == []


def test_a_topic_speaks_plainly() -> None:
    wrong = [
        f"{topic.id}: {found[0]}"
        for topic in TOPICS
        for found in MARKUP.finditer("\n".join(topic_lines(topic)))
    ]
    assert wrong == []


def commands() -> list[str]:
    found = (COMMAND.finditer(line) for topic in TOPICS for line in topic.body)
    return sorted({match[1] or match[2] for matches in found for match in matches})


def test_there_are_commands_in_them() -> None:
    assert len(commands()) > len(TOPICS)


EXPERIMENTS = [each for each in commands() if " conv2d" in each and "port " not in each]


@pytest.mark.parametrize("command", EXPERIMENTS)
def test_an_experiment_in_an_explanation_can_be_asked_for(command: str) -> None:
    _, *words = shlex.split(command)
    arguments = parser().parse_args(words)
    arguments.hangs = arguments.hangs or 1
    request, _ = asked_for(arguments)
    assert sweep_in(request).device == "cuda"


def test_every_open_question_has_its_experiment() -> None:
    unknown = next(topic for topic in TOPICS if topic.id == "unknown")
    _, *parts = "\n".join(unknown.body).split("\n## ")
    *questions, rest = parts
    assert rest.startswith("Questions that one card cannot answer")
    assert all("    rdna1-setup conv2d " in part for part in questions)
    assert len(questions) >= 8


def test_a_new_file_is_a_new_topic_and_may_leave_out_its_place(tmp_path: Path) -> None:
    path = tmp_path / "new.md"
    path.write_text("# New\n\nshort: A word.\ndate: 2026-01-01\n\nText.\n\n## Sources\n\n* x\n")
    topic = read_explanation(path)
    assert (topic.id, topic.title, topic.short) == ("new", "New", "A word.")
    assert (topic.body, topic.sources) == (("Text.",), ("* x",))
    assert topic.place > TOPICS[-2].place


def test_headings_are_seen_without_colour() -> None:
    lines = list(topic_lines(TOPICS[0]))
    assert lines[1] == "=" * len(lines[0])
    assert lines[lines.index("Sources") + 1] == "-------"


def test_about_lists_the_topics_and_prints_one(tmp_path: Path) -> None:
    listed = wizard(tmp_path, "about")
    assert listed.returncode == 0
    assert listed.stdout.splitlines() == list(list_lines((*TOPICS, approaches())))
    told = wizard(tmp_path, "about", "Games")
    assert told.stdout.splitlines()[0] == "Why games work and Conv2d does not"
    wrong = wizard(tmp_path, "about", "nonsense")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "override" in wrong.stderr
    assert list(tmp_path.iterdir()) == []
