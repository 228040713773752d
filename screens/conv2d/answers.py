"""The windows of the Conv2d panel: the question before a card is measured, and answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import ClassVar

from textual.binding import Binding, BindingType

from screens.conv2d.rows import tally
from screens.windows.dialogs import Notice, Question
from wizard.conv2d.asked import Request
from wizard.conv2d.sweep import StopReason, Sweep, SweepDone
from wizard.conv2d.verdicts import Verdict
from wizard.conv2d.words.caution import Circumstances
from wizard.conv2d.words.caution_words import IN_USE, caution_texts
from wizard.remedies import by_keys

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


class SettingFound(Answer):
    """An answer that can be kept."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("k", "keep", "Keep")]
    KEYS = (("k keep it for the venv", "screen.keep"), *Notice.KEYS)

    def __init__(self, title: str, text: str, keep: Callable[[], object]) -> None:
        super().__init__(title, text)
        self._keep = keep

    def action_keep(self) -> None:
        """Closes the window, and has it kept."""
        self.dismiss(None)
        self._keep()


def answer_text(request: Request, done: SweepDone) -> str:
    """What it came to, and why it could not go on; ``""`` where nothing can be told."""
    from wizard.report.conv2d_answer import answer_lines
    from wizard.report.conv2d_outcome import trouble_lines

    stopped = (
        [] if done.trouble is None else [by_keys("\n\n".join(trouble_lines(done.trouble))), ""]
    )
    lines = list(answer_lines(request, done, by_keys))
    return "\n".join((*stopped, *lines)).strip()


def end_text(request: Request, trouble: StopReason | None, verdicts: Iterable[Verdict]) -> str:
    """What a run came to, on one line. No window opens by itself: it would take the next key."""
    if trouble is not None:
        return f"It stopped, a tells what to do: {trouble.happened}"
    if isinstance(request, Sweep):
        return f"Finished: {tally(verdicts)}. All verdicts are on disk. a: the answer"
    return f"Finished, a shows the answer: {tally(verdicts)}. All verdicts are on disk."
