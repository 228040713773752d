"""What becomes of a road that was cut off: gone on with, taken back, or undone by UNDO.sh alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tests.e2e.system.bases import OWNER
from tests.e2e.system.killed_road import ROLLBACK, Road
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import Difference, Seen, Snapshot, differences, take, told
from tests.e2e.system.test_road import at_a_terminal, justified
from tests.e2e.system.walking import walk
from tests.root.conversation import RUNS, undo

CLOCKED = ("rocm", "rocm-smi", "rocm_agent_enumerator", "rocminfo", "amdclang")


def gone_on_with(road: Road, root: Root) -> str:
    """What the same command leaves different from the undisturbed road; empty for nothing."""
    if has_ended(road, root):  # those that were not killed have done it all: a new run would begin
        return _left(_unclocked(road.after), _unclocked(take(root.folder)))
    with road.walk(root, held=False) as walked:
        code = walked.to_the_end()
        said = walked.terminal.text()
    left = _left(_unclocked(road.after), _unclocked(take(root.folder)))
    return left if code == 0 else f"exit code {code}: {said[-1500:]}\n{left}"


def has_ended(road: Road, root: Root) -> bool:
    """True when a journal of the wizard's says that the road was walked to its end."""
    journals = root.folder.glob(f"home/{OWNER}/.local/state/rdna1-setup/runs/*/journal.jsonl")
    return any(f'"state": "{road.last}"' in path.read_text() for path in journals)


def taken_back(road: Road, root: Root) -> str:
    """What ``rollback`` leaves different from the beginning; empty for nothing."""
    with walk(root, at_a_terminal(root, *ROLLBACK), held=False) as walked:
        code = walked.to_the_end()
        said = walked.terminal.text()
    left = _left(road.before, take(root.folder))
    good = code == 0 or "There is no run to undo" in said
    return left if good else f"exit code {code}: {said[-1500:]}\n{left}"


def undone_alone(road: Road, root: Root) -> str:
    """What ``UNDO.sh`` leaves different from the beginning, but for homes; empty for nothing."""
    said, runs = "", root.path(RUNS)
    # The first run's own; a way back is a run too, whose UNDO.sh would lead to the road's end.
    for run in sorted(runs.iterdir())[:1] if runs.exists() else ():
        if (run / "UNDO.sh").exists():
            done = undo(root, run.name)
            if done.returncode:
                said += f"exit code {done.returncode}: {done.stdout}{done.stderr}"
    return said + _left(_system(road.before), _system(take(root.folder)), road.whole)


ENDS: dict[str, Callable[[Road, Root], str]] = {
    "gone on with": gone_on_with,
    "taken back": taken_back,
    "UNDO.sh alone": undone_alone,
}


def _left(before: Snapshot, after: Snapshot, whole: str = "") -> str:
    found = differences(_resolved(before), _resolved(after))
    left = tuple(each for each in found if not justified(each) and not _came(each, whole))
    return told(left) if left else ""


def _came(found: Difference, whole: str) -> bool:
    return bool(whole) and found.before is None and found.name.startswith(whole)


def _resolved(seen: Snapshot) -> Snapshot:
    """Without the content of bytecode, which holds the time of its source, and folders on lists.

    Of folders that had been deleted dpkg keeps on the lists of packages that stay installed only
    those that no other package has made again.
    """
    return {name: _resolved_one(name, one) for name, one in seen.items()}


def _resolved_one(name: str, one: Seen) -> Seen:
    if "/__pycache__/" in name:
        return replace(one, content="")
    if name.endswith(".list") and one.text:
        paths = one.text.splitlines()
        folders = {path.rpartition("/")[0] for path in paths}
        return replace(one, content="\n".join(path for path in paths if path not in folders))
    return one


def _unclocked(seen: Snapshot) -> Snapshot:
    """Without the priorities that AMD's postinst makes out of the time of its run."""
    places = tuple(f"/var/lib/dpkg/alternatives/{name}" for name in CLOCKED)
    return {n: replace(s, content="", text="") if n in places else s for n, s in seen.items()}


def _system(seen: Snapshot) -> Snapshot:
    return {name: one for name, one in seen.items() if not name.startswith("/home/")}
