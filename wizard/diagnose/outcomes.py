"""How a check of a machine words its outcome."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from wizard.advice.leftovers import short_path
from wizard.diagnose.finding import About, Confidence, Evidence, Finding, Status
from wizard.knowledge.causes import load_causes
from wizard.machine.facts import Machine, Setting

SESSION = "this session"


def found(
    cause: str,
    evidence: Iterable[Evidence],
    sure: Confidence = Confidence.CERTAIN,
    *,
    status: Status = Status.FAULT,
    fix: tuple[str, ...] = (),
    title: str = "",
    meaning: str = "",
    about: About | None = None,
) -> Finding:
    """The cause is there; its usual words unless this machine has better ones.

    ``NO_CAUSE`` has no usual words.
    """
    known = load_causes().get(cause)
    return Finding(
        cause=cause,
        status=status,
        confidence=sure,
        title=title or (known.title if known else ""),
        evidence=tuple(dict.fromkeys(evidence)),
        meaning=meaning or (known.meaning if known else ""),
        fix=fix or (known.fix if known else ()),
        grade=known.grade if known else "",
        links=known.links if known else (),
        about=about,
    )


warned = partial(found, status=Status.WARNING)
"""The same of what harms less, or may be meant so."""


def fine(cause: str, title: str, *evidence: Evidence) -> Finding:
    """The cause was looked for and is not there."""
    return Finding(cause, Status.OK, Confidence.CERTAIN, title, evidence, "", ())


def not_tested(cause: str, title: str, why: str) -> Finding:
    """Whether the cause is there could not be seen."""
    return Finding(cause, Status.NOT_TESTED, Confidence.POSSIBLE, title, (), why, ())


def shown_setting(setting: Setting, machine: Machine) -> Evidence:
    """A setting as it stands, with its file and line."""
    where = f"{short_path(setting.file, machine)}:{setting.line}" if setting.file else SESSION
    alone = f" (only for {short_path(setting.within, machine)})" if setting.within else ""
    return Evidence(f"{setting.name}={setting.value}", f"{where}{alone}")


def shown_settings(settings: Iterable[Setting], machine: Machine) -> tuple[Evidence, ...]:
    """Settings, those of a file before those of the session that a file explains."""
    every = tuple(settings)
    explained = {(one.name, one.value) for one in every if one.file and not one.within}
    told = [one for one in every if one.file or (one.name, one.value) not in explained]
    return tuple(shown_setting(one, machine) for one in told)
