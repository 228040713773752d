"""What acting on a step needs and gives: its surroundings, its programs, its outcome."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Union

from wizard.core.credentials import redact
from wizard.core.events import Output, Progress
from wizard.core.process import Exited, child_environment, stream
from wizard.core.trouble import explain_pip


@dataclass(frozen=True, slots=True)
class Done:
    """A step acted and its outcome was verified; the text says what was found."""

    outcome: str


class Stopped(Exception):
    """The step stopped at a safe point because the user asked for it."""


Act = AsyncGenerator[Union[Output, Progress, Done], None]  # noqa: UP007 - read at run time on 3.10


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What acting needs from outside the step."""

    environ: Mapping[str, str]
    scratch: str
    """A folder on a big disk for programs that want a temporary one."""
    cancelled: Callable[[], bool]
    indexes: tuple[str, ...] = ()
    """Addresses that the resolver was given, with their logins: pip's report carries none."""
    as_root: Callable[[], Act] | None = None
    """Carries out the step at hand as root; None where nothing can be done as root."""

    def environment(self, additions: tuple[tuple[str, str], ...] = ()) -> dict[str, str]:
        """The environment of a child of this run."""
        return child_environment(self.environ, (("TMPDIR", self.scratch), *additions))


async def program(
    argv: tuple[str, ...], environment: Mapping[str, str], deadline_s: float, limit: int = 400
) -> AsyncGenerator[Output, None]:
    """Run to the end; raises Trouble with the program's own words when it fails."""
    seen: list[str] = []
    async with aclosing(stream(argv, environment=environment, deadline_s=deadline_s)) as output:
        async for item in output:
            if isinstance(item, Exited):
                if item.code != 0:
                    raise explain_pip("\n".join(seen), item.code)
            else:
                seen = [*seen, *item][-limit:]
                yield Output(tuple(map(redact, item)))
