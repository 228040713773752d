"""Asks apt's programs as the ordinary user, and says in plain words what their errors mean."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Protocol

from assets.root.failures import explain
from assets.root.processes import Ended
from wizard.core.credentials import redact
from wizard.core.process import Exited, stream
from wizard.core.trouble import Trouble

PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
PASSED_ON = ("HOME", "TMPDIR", "LANG")
"""No proxies: root's apt will not see the user's either, so only apt's own settings count."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a program said, both streams in order, and its exit code."""

    code: int
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "\n".join(self.lines)


class Programs(Protocol):
    """A way to ask programs; raises Trouble for one that cannot be started or does not end."""

    async def ask(
        self, argv: tuple[str, ...], deadline_s: float, environment: Mapping[str, str] | None = None
    ) -> Answer:
        """What it said; ``environment`` comes on top of a plain one."""


class Children:
    """Asks them as children of our own."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        """With so much of the user's environment as matters."""
        self._environment = {
            **{name: environ[name] for name in PASSED_ON if name in environ},
            "PATH": PATH,
            "LC_ALL": "C.UTF-8",
            "DEBIAN_FRONTEND": "noninteractive",
        }

    async def ask(
        self, argv: tuple[str, ...], deadline_s: float, environment: Mapping[str, str] | None = None
    ) -> Answer:
        """What it said."""
        whole = {**self._environment, **(environment or {})}
        lines: list[str] = []
        code = -1
        async with aclosing(stream(argv, environment=whole, deadline_s=deadline_s)) as output:
            async for item in output:
                if isinstance(item, Exited):
                    code = item.code
                else:
                    lines += item
        return Answer(code, tuple(lines))


async def ask_or_raise(
    programs: Programs,
    argv: tuple[str, ...],
    deadline_s: float,
    environment: Mapping[str, str] | None = None,
) -> Answer:
    """The answer of a program that must succeed; raises Trouble with what its error means."""
    answer = await programs.ask(argv, deadline_s, environment)
    if answer.code != 0:
        raise explained(answer)
    return answer


def explained(answer: Answer) -> Trouble:
    """Why apt failed."""
    found = explain(Ended(answer.code, redact(answer.text)))
    return Trouble(found.happened, f"{found.meaning} Nothing was changed.", found.next_step)
