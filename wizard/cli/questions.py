"""The wizard in plain text: questions, the page that they stand on, and what every way is given."""

from __future__ import annotations

import argparse
import io
import re
import shlex
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TextIO, TypeVar

from wizard.core.credentials import redact
from wizard.core.lines import WIDTH, clean, wrapped
from wizard.host.host import Host
from wizard.machine.detect import detect
from wizard.machine.facts import Machine
from wizard.services.command_line import host_of
from wizard.services.plan_request import app_words

DEEPER = 4
"""How much further in a line begins that goes on with the one above."""
SHELL = "$ "
GOES_ON = " \\"
COMMENT = "  # "
"""What stands between a command and what is said of it."""
_BAR = re.compile("[━╸╺█░]{3}")
"""Of a bar that another program draws: it says nothing to who hears it or reads it with fingers."""
_WORDS = re.compile(r"(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+")
Explain = str | Callable[[int | None], None]
"""What ``?`` tells of a question: a text, or what tells of one option or of all (None)."""
Chosen = TypeVar("Chosen")
BACK = "b"
HELP = "?"
LEAVE = "q"
PATIENCE = 3
"""So many answers that mean nothing, and the choices are told once more."""
AGAIN = "None of the last three answers was valid. Nothing was changed. Please try again:"
NO_NUMBER = "{0!r} is not one of the choices."
HOW_TO_ANSWER = (
    "Type your answer and press Enter. Enter alone accepts the default answer. b goes back to the "
    "previous question. q quits without changing anything."
)
"""Told below what a question tells of itself."""
NOTHING_BEFORE = "This is the first question. Enter 0 to quit."
Do = Callable[[Sequence[str]], int]
"""Carries out a command of ours, as if its words had been typed; gives its exit code."""


class Page(io.TextIOBase):
    """A stream on which every long line is folded, and escapes and carriage returns are lost."""

    def __init__(self, below: TextIO) -> None:
        super().__init__()
        self._below = below
        self._open = ""

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """That of the stream below: ``input`` asks for it."""
        return self._below.encoding

    @property
    def errors(self) -> str | None:  # type: ignore[override]
        """What the stream below does with what it cannot write."""
        return self._below.errors

    def writable(self) -> bool:
        """True: that is what it is for."""
        return True

    def isatty(self) -> bool:
        """True where the stream below is a terminal."""
        return self._below.isatty()

    def fileno(self) -> int:
        """The descriptor of the stream below."""
        return self._below.fileno()

    def write(self, text: str) -> int:
        """Takes text; a line is passed on when it is whole."""
        *whole, self._open = (self._open + text).split("\n")
        for line in whole:
            if _BAR.search(line):
                continue
            self._below.writelines(f"{part}\n" for part in folded(clean(line)))
        return len(text)

    def flush(self) -> None:
        """Passes a question on, behind which the answer is typed; that ends its line."""
        if self._open:
            self._below.write(clean(self._open))
            self._open = ""
        self._below.flush()


def paragraph(text: str) -> str:
    """The text in lines as wide as the page, or as a terminal that is narrower."""
    return "\n".join(wrapped(text, min(WIDTH, shutil.get_terminal_size().columns)))


def folded(line: str) -> Iterator[str]:
    """A line in parts that fit; a word is never cut: half a path or an address is none."""
    if len(line) <= WIDTH:
        yield line
        return
    text = line.lstrip()
    margin = " " * (len(line) - len(text))
    deeper = margin + " " * DEEPER
    if text.startswith(SHELL):
        yield from _command(text, margin, deeper)
    else:
        yield from wrapped(text, head=margin, indent=deeper)


def _command(text: str, margin: str, deeper: str) -> Iterator[str]:
    """A command for a shell, which it still is when it is copied whole, with its comment."""
    command, _, comment = text.partition(COMMENT)
    line = ""
    for word in _WORDS.findall(command):
        longer = f"{line} {word}" if line else margin + word
        if line and len(longer) > WIDTH - len(GOES_ON):
            yield line + GOES_ON
            longer = deeper + word
        line = longer
    yield line
    yield from wrapped(comment, head=f"{deeper}# ", indent=f"{deeper}# ")


class Left(Exception):
    """Somebody leaves, or nobody answers any more: the input has ended."""


class WentBack(Exception):
    """The question before is wanted again."""


@dataclass(frozen=True, slots=True)
class Option(Generic[Chosen]):
    """One of several answers; its number is its place, or its ``key``."""

    text: str
    value: Chosen
    key: str = ""


