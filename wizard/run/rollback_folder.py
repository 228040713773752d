"""What undoing a run does in its folder: what goes, what comes back, what stays. Reads only."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from packaging.utils import canonicalize_name

from wizard.core.amounts import counted
from wizard.core.events import CHECKED
from wizard.core.journal import PARTLY_ROLLED_BACK, Record
from wizard.core.lines import clean
from wizard.core.trouble import Trouble
from wizard.host.distributions import named_in, recorded
from wizard.host.files import Listing, Print, has_text, listing, prints, source_of
from wizard.operations.operation import Before
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.operations.write_file import WriteFile
from wizard.plan.form import operation_of
from wizard.run.journal import Owned
from wizard.run.runs import absence, last_written_ns
from wizard.system.backup import Backup, MovedBack, Row, State, move_back, seen_row

KEPT = "rdna1-setup-kept"
"""Folder for files that the user changed in the meantime."""


@dataclass(frozen=True, slots=True)
class SetAside:
    """What one step set aside, and where each file of it is now."""

    root: str
    site: str
    """The site folder of these packages."""
    backup: str
    packages: tuple[str, ...]
    """Name and version of each distribution that set_aside."""
    awaited: frozenset[str] = frozenset()
    """Paths whose file lies in the backup."""
    in_place: frozenset[str] = frozenset()
    """Paths that are the first state already: never moved, or moved back."""
    changed: frozenset[str] = frozenset()
    """Paths at which something else stands, that is not ours."""
    lost: tuple[str, ...] = ()
    """Paths, or packages where the list is gone too, that were removed from the backup."""
    unlisted: bool = False
    """True where the list is gone, or was never written."""
    absent: str = ""
    """Why the environment cannot be reached now; ``""`` when it can."""

    def __str__(self) -> str:
        names = ", ".join(self.packages[:6]) + (", ..." if len(self.packages) > 6 else "")
        of = f" of {names}" if names else ""
        return f"restore {counted(len(self.awaited), 'file')}{of} in {self.root}"

    def told(self) -> tuple[str, ...]:
        """What does not come back, and no second try would bring."""
        lost = f"cannot be restored, because it is no longer in {self.backup}: {some(self.lost)}"
        return (f"{lost}. Install it again.",) if self.lost else ()


def find_set_aside(record: Record, ours: Collection[str]) -> tuple[SetAside, ...]:
    """What the run set aside, with its state now; ``ours`` are paths below the venv. Reads only.

    Raises Trouble where nothing can come back because its environment is not there now: it may
    be moved or unmounted, and undone would be a lie.
    """
    found = set_aside_by(record, ours)
    absent = next((each for each in found if each.absent), None)
    if absent and not any(each.awaited for each in found):
        raise Trouble(
            f"{absent.absent}. The backup of run {record.id} is in that environment.",
            "Without the backup, the old packages cannot be restored. Nothing was changed.",
            f"If it was moved, or its disk is not mounted, restore {absent.root} and run the same "
            f"command again. If it is lost, run: rdna1-setup rollback --forget {record.id}",
        )
    return found


def set_aside_by(record: Record, ours: Collection[str]) -> tuple[SetAside, ...]:
    """The same, whether it can come back or not."""
    steps = ((n, operation_of(form)) for n, form in enumerate(record.plan["steps"], 1))
    return tuple(
        _state_of(number, step, record, ours)
        for number, step in steps
        if isinstance(step, SetAsidePackages)
    )


def put_back(found: SetAside, tell: Callable[[], None]) -> MovedBack:
    """Move the files back; ``tell`` hears of each."""
    if found.absent:
        return MovedBack((f"not restored: {found.absent}. Roll back again when it exists.",), ())
    return move_back(Backup(Path(found.root), Path(found.backup)), tell)


def keep_aside(root: Path, paths: Collection[str]) -> list[str]:
    """Move changed files out of the way, into a folder of their own; gives what could not be."""
    if (root / KEPT).is_symlink() and paths:
        return [f"not moved: {root / KEPT} is a link. Remove the link, then roll back again."]
    left = []
    for path in paths:
        target = _free(root / KEPT / path)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            (root / path).rename(target)
        except OSError as error:
            left.append(f"not moved to {root / KEPT}: {root / path}: {error.strerror}")
    return left


def some(paths: Collection[str]) -> str:
    """The first paths of many, each fit for one line."""
    shown = ", ".join(clean(path).replace("\n", "?") for path in sorted(paths)[:3])
    return f"{shown} and {len(paths) - 3} more" if len(paths) > 3 else shown


def _state_of(
    number: int, step: SetAsidePackages, record: Record, ours: Collection[str]
) -> SetAside:
    packages = tuple(f"{name} {version}" for name, version in step.packages)
    back = SetAside(step.root, step.site, step.backup, packages)
    if number not in record.intents:
        return back  # nothing was moved; a backup there is another run's
    if absent := absence(record, back.root):
        return replace(back, absent=absent)
    aside = step.aside
    if not os.path.lexists(aside.manifest):
        return replace(back, unlisted=True, lost=_missing(step, ours))
    states = {row.path: aside.state(row) for row in aside.things()}
    mine = ours if back.root == record.plan["venv"] else ()
    otherwise = _in(states, State.OTHERWISE)
    return replace(
        back,
        awaited=_in(states, State.WAITS),
        in_place=_in(states, State.IN_PLACE),
        changed=otherwise.difference(mine),
        lost=tuple(sorted(_in(states, State.GONE) | otherwise.intersection(mine))),
    )


def _in(states: Mapping[str, State], state: State) -> frozenset[str]:
    return frozenset(path for path, seen in states.items() if seen is state)


def _missing(step: SetAsidePackages, ours: Collection[str]) -> tuple[str, ...]:
    """Packages that were set aside, or were to be, and of which no version of the user's stands."""
    # A folder without METADATA is what a move that was cut off has left.
    infos = (info.parent for info in Path(step.site).glob("[!~]*.dist-info/METADATA"))
    theirs = (i for i in infos if os.path.relpath(i / "METADATA", step.root) not in ours)
    there = {named_in(info)[0] for info in theirs}
    return tuple(f"{name} {version}" for name, version in step.packages if name not in there)


