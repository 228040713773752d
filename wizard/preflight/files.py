"""Whether the files that a plan replaces or moves are still what it was made for."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.core.trouble import Trouble
from wizard.host.host import Host
from wizard.plan.root_steps import SetSystemPathAside, WriteSystemFile, sha256
from wizard.plan.steps import Plan, Step
from wizard.plan.user_files import PutLinesBack, TakeLinesOut


def file_refusals(plan: Plan, host: Host) -> tuple[Trouble, ...]:
    """One for all files that are others by now."""
    changed = [path for step in plan.steps for path in _changed(step, host)]
    if not changed:
        return ()
    return (
        Trouble(
            "These files have changed since the plan was made: "
            f"{', '.join(dict.fromkeys(changed))}.",
            "The plan would replace content you have not reviewed. Nothing was changed.",
            "Make the plan again and review it.",
        ),
    )


def _changed(step: Step, host: Host) -> Iterator[str]:
    match step:
        case WriteSystemFile(path=path, before=before, content=content):
            if _hash(host, path) not in (before, sha256(content)):
                yield path
        case TakeLinesOut(path=path) | PutLinesBack(path=path):
            if _hash(host, path) not in (step.before, step.after):
                yield path
        case SetSystemPathAside(path=path, may_be_gone=False) if not _is_there(host, path):
            yield path
        case _:
            return


def _hash(host: Host, path: str) -> str | None:
    text = host.read(path)
    if isinstance(text, str):
        return sha256(text)
    return "unreadable" if _is_there(host, path) else None


def _is_there(host: Host, path: str) -> bool:
    return host.exists(path) or isinstance(host.link(path), str)
