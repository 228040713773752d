"""Tells how a folder for many machines is filled, and what to do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from wizard.fleet.target import Target
    from wizard.run.events import Event

NEXT = (
    "On each machine, without internet: "
    "sh {folder}/start.sh apply --stack {stack} --wheelhouse {folder}/wheels"
)


class FillingTeller:
    """Prints events as lines, and what to do with the folder at the end."""

    def __init__(self, path: str, target: Target) -> None:
        from wizard.report.events import Tenths

        self._tenths = Tenths()
        self._path = path
        self._target = target

    def __call__(self, event: Event) -> None:
        from wizard.report.events import event_lines
        from wizard.run.events import PlanFinished

        if isinstance(event, PlanFinished):
            print(*self._ending(ok=event.ok, changed=event.changed), sep="\n", flush=True)
        elif self._tenths.worth_telling(event):
            print(*event_lines(event), sep="\n", flush=True)

    def _ending(self, *, ok: bool, changed: bool) -> tuple[str, ...]:
        if not ok and not changed:
            return ("Nothing was fetched.",)
        if not ok:
            return (f"{self._path} is not finished. The same command goes on from here.",)
        import shlex

        words = NEXT.format(folder=shlex.quote(self._path), stack=self._target.stack)
        return ("Finished." if changed else "Nothing had to be fetched.", words)