def _free(path: Path) -> Path:
    names = (path, *(path.with_name(f"{path.name}-{number}") for number in range(2, 1000)))
    return next(name for name in names if not os.path.lexists(name))


GRACE_S = 60
"""Time that a step may outlast its deadline before it is ended."""


def noted_paths(intents: Mapping[int, Before], name: str) -> tuple[str, ...]:
    """Paths that a run noted under this name before it made or changed its environment."""
    return next((tuple(noted[name]) for noted in intents.values() if name in noted), ())


def files_before(intents: Mapping[int, Before]) -> frozenset[str]:
    """Files that were in the venv's folder before the run: never ours."""
    return frozenset(noted_paths(intents, "before"))


def remains(record: Record, number: int) -> dict[str, Print]:
    """Files that the interrupted step left, told by what it would write.

    What was written after the step must have ended is somebody else's, whatever its name.
    """
    step = record.plan["steps"][number - 1]
    before = files_before(record.intents)
    deadline_s = float(step.get("deadline_s", 0)) + GRACE_S
    latest = last_written_ns(Path(record.folder)) + int(deadline_s * 10**9)
    operation = operation_of(step)
    found = operation.remains(record.intents[number]) if operation else {}
    return {p: seen for p, seen in found.items() if p not in before and seen[1] <= latest}


def installed_since(
    record: Record, set_aside: Iterable[SetAside], ours: Collection[str]
) -> frozenset[str]:
    """Paths below the venv that distributions list which are neither ours nor come back.

    Raises Trouble where such a one bears the name of one that comes back, or lies over its files:
    both would be spoilt.
    """
    venv = Path(record.plan["venv"])
    before = frozenset(noted_paths(record.intents, "folders_before"))
    found: set[str] = set()
    for back in set_aside:
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


