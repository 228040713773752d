"""What every way of the plain road is given: its questions, and the commands that it ends in."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wizard.commands.choosing import app_words
from wizard.commands.looking import host_of
from wizard.plain.asking import Asker

if TYPE_CHECKING:
    from wizard.host.host import Host
    from wizard.machine.facts import Machine

Do = Callable[[Sequence[str]], int]
"""Carries out a command of ours, as if its words had been typed; gives its exit code."""


@dataclass(slots=True)
class Road:
    """What every way of the plain road needs."""

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

    def say(self, text: str = "") -> None:
        """Prints lines."""
        say(text)

    def look(self) -> tuple[Host, Machine]:
        """The machine as it is now."""
        from wizard.machine.detect import detect

        self.say("Inspecting this machine ...")
        host = host_of(self.arguments)
        return host, detect(host)

    def carry_out(self, *words: str) -> int:
        """Says which command does it, then does it."""
        import shlex

        from wizard.core.credentials import redact

        self.say()
        self.say("The same as a command:")
        self.say(f"    $ {redact(shlex.join(('rdna1-setup', *self.given, *words)))}")
        self.say()
        return self.do(words)


def say(text: str = "") -> None:
    """Prints lines; a question, which ends in a blank, leaves its line open for the answer."""
    print(text, end="" if text.endswith(" ") else "\n", flush=True)
