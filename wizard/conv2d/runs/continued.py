"""Whether an unfinished run is continued, and if not, what it asked differently."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

from wizard.conv2d.asked import Request, described, journal_of, name_of, request_form, sweep_in
from wizard.conv2d.journal import read_journal
from wizard.conv2d.runs.folders import Run, runs_of
from wizard.core.own_files import Places

FREE = ("hangs", "kind")
"""What may differ: more hangs continue where fewer stopped. The kind is compared apart."""
OPTIONS = {
    "device": "--device",
    "spawn": "--spawn",
    "repeats": "--repeats",
    "deadlines": "--deadline or --import-deadline",
    "surroundings": "--clean or --keep-databases",
    "rows": "the shapes, --work, --engine or --log",
    "row": "the shape, --work, --engine or --log",
    "axis": "--find-limit",
    "smallest": "--range",
    "largest": "--range",
}


def continued_lines(
    request: Request, places: Places, environ: Mapping[str, str], *, asked: bool, width: int
) -> Iterator[str]:
    """Why no unfinished run is continued; nothing if one is, or if there is none.

    ``asked``: whether ``--resume`` was given. If not, only the newest run counts, and that there
    is none to continue is not worth a word.
    """
    told = read_journal(journal_of(request, environ))
    if not told.finished and (told.results or told.under_way is not None):
        return
    runs = runs_of(places)
    run = next((each for each in (runs if asked else runs[:1]) if _unfinished(each)), None)
    if run is not None:
        why = "; ".join(differences(request, run, environ))
        text = (
            f"The unfinished run {run.id} ({described(run.request)}) does not match what you "
            f"asked for, so the measurement starts over. The differences are: {why}."
        )
    elif asked:
        text = "There is no unfinished run to resume, so the measurement starts over."
    else:
        return
    yield from textwrap.wrap(text, width, break_on_hyphens=False, break_long_words=False)


def differences(request: Request, run: Run, environ: Mapping[str, str]) -> tuple[str, ...]:
    """What a run asked differently, in the words of the command line; never empty."""
    if type(request) is not type(run.request):
        return ("the kind of measurement",)
    was, now = _flat(run.request), _flat(request)
    names = [name for name in now if was.get(name) != now[name]]
    words = dict.fromkeys(OPTIONS.get(name, name) for name in names if name != "python")
    before, python = sweep_in(run.request).python, sweep_in(request).python
    pythons = (f"--python, which was {before} and is {python} now",) if before != python else ()
    found = (*pythons, *words)
    if not found and run.name != name_of(request, environ):
        return ("shell variables that ROCm reads, such as those beginning with HSA_ or MIOPEN_",)
    return found or ("nothing, but its journal is missing",)


def _unfinished(run: Run) -> bool:
    told = read_journal(run.journal)
    return bool(told.results or told.under_way is not None) and not told.finished


def _flat(request: Request) -> dict[str, Any]:
    """The fields of a request and of the sweep in it, as JSON types."""
    form = request_form(request)
    fields = {**form.pop("sweep", {}), **form}
    return {name: value for name, value in fields.items() if name not in FREE}