class Asker:
    """Asks on a page, and reads the answers, a line each."""

    def __init__(self, answers: TextIO, say: Callable[..., None]) -> None:
        """``say`` prints a line; without its end where it ends in a blank."""
        self._answers = answers
        self._say = say

    def choose(
        self,
        question: str,
        options: Sequence[Option[Chosen]],
        usual: int = 0,
        *,
        explain: Explain,
        first: bool = False,
    ) -> Chosen:
        """The value of the option that was chosen; Enter takes the usual one, counted from 0.

        Raises Left and WentBack.
        """
        keys = [each.key or str(number) for number, each in enumerate(options, 1)]
        lines = [f"  {key}  {each.text}" for key, each in zip(keys, options, strict=True)]
        ways = f"Enter for {keys[usual]}{_more(explain)}{'' if first else ', b back'}"

        def place(answer: str) -> int | None:
            answer = answer or keys[usual]
            return keys.index(answer) if answer in keys else None

        prompt = f"Number ({ways}): "
        return options[self._asked(question, lines, prompt, place, keys, explain, first)].value

    def tick(
        self,
        question: str,
        options: Sequence[Option[Chosen]],
        usual: Sequence[int] = (),
        *,
        explain: Explain,
    ) -> tuple[Chosen, ...]:
        """The values of all that was named; several numbers may be, with blanks or commas."""
        names = ", ".join(str(place + 1) for place in usual) or "none"
        keys = [str(number) for number in range(1, len(options) + 1)]
        lines = [f"  {key}  {each.text}" for key, each in zip(keys, options, strict=True)]
        lines.append("  0  none of these")

        def places(answer: str) -> tuple[int, ...] | None:
            return _places(answer, len(options)) if answer else tuple(usual)

        prompt = f"Numbers, such as 1, 3 (Enter for {names}{_more(explain)}, b back): "
        found = self._asked(question, lines, prompt, places, keys, explain, first=False)
        return tuple(options[place].value for place in found)

    def _asked(
        self,
        question: str,
        lines: Sequence[str],
        prompt: str,
        meaning: Callable[[str], Chosen | None],
        keys: Sequence[str],
        explain: Explain,
        first: bool,
    ) -> Chosen:
        """What the first answer means that means something."""
        while True:
            self._say("", question, *lines)
            wrong = 0
            while wrong < PATIENCE:
                answer = self._answer(prompt)
                found = meaning(answer)
                if found is not None:
                    return found
                if not self._understood(answer, keys, explain, first=first):
                    self._say(NO_NUMBER.format(answer))
                    wrong += 1
            self._say(AGAIN)

    def text(self, question: str, usual: str = "", *, explain: str) -> str:
        """What was typed; Enter takes the usual text. Raises Left and WentBack."""
        self._say("", question)
        if usual:
            self._say(f"  {usual}")
        while True:
            keeps = "Another one (Enter keeps this one" if usual else "Answer ("
            prompt = f"{keeps}{_more(explain)}, b back): ".replace("(, ", "(")
            answer = self._answer(prompt)
            if answer == BACK:
                raise WentBack
            if not self._helped(answer, explain):
                return answer or usual

    def lines(self, end: str) -> str:
        """All lines up to one that is ``end`` alone, or up to the end of the input."""
        taken: list[str] = []
        while (line := self._answers.readline()) and line.strip() != end:
            taken.append(line)
        return "".join(taken)

    def _understood(
        self, answer: str, keys: Sequence[str], explain: Explain, *, first: bool
    ) -> bool:
        """True where the answer was understood, and the same question is asked again."""
        if answer == BACK and first:
            self._say(NOTHING_BEFORE)
            return True
        if answer == BACK:
            raise WentBack
        if isinstance(explain, str):
            return self._helped(answer, explain)
        wanted = answer[1:].strip()
        if answer[:1] != HELP or (wanted and wanted not in keys):
            return False
        explain(keys.index(wanted) if wanted else None)
        return True

    def _helped(self, answer: str, explain: str) -> bool:
        """True where help was asked for, and given."""
        if answer[:1] != HELP:
            return False
        self._say(explain, HOW_TO_ANSWER)
        return True

    def _answer(self, prompt: str) -> str:
        self._say(prompt)
        line = self._answers.readline()
        if not line:
            raise Left
        if not self._answers.isatty():
            self._say(line.strip())  # a terminal shows what is typed; a pipe does not
        answer = line.strip().lower() if len(line.strip()) == 1 else line.strip()
        if answer == LEAVE:
            raise Left
        return answer


def in_turn(questions: Sequence[Callable[[Chosen], Chosen | None]], start: Chosen) -> Chosen:
    """What all questions make of a value, one after the other; back leads to the one before.

    None from a question says that there was nothing to ask. Raises WentBack before the first.
    """
    before: list[tuple[int, Chosen]] = []
    here, value = 0, start
    while here < len(questions):
        try:
            answered = questions[here](value)
        except WentBack:
            if not before:
                raise
            here, value = before.pop()
            continue
        if answered is not None:
            before.append((here, value))
            value = answered
        here += 1
    return value


def _more(explain: Explain) -> str:
    return ", ? help" if isinstance(explain, str) else ", ? help, ?1 more about 1"


def _places(answer: str, count: int) -> tuple[int, ...] | None:
    """Which were named, in their order; None for what is no list of numbers here."""
    words = answer.replace(",", " ").split()
    if words == ["0"]:
        return ()
    if not all(word.isdecimal() and len(word) < 10 and 1 <= int(word) <= count for word in words):
        return None
    return tuple(sorted({int(word) - 1 for word in words}))


@dataclass(slots=True)
class Guide:
    """What every way of the plain wizard needs."""

    ask: Asker
    do: Do
    arguments: argparse.Namespace
    given: tuple[str, ...]
    """The words that the program was started with, for a command to be the same."""
    applications: tuple[str, ...] = ()
    """What is to be run, once that was answered: it holds until the program is left."""

    @property
    def app_words(self) -> tuple[str, ...]:
        """The same as options of a command."""
        return app_words(self.applications)

    def say(self, *texts: str) -> None:
        """Prints lines."""
        say(*texts)

    def look(self) -> tuple[Host, Machine]:
        """The machine as it is now."""
        self.say("Inspecting this machine ...")
        host = host_of(self.arguments)
        return host, detect(host)

    def carry_out(self, *words: str) -> int:
        """Says which command does it, then does it."""
        self.say(
            "",
            "The same as a command:",
            f"    $ {redact(shlex.join(('rdna1-setup', *self.given, *words)))}",
            "",
        )
        return self.do(words)


def say(*texts: str) -> None:
    """Prints lines; a question, which ends in a blank, leaves its line open for the answer."""
    for text in texts:
        print(text, end="" if text.endswith(" ") else "\n", flush=True)
