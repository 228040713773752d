"""The command line's parser: what is wrong is told with the right usage, and the nearest word."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterable, Sequence
from typing import NoReturn

WRONG_CHOICE = re.compile(r"invalid choice: '([^']*)' \(choose from ([^)]*)\)$")


class Parser(argparse.ArgumentParser):
    """A parser whose commands tell their own wrong options; a command's parser is one too."""

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The words as options; ends the program with 2 and a usage where they are wrong."""
        found, unknown = self.parse_known_args(words)
        if unknown:
            speaks = self._speaker(found.command, words, unknown[0])
            hints = (_nearest(word, speaks.option_strings()) for word in unknown)
            speaks.error(f"unknown: {' '.join(unknown)}{next(filter(None, hints), '')}")
        return found

    def option_strings(self) -> Iterable[str]:
        """Every option that this parser knows."""
        return (name for action in self._actions for name in action.option_strings)

    def error(self, message: str) -> NoReturn:
        """Tells the usage, what is wrong, and the choice that may have been meant."""
        wrong = WRONG_CHOICE.search(message)
        known = re.findall(r"[\w.+-]+", wrong[2]) if wrong else ()
        super().error(message + (_nearest(wrong[1], known) if wrong else ""))

    def _speaker(self, command: str | None, words: Sequence[str], unknown: str) -> Parser:
        """The parser in whose part of the words an unknown one stands."""
        if command is None or unknown in words[: list(words).index(command)]:
            return self
        (commands,) = (a for a in self._actions if isinstance(a, argparse._SubParsersAction))
        chosen: Parser = commands.choices[command]
        return chosen


def _nearest(word: str, known: Iterable[str]) -> str:
    """A question that names the known word that is most like this one; ``""`` for none."""
    from difflib import get_close_matches  # only for who mistyped

    found = get_close_matches(word.partition("=")[0], tuple(known), n=1)
    return f". Did you mean {found[0]}?" if found else ""
