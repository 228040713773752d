"""What undoing one run would do: what goes, what comes back, what stays. Reads only."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from wizard.core.events import CHECKED
from wizard.core.sizes import counted
from wizard.host.distributions import recorded
from wizard.host.files import Listing, Print, has_text, listing, prints, source_of
from wizard.journalform import PARTLY_ROLLED_BACK, Record
from wizard.operations.operation import After
from wizard.run.environment.ownership import Owned
from wizard.run.environment.remains import notes_of_the_venv, remains, removals
from wizard.undo.installed_since import installed_since
from wizard.undo.returns import KEPT, Return, existed, find_returns, some

Tell = Callable[[int, int, str], None]
"""Hears how many files of how many are through, and in which unit; from any thread."""


def tell_nobody(_done: int, _total: int, _unit: str) -> None:
    """Lets it go."""


@dataclass(frozen=True, slots=True)
class WayBack:
    """What undoing one run would remove, and what it would leave."""

    run: str
    venv: str
    remove: tuple[str, ...]
    """Files of ours below the venv, relative to it, unchanged since we wrote them."""
    seen: Mapping[str, Print] = field(compare=False, repr=False)
    """How each of them looks."""
    changed: tuple[str, ...]
    """Files of ours that somebody changed since: kept."""
    kept: int = field(compare=False)
    """Files below the venv that are not ours; a program of the user's may write more meanwhile."""
    kept_bytes: int = field(compare=False)
    folders: tuple[str, ...]
    """Folders that are ours alone, such as the downloads: removed whole."""
    emptied: tuple[str, ...]
    """Folders below the venv that a cut-off step made: removed when empty."""
    parents: tuple[str, ...]
    """Folders that were made to hold the venv, deepest first: removed when empty."""
    folders_before: tuple[str, ...]
    """Folders that were in the venv's folder before us: kept."""
    returns: tuple[Return, ...] = ()
    """What was set aside in an environment that existed, and comes back."""
    in_the_way: tuple[str, ...] = ()
    """Files below such an environment that the user changed in between: kept aside."""

    def __str__(self) -> str:
        if not self.venv:
            return "this run has no folder; a separate plan undoes its changes"
        lines = [f"remove {counted(len(self.remove), 'file')} that rdna1-setup made in {self.venv}"]
        lines += [str(each) for each in self.returns if each.awaited]
        lines += [told for each in self.returns for told in each.told()]
        if self.in_the_way:
            lines.append(f"move {some(self.in_the_way)}, which you changed, to {self.venv}/{KEPT}")
        elif self.changed:
            lines.append(
                f"keep {counted(len(self.changed), 'file')} that you changed: {some(self.changed)}"
            )
        lines += [
            f"leave what you changed in place: {some(each.changed)}"
            for each in self.returns
            if each.changed
        ]
        if self.kept:
            lines.append(f"keep {counted(self.kept, 'file')} of your own ({self.kept_bytes} bytes)")
        lines += [f"remove {folder}" for folder in self.folders]
        return "\n".join(lines)


def find_way_back(record: Record, tell: Tell = tell_nobody) -> WayBack:
    """What undoing a run would do now; raises Trouble where it cannot be undone now."""
    if not record.plan["venv"]:  # as a path it would be the folder that we were started in
        return WayBack(record.id, "", (), {}, (), 0, 0, (), (), (), ())
    venv = Path(record.plan["venv"])
    now = listing(venv, lambda done, total: tell(done, total, CHECKED))
    owned = Owned(Path(record.folder)).read()
    owned |= {p: now.files[p] for p in _as_written(record, venv) if p in owned and p in now.files}
    returns = find_returns(record, {p for p, seen in owned.items() if now.files.get(p) == seen})
    now = _without_own_folders(now, venv, returns, record)
    inside = [each for each in returns if Path(each.root) == venv]
    ours = _ours(record, owned, now, inside)
    theirs = installed_since(record, returns, ours)
    there = {p: seen for p, seen in ours.items() if p in now.files and p not in theirs}
    remove = tuple(sorted(path for path, seen in there.items() if now.files[path] == seen))
    changed = tuple(sorted(set(there) - set(remove)))
    in_the_way = _in_the_way(inside, now, frozenset(remove), changed)
    in_the_way |= {path for each in inside for path in _rebuilt(each, ours)} - set(remove) - theirs
    kept = set(now.files) - set(there) - in_the_way
    before = notes_of_the_venv(record)
    return WayBack(
        run=record.id,
        venv=str(venv),
        remove=remove,
        seen={path: now.files[path] for path in remove},
        changed=changed,
        kept=len(kept),
        kept_bytes=sum(now.files[path][0] for path in kept),
        folders=tuple(folder for folder in _own_folders(record) if Path(folder).is_dir()),
        emptied=tuple(_emptied_by_interrupted(record)),
        parents=tuple(before.get("made_folders", ())),
        folders_before=tuple(before.get("folders_before", ())),
        returns=tuple(_settled(each, in_the_way) if each in inside else each for each in returns),
        in_the_way=tuple(sorted(in_the_way)),
    )


