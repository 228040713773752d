"""The windows of the Conv2d panel: the question before a card is measured, and answers."""

from __future__ import annotations

from screens.dialogs import Notice, Question
from wizard.conv2d.asked import Request, described
from wizard.conv2d.caution import Circumstances
from wizard.conv2d.caution_words import IN_USE, caution_texts
from wizard.conv2d.sweep import StopReason, Sweep, SweepDone

TITLE = "Before a run on the GPU"
WITHOUT_RISK = "The device CPU (key g) measures without this risk."
EVEN_SO = "press e"
OTHER = "o changes that"


def caution(request: Request, around: Circumstances, hangs: int) -> Question:
    """The question: as the terminal's, affirmed by a key; another one where the seat is in use."""
    texts = (*caution_texts(request, around, hangs, OTHER), WITHOUT_RISK)
    if around.is_someones_desktop:
        text = "\n\n".join((IN_USE.format(EVEN_SO), *texts))
        return Question(f"{TITLE}: its screen is in use", text, "e", "even if in use")
    return Question(TITLE, "\n\n".join(texts), "y", "I saved my work")


class Answer(Notice):
    """What a search came to, in lines as wide as the smallest screen."""


def answer_text(request: Request, done: SweepDone) -> str:
    """What it came to, and why it could not go on; ``""`` where nothing can be told."""
    from wizard.report.conv2d_answer import answer_lines

    stopped = [] if done.trouble is None else [_trouble_text(done.trouble), ""]
    lines = list(answer_lines(request, done))
    return "\n".join((*stopped, *lines)).strip()


def end_window(request: Request, done: SweepDone) -> Notice | None:
    """What opens by itself at the end: the answer of a search, or why it stopped."""
    if not isinstance(request, Sweep) and (done.results or done.trouble):
        title = described(request).capitalize()
        return Answer(title, answer_text(request, done))
    return None if done.trouble is None else Notice("It stopped", _trouble_text(done.trouble))


def _trouble_text(trouble: StopReason) -> str:
    return f"{trouble.happened}\n\n{trouble.meaning}\n\n{trouble.next_step}"
