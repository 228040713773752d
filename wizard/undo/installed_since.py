"""What somebody installed into an environment after a run of ours: never taken for ours."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.core.trouble import Trouble
from wizard.host.distributions import named_in, recorded
from wizard.journalform import Record
from wizard.run.environment.backup import Backup, Row, seen_row
from wizard.run.environment.remains import notes_of_the_venv
from wizard.undo.returns import Return


def installed_since(
    record: Record, returns: Iterable[Return], ours: Collection[str]
) -> frozenset[str]:
    """Paths below the venv that distributions list which are neither ours nor come back.

    Raises Trouble where such a one bears the name of one that comes back, or lies over its files:
    both would be spoilt.
    """
    venv = Path(record.plan["venv"])
    before = frozenset(notes_of_the_venv(record).get("folders_before", ()))
    found: set[str] = set()
    for back in returns:
        inside = Path(back.root) == venv
        mine = {*back.awaited, *back.in_place}
        others = list(_others(back, {*mine, *ours} if inside else mine))
        _refuse_namesakes(back, others)
        since = [o for o in others if not inside or os.path.relpath(o, venv) not in before]
        _refuse_what_lies_over(back, since)
        if inside:
            found |= {path for info in others for path in _listed(back, info)} - mine
    return frozenset(found)


_METADATA = (".dist-info/METADATA", ".dist-info/RECORD")


def _others(back: Return, mine: Collection[str]) -> Iterator[Path]:
    kinds = ("dist-info", "egg-info", "egg-link") if back.site else ()
    for info in (i for kind in kinds for i in sorted(Path(back.site).glob(f"[!~]*.{kind}"))):
        files = (os.path.relpath(info / name, back.root) for name in ("METADATA", "RECORD"))
        if not any(path in mine for path in files):
            yield info


def _listed(back: Return, info: Path) -> Iterator[str]:
    for path in recorded(info.parent, info):
        yield os.path.relpath(os.path.normpath(path), back.root)


def _refuse_namesakes(back: Return, others: Iterable[Path]) -> None:
    infos = {Path(path).parent.name for path in back.awaited if path.endswith(_METADATA)}
    names = {canonicalize_name(info.partition("-")[0]) for info in infos}
    for info in others:
        name, version = named_in(info)
        if name in names:
            raise Trouble(
                f"{name} {version} was installed in {back.site} after this run.",
                f"The restored {name} would get mixed up with the installed version, and both "
                "would be damaged. Nothing was changed.",
                (
                    f"Remove the package with the environment's pip (pip uninstall {name}), then "
                    "roll back again."
                ),
            )


def _refuse_what_lies_over(back: Return, since: Iterable[Path]) -> None:
    aside = Backup(Path(back.root), Path(back.backup))
    waiting = {row.path: row for row in aside.things() if row.path in back.awaited}
    for info in since:
        shared = [waiting[path] for path in _listed(back, info) if path in waiting]
        if over := [row.path for row in shared if _is_another(aside, row)]:
            name, version = named_in(info)
            raise Trouble(
                f"{name} {version} was installed in {back.site} after this run, and it overwrote "
                f"files that the rollback would restore, such as {over[0]}.",
                "Half of the package would be replaced, and neither version would work. Nothing "
                "was changed.",
                (
                    f"Remove the package with the environment's pip (pip uninstall {name}), then "
                    "roll back again."
                ),
            )


def _is_another(aside: Backup, row: Row) -> bool:
    """True where a file stands that is not the one that comes back."""
    try:
        return seen_row(aside.root, row.path, lambda _: None).content != row.content
    except OSError:
        return False  # nothing stands there, or no file