def _ours(
    record: Record, owned: Mapping[str, Print], now: Listing, inside: list[Return]
) -> dict[str, Print]:
    """Files of ours below the venv, as we left them; those that are the first state are not."""
    awaited = {path for each in inside for path in each.awaited}
    first = {path for each in inside for path in each.in_place}
    again = existed(record) and (
        record.state == PARTLY_ROLLED_BACK or any(each.unlisted for each in inside)
    )
    # A cut-off step may have written anew what an earlier one had noted as ours.
    left = {} if again and not awaited else _left_by_interrupted(record)
    ours = {path: seen for path, seen in {**owned, **left}.items() if path not in first}
    if again:
        # What was ours is gone for the most part: what stands there otherwise came after it.
        ours = {
            path: seen
            for path, seen in ours.items()
            if path in awaited or now.files.get(path, seen) == seen
        }
    compiled = {path: seen for path, seen in now.files.items() if source_of(path) in ours}
    return {**ours, **{path: seen for path, seen in compiled.items() if path not in first}}


def _as_written(record: Record, venv: Path) -> Iterator[str]:
    """Paths of files that hold the text of the plan, also where a setting came and went since."""
    for step in record.plan["steps"]:
        match step:
            case {"kind": "WriteFile", "path": str(path), "content": str(content)}:
                if has_text(Path(path), content):
                    yield os.path.relpath(path, venv)
            case _:
                pass


def _in_the_way(
    inside: list[Return], now: Listing, remove: frozenset[str], changed: Iterable[str]
) -> set[str]:
    """What lies where something comes back and was not written by us, or was changed since."""
    awaited = {path for each in inside for path in each.awaited}
    return (awaited & set(now.files) - remove) | set(changed) if inside else set()


def _rebuilt(back: Return, ours: Mapping[str, Print]) -> set[str]:
    """What distributions list by now that are ours or come back: another build of the same version
    may have been installed over one, and half of it would spoil the other."""
    root, site = Path(back.root), Path(back.site)
    found: set[str] = set()
    for info in site.glob("[!~]*.dist-info") if back.site else ():
        metadata, record = (os.path.relpath(info / n, root) for n in ("METADATA", "RECORD"))
        again = any(path in ours or path in back.awaited for path in (metadata, record))
        if again and record not in back.in_place:
            found |= prints(root, (*recorded(site, info), *info.iterdir())).keys()
    return found - back.in_place


def _settled(back: Return, in_the_way: set[str]) -> Return:
    """The same, after what is in the way was taken for what it is."""
    lost = {*back.lost, *(back.changed & in_the_way)}
    return replace(back, changed=back.changed - in_the_way, lost=tuple(sorted(lost)))


def _without_own_folders(
    found: Listing, venv: Path, returns: tuple[Return, ...], record: Record
) -> Listing:
    """The listing without backups and folders that go whole: no file of theirs is looked at."""
    backups = (each.backup for each in returns if Path(each.root) == venv)
    inside = tuple(f"{os.path.relpath(each, venv)}/" for each in (*backups, *_own_folders(record)))
    files = {p: seen for p, seen in found.files.items() if not p.startswith(inside)}
    return Listing(files, found.folders)


def _left_by_interrupted(record: Record) -> dict[str, Print]:
    """Files of steps that were begun and never finished, told by what they would write."""
    return {p: seen for number in record.interrupted for p, seen in remains(record, number).items()}


def _emptied_by_interrupted(record: Record) -> Iterator[str]:
    """Folders that steps made which were begun and never finished."""
    for number in record.interrupted:
        step = record.plan["steps"][number - 1]
        for removal in removals(step, record.intents[number], None):
            yield from removal.emptied


def _own_folders(record: Record) -> Iterator[str]:
    for step in record.plan["steps"]:
        match step:
            case {"kind": "DropDownloads", "folder": str(folder)}:
                yield folder
            case _:
                for removal in removals(step, {}, After("")):
                    yield from removal.folders