def _others(back: SetAside, mine: Collection[str]) -> Iterator[Path]:
    kinds = ("dist-info", "egg-info", "egg-link") if back.site else ()
    for info in (i for kind in kinds for i in sorted(Path(back.site).glob(f"[!~]*.{kind}"))):
        files = (os.path.relpath(info / name, back.root) for name in ("METADATA", "RECORD"))
        if not any(path in mine for path in files):
            yield info


def _listed(back: SetAside, info: Path) -> Iterator[str]:
    for path in recorded(info.parent, info):
        yield os.path.relpath(os.path.normpath(path), back.root)


def _refuse_namesakes(back: SetAside, others: Iterable[Path]) -> None:
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


def _refuse_what_lies_over(back: SetAside, since: Iterable[Path]) -> None:
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


Tell = Callable[[int, int, str], None]
"""Hears how many files of how many are through, and in which unit; from any thread."""


def tell_nobody(_done: int, _total: int, _unit: str) -> None:
    """Lets it go."""


@dataclass(frozen=True, slots=True)
class FolderRollback:
    """What undoing one run would remove, and what it would leave."""

    venv: str
    """``""`` for a run that has no folder."""
    remove: tuple[str, ...] = ()
    """Files of ours below the venv, relative to it, unchanged since we wrote them."""
    seen: Mapping[str, Print] = field(default_factory=dict, compare=False, repr=False)
    """How each of them looks."""
    changed: tuple[str, ...] = ()
    """Files of ours that somebody changed since: kept."""
    kept: int = field(default=0, compare=False)
    """Files below the venv that are not ours; a program of the user's may write more meanwhile."""
    kept_bytes: int = field(default=0, compare=False)
    folders: tuple[str, ...] = ()
    """Folders that are ours alone, such as the downloads: removed whole."""
    emptied: tuple[str, ...] = ()
    """Folders below the venv that a cut-off step made: removed when empty."""
    parents: tuple[str, ...] = ()
    """Folders that were made to hold the venv, deepest first: removed when empty."""
    folders_before: tuple[str, ...] = ()
    """Folders that were in the venv's folder before us: kept."""
    set_aside: tuple[SetAside, ...] = ()
    """What was set aside in an environment that existed, and comes back."""
    in_the_way: tuple[str, ...] = ()
    """Files below such an environment that the user changed in between: kept aside."""

    def __str__(self) -> str:
        if not self.venv:
            return "this run has no folder; a separate plan undoes its changes"
        lines = [f"remove {counted(len(self.remove), 'file')} that rdna1-setup made in {self.venv}"]
        lines += [str(each) for each in self.set_aside if each.awaited]
        lines += [told for each in self.set_aside for told in each.told()]
        if self.in_the_way:
            lines.append(f"move {some(self.in_the_way)}, which you changed, to {self.venv}/{KEPT}")
        elif self.changed:
            lines.append(
                f"keep {counted(len(self.changed), 'file')} that you changed: {some(self.changed)}"
            )
        lines += [
            f"leave what you changed in place: {some(each.changed)}"
            for each in self.set_aside
            if each.changed
        ]
        if self.kept:
            lines.append(f"keep {counted(self.kept, 'file')} of your own ({self.kept_bytes} bytes)")
        lines += [f"remove {folder}" for folder in self.folders]
        return "\n".join(lines)


