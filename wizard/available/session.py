"""Availability for one machine and one command line: what is known, and what asking adds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from wizard.available.answers import Answer, Entry, Standing
from wizard.available.asking import USUAL, Patience, ask
from wizard.available.kept import Kept, keep, read_kept
from wizard.available.questions import Named, Question, Wheels, key_of, questions
from wizard.knowledge.releases import load_catalogue
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Machine


@dataclass(frozen=True, slots=True)
class Known:
    """All that is known now."""

    entries: tuple[Entry, ...]
    trouble: str = ""
    """What is wrong with what was kept, or why nothing more could be."""

    def with_answer(self, question: Question, answer: Answer) -> Known:
        """The same with this answer; a good one is the last good one."""
        entries = tuple(
            _answered(each, answer) if each.question == question else each for each in self.entries
        )
        return replace(self, entries=entries)


def _answered(entry: Entry, answer: Answer) -> Entry:
    good = answer if answer.standing is Standing.THERE else entry.good
    return Entry(entry.question, answer, good)


def known(machine: Machine, named: Named, state: Path | None, stack: str = "") -> Known:
    """What is known without asking anybody, of one stack or of all there is.

    ``state`` is where answers are kept: None for a recorded machine.
    """
    kept = read_kept(state) if state is not None else Kept()
    asked = questions(machine, load_stacks(), load_catalogue(), named)
    entries = tuple(
        Entry(each, good=kept.good.get(key_of(each)))
        for each in asked
        if not stack or _is_about(each, stack)
    )
    return Known(entries, kept.trouble)


def _is_about(question: Question, stack: str) -> bool:
    return isinstance(question, Wheels) and question.stack == stack


async def ask_all(
    before: Known,
    environ: Mapping[str, str],
    state: Path,
    patience: Patience = USUAL,
    asking: Callable[..., AsyncGenerator[tuple[Question, Answer], None]] = ask,
) -> AsyncGenerator[Known, None]:
    """What is known after each answer; a good one is kept at once, for the user may leave."""
    told = before
    asked = tuple(each.question for each in before.entries)
    async for question, answer in asking(asked, environ, patience):
        told = told.with_answer(question, answer)
        if answer.standing is Standing.THERE:
            told = replace(told, trouble=await asyncio.to_thread(keep, state, told.entries))
        yield told
