"""Answers one question by looking where it points."""

from __future__ import annotations

from collections.abc import Callable

from wizard.available.answers import Answer, Standing
from wizard.available.indexes import in_folder, on_index
from wizard.available.questions import Question, Suites, Wheels
from wizard.available.repositories import in_repository
from wizard.available.requests import Deadline, Found
from wizard.run.downloads.web import Web
from wizard.run.lines import clean


def look(question: Question, web: Web, deadline: Deadline, now: Callable[[], str]) -> Answer:
    """What is there; never raises for what a server, a network or a folder does."""
    standing, detail = _found(question, web, deadline)
    return Answer(standing, clean(detail), now())


def _found(question: Question, web: Web, deadline: Deadline) -> Found:
    match question:
        case Suites():
            return in_repository(question, web, deadline)
        case Wheels(place=""):
            return Standing.NOT_ASKED, "pip decides where to look, by its own settings."
        case Wheels(in_folder=True):
            return in_folder(question)
        case Wheels():
            return on_index(question, web, deadline)