def find_folder_rollback(record: Record, tell: Tell = tell_nobody) -> FolderRollback:
    """What undoing a run would do now; raises Trouble where it cannot be undone now."""
    if not record.plan["venv"]:  # as a path it would be the folder that we were started in
        return FolderRollback("")
    venv = Path(record.plan["venv"])
    now = listing(venv, lambda done, total: tell(done, total, CHECKED))
    owned = Owned(Path(record.folder)).read()
    owned |= {p: now.files[p] for p in _as_written(record, venv) if p in owned and p in now.files}
    set_aside = find_set_aside(record, {p for p, seen in owned.items() if now.files.get(p) == seen})
    now = _without_own_folders(now, venv, set_aside, record)
    inside = [each for each in set_aside if Path(each.root) == venv]
    ours = _ours(record, owned, now, inside, existed=bool(set_aside))
    theirs = installed_since(record, set_aside, ours)
    there = {p: seen for p, seen in ours.items() if p in now.files and p not in theirs}
    remove = tuple(sorted(path for path, seen in there.items() if now.files[path] == seen))
    changed = tuple(sorted(set(there) - set(remove)))
    in_the_way = _in_the_way(inside, now, frozenset(remove), changed)
    in_the_way |= {path for each in inside for path in _rebuilt(each, ours)} - set(remove) - theirs
    kept = set(now.files) - set(there) - in_the_way
    return FolderRollback(
        venv=str(venv),
        remove=remove,
        seen={path: now.files[path] for path in remove},
        changed=changed,
        kept=len(kept),
        kept_bytes=sum(now.files[path][0] for path in kept),
        folders=tuple(folder for folder in own_folders(record) if Path(folder).is_dir()),
        emptied=tuple(_emptied_by_interrupted(record)),
        parents=noted_paths(record.intents, "made_folders"),
        folders_before=noted_paths(record.intents, "folders_before"),
        set_aside=tuple(
            _resolved(each, in_the_way) if each in inside else each for each in set_aside
        ),
        in_the_way=tuple(sorted(in_the_way)),
    )


def _ours(
    record: Record,
    owned: Mapping[str, Print],
    now: Listing,
    inside: list[SetAside],
    *,
    existed: bool,
) -> dict[str, Print]:
    """Files of ours below the venv, as we left them; those that are the first state are not.

    ``existed``: the environment was there before the run.
    """
    awaited = {path for each in inside for path in each.awaited}
    first = {path for each in inside for path in each.in_place}
    again = existed and (
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
    for step in map(operation_of, record.plan["steps"]):
        if isinstance(step, WriteFile) and has_text(Path(step.path), step.content):
            yield os.path.relpath(step.path, venv)


def _in_the_way(
    inside: list[SetAside], now: Listing, remove: frozenset[str], changed: Iterable[str]
) -> set[str]:
    """What lies where something comes back and was not written by us, or was changed since."""
    awaited = {path for each in inside for path in each.awaited}
    return (awaited & set(now.files) - remove) | set(changed) if inside else set()


def _rebuilt(back: SetAside, ours: Mapping[str, Print]) -> set[str]:
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


def _resolved(back: SetAside, in_the_way: set[str]) -> SetAside:
    """The same, after what is in the way was taken for what it is."""
    lost = {*back.lost, *(back.changed & in_the_way)}
    return replace(back, changed=back.changed - in_the_way, lost=tuple(sorted(lost)))


def _without_own_folders(
    found: Listing, venv: Path, set_aside: tuple[SetAside, ...], record: Record
) -> Listing:
    """The listing without backups and folders that go whole: no file of theirs is looked at."""
    backups = (each.backup for each in set_aside if Path(each.root) == venv)
    inside = tuple(f"{os.path.relpath(each, venv)}/" for each in (*backups, *own_folders(record)))
    files = {p: seen for p, seen in found.files.items() if not p.startswith(inside)}
    return Listing(files, found.folders)


def _left_by_interrupted(record: Record) -> dict[str, Print]:
    """Files of steps that were begun and never finished, told by what they would write."""
    return {p: seen for number in record.interrupted for p, seen in remains(record, number).items()}


def _emptied_by_interrupted(record: Record) -> Iterator[str]:
    """Folders that steps made which were begun and never finished."""
    for number in record.interrupted:
        if operation := operation_of(record.plan["steps"][number - 1]):
            yield from operation.emptied


def own_folders(record: Record) -> Iterator[str]:
    """Folders that are the run's alone, such as the downloads."""
    for operation in filter(None, map(operation_of, record.plan["steps"])):
        yield from operation.own_folders
