"""What somebody installed into an environment after a run of ours: never taken for ours."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.run.installed import named_in, recorded
from wizard.run.journal import Record
from wizard.run.put_back import Return
from wizard.run.trouble import Trouble


def installed_since(
    record: Record, returns: Iterable[Return], ours: Collection[str]
) -> frozenset[str]:
    """Paths below the venv that distributions list which are neither ours nor come back.

    Raises Trouble where such a one bears the name of one that comes back: two of a name spoil
    each other.
    """
    venv = Path(record.plan["venv"])
    found: set[str] = set()
    for back in returns:
        mine = {*back.awaited, *back.in_place}
        others = list(_others(back, {*mine, *ours} if Path(back.root) == venv else mine))
        _refuse_namesakes(back, others)
        if Path(back.root) == venv:
            listed = (path for info in others for path in recorded(info.parent, info))
            found |= {os.path.relpath(os.path.normpath(path), venv) for path in listed} - mine
    return frozenset(found)


_METADATA = (".dist-info/METADATA", ".dist-info/RECORD")


def _others(back: Return, mine: Collection[str]) -> Iterator[Path]:
    for info in sorted(Path(back.site).glob("[!~]*.dist-info")) if back.site else ():
        files = (os.path.relpath(info / name, back.root) for name in ("METADATA", "RECORD"))
        if not any(path in mine for path in files):
            yield info


def _refuse_namesakes(back: Return, others: Iterable[Path]) -> None:
    infos = {Path(path).parent.name for path in back.awaited if path.endswith(_METADATA)}
    names = {canonicalize_name(info.partition("-")[0]) for info in infos}
    for info in others:
        name, version = named_in(info)
        if name in names:
            raise Trouble(
                f"{name} {version} was installed in {back.site} after this run.",
                f"The {name} that comes back would lie beside it, and both would be spoilt; "
                "nothing was changed.",
                f"Remove it with its own pip (pip uninstall {name}), then go back.",
            )
