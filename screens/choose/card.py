"""What Choose says of a stack: the conclusion above, the rows of its card, and why."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from textual.content import Content

from screens.choose.choosing import Choosing
from screens.widgets.verdict_table import COLOURS
from screens.words import shown
from wizard.advice.card import chosen_card
from wizard.advice.comparison import RUN
from wizard.advice.leftovers import short_path
from wizard.advice.recommend import RANK
from wizard.core.amounts import capitalized, listed, size_text
from wizard.diagnose.finding import Status
from wizard.knowledge.claims import Claim, Word
from wizard.knowledge.stacks import Stack

LABEL_CELLS = 9
SOURCE = re.compile(r" \(https?://[^()]*(?:\([^()]*\)[^()]*)*\)")
NAMED = 3
"""So many programs are named in the first line."""
PHRASES = {
    Word.WORKS: "works",
    Word.LIKELY: "likely works",
    Word.POSSIBLE: "possibly works",
    Word.DISPUTED: "is disputed",
    Word.UNLIKELY: "is unlikely to work",
    Word.NO: "does not work",
    Word.NOT_TRIED: "was not tried",
}
"""Each verdict as the end of a sentence about the one program that was asked for."""
CLAIMS = 3
"""So many reports are shown on each side of why."""
STACK = "A stack is one matching set of ROCm and PyTorch"
NATIVE = "native is AMD's own build"
UNTESTED = "AMD does not test this stack on your card, so measure after installing."


def plain(text: str) -> str:
    """A reason without the address of its source, which the evidence shows."""
    return shown(SOURCE.sub("", text))


def sentence(text: str) -> str:
    """A reason as a sentence."""
    text = plain(text).rstrip(".")
    return f"{capitalized(text)}."


def kind_of(stack: Stack) -> str:
    """What a stack is, in a few words."""
    if not stack.gfx:
        return "PyTorch for the processor"
    if _is_native(stack):
        return "AMD's own build for this chip"
    torch, _, rocm = stack.torch.partition("+rocm")
    return f"PyTorch {torch} with ROCm {rocm}" if rocm else shown(stack.title)


def _is_native(stack: Stack) -> bool:
    return "{gfx}" in " ".join(stack.requirements)


def conclusion(choosing: Choosing) -> tuple[str, Status | None, str, Status | None]:
    """What to take, and what a stack is, each with its status; before that what else matters."""
    text, status, second, second_status = _suggestion(choosing)
    if second_status is None:
        other = next((each.id for each in choosing.stacks.values() if _is_native(each)), "")
        told = bool(other) and f" {other}," not in f"{text} {second}"
        second = f"{second} {STACK}{f'; {NATIVE}' * told}.".lstrip()
    return text, status, second, second_status


def _suggestion(choosing: Choosing) -> tuple[str, Status | None, str, Status | None]:
    found, first = choosing.recommendation, choosing.suggested
    stack = choosing.stacks[first.stack]
    if not first.possible:
        why = sentence(first.obstacles[0]) if first.obstacles else ""
        return "No stack can be installed on this machine.", Status.FAULT, why, None
    card = chosen_card(choosing.machine)
    purpose = f"For {listed([a.title for a in choosing.ticked], NAMED)}" if choosing.ticked else ""
    on_card = ""
    if card and stack.gfx:
        name = shown(card.name).removeprefix("AMD ").removeprefix("Radeon ")
        on_card = f" on your {name}" if purpose else f"For PyTorch on your {name}"
    take = f"{first.stack}, {kind_of(stack)}"
    if found.program is not None:
        better = f"{purpose}{on_card}: {found.program.title}, without PyTorch."
        return better, None, f"With PyTorch: {take}.", None
    if not stack.gfx:
        obstacle = next((each.obstacles[0] for each in found.fits if each.obstacles), "")
        why = sentence((obstacle or found.reason).partition(";")[0])
        return f"{purpose or 'For PyTorch on this machine'}: {take}.", None, why, Status.WARNING
    outside = [f"{each.program.title} ({each.verdict.word.value})" for each in found.outside]
    more = f"Or without PyTorch: {listed(outside, NAMED)}. Press o." if outside else ""
    return f"{purpose}{on_card}: {take}.", None, more, None


def card_rows(choosing: Choosing) -> Iterator[tuple[str, Content]]:
    """The rows of the card of the selected stack: label and text."""
    yield "Verdict", _verdict(choosing)
    yield "Cost", Content(cost(choosing))
    yield "Changes", Content(changes(choosing))
    if against := " ".join(_against(choosing)):
        yield "But", Content(against)


def _verdict(choosing: Choosing) -> Content:
    asked = list(zip(choosing.asked, choosing.fit.answers, strict=True))
    worst, why = max(asked, key=lambda each: RANK[each[1].word])
    parts: list[str | tuple[str, str]] = []
    for application, answer in asked:
        title, word = shown(application.title), answer.word
        said = f": {word.value}" if len(asked) > 1 else f" {PHRASES[word]}"
        parts.append(f", {title}" if parts else capitalized(title))
        parts.append((said, f"${COLOURS[word.value]}"))
    told = sentence(why.why)
    named = len(asked) == 1 or told.startswith(worst.title)
    return Content.assemble(*parts, ". " if named else f". {shown(worst.title)}: ", told)


def cost(choosing: Choosing) -> str:
    """Download, disk and root."""
    fit, stack = choosing.fit, choosing.stack
    size, _, time = choosing.aspect(stack.id, "download").word.partition(", ")
    told = "download of unknown size" if fit.download_bytes is None else f"{size} download"
    if time:
        told += f", about {time}"
    if fit.installed_bytes is not None:
        told += f", {size_text(fit.installed_bytes)} on disk"
    if choosing.with_system(stack.id):
        told += ", plus system packages (size not known yet)"
    return f"{told}, {root_words(choosing)}"


def root_words(choosing: Choosing) -> str:
    """Whether root is needed: for steps of the plan, once before it, or not at all."""
    word = choosing.aspect(choosing.stack.id, "root").word
    return {"yes": "needs root", "once": "needs root once"}.get(word, "no root")


def changes(choosing: Choosing) -> str:
    """What will be created or changed, and where."""
    fit, machine = choosing.fit, choosing.machine
    folder = short_path(shown(choosing.folder), machine)
    parts = [f"the folder {folder}" if choosing.session.folder else f"a new folder {folder}"]
    if fit.python.startswith("uv:"):
        parts.append(f"Python {fit.python.removeprefix('uv:')} from uv")
    if fit.missing_right is not None and fit.missing_right.groups:
        groups = fit.missing_right.groups
        word = "group" if len(groups) == 1 else "groups"
        parts.append(f"you join the {word} {' and '.join(groups)}")
    if choosing.with_system(fit.stack):
        parts.append(
            f"ROCm {choosing.stack.system_release} system packages (press u to leave them out)"
        )
    if choosing.preset:
        parts.append(f"settings {shown(choosing.preset.name)}")
    return f"{', '.join(parts)}{'' if len(parts) > 1 else ', nothing else'}"


def _against(choosing: Choosing) -> Iterator[str]:
    """What stands against the selected stack, the weightiest first."""
    fit, first, stack = choosing.fit, choosing.suggested, choosing.stack
    if not fit.possible:
        why = fit.obstacles[0] if fit.obstacles else "it does not suit this machine"
        yield f"Not possible here: {sentence(why)}"
        return
    answers = list(zip(choosing.asked, fit.answers, strict=True))
    lost = [shown(a.title) for a, answer in answers if answer.word is Word.NO]
    if lost:
        able = first.possible and all(each.word is not Word.NO for each in first.answers)
        yield f"It cannot run {listed(lost, NAMED)}{f'; {first.stack} can' * able}."
    elif fit is not first and first.possible and len(answers) == 1:
        yield f"The suggested stack is {first.stack} ({first.answers[0].word.value})."
    right = fit.missing_right
    if fit.card_closed and not (right and right.groups):
        yield f"First you need {sentence(fit.card_closed)}"
    for application, answer in answers:
        if answer.word is not Word.NO:
            yield from (f"{shown(application.title)} needs {plain(n)}." for n in answer.needs)
    if fit.room and not choosing.session.folder:
        yield f"It needs {plain(fit.room)}."
    if stack.gfx and choosing.aspect(stack.id, "support").word == Word.NONE.value:
        yield UNTESTED
    if choosing.preset:
        yield sentence(choosing.preset.caution)


def why_lines(choosing: Choosing) -> Content:
    """The strongest reports for and against what was asked for, and what nobody tried."""
    known = {claim.id: claim for claim in choosing.claims}
    column = choosing.column(choosing.stack.id)
    about = [each for each in column.aspects if each.id in choosing.verdicts]
    ids = dict.fromkeys(claim for each in about for claim in each.claims)
    claims = [known[each] for each in ids if each in known]
    untried = [each.title for each in column.aspects if each.word == Word.NOT_TRIED.value]
    runs = [each for each in about if each.id.startswith(RUN)]
    others = [claim for claim in claims if runs and all(each.is_other_use(claim) for each in runs)]
    claims = [claim for claim in claims if claim not in others]
    parts: list[Content] = []
    for label, side in (("For", "for"), ("Against", "against")):
        about_it = [claim for claim in claims if claim.side == side]
        parts += [_head(label), *_reports(about_it[:CLAIMS]), Content("")]
    if others:
        parts += [_head("About another use"), *_reports(others[:CLAIMS]), Content("")]
    if untried:
        parts += [_head("Not tried"), Content(shown(listed(untried, NAMED)))]
    return Content("\n").join(parts)


def _reports(claims: Sequence[Claim]) -> Iterator[Content]:
    if not claims:
        yield Content("We found no report.")
    for claim in claims:
        yield Content(shown(claim.text))
        card = "" if claim.card in ("", "none") else f"{shown(claim.card)}, "
        yield Content.styled(f"{card}{shown(claim.date)}", "$text-muted")


def _head(label: str) -> Content:
    return Content.styled(label, "bold $text-primary")


def grouped(choosing: Choosing, aspect: str, stacks: Sequence[str]) -> str:
    """Which of the stacks have which verdict, the best first."""
    words = [each.value for each in Word]
    held: dict[str, list[str]] = {}
    for stack in sorted(stacks, key=lambda each: words.index(choosing.word(each, aspect))):
        held.setdefault(choosing.word(stack, aspect), []).append(stack)
    return "; ".join(f"{word} with {listed(names, NAMED)}" for word, names in held.items())
