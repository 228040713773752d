"""Gives mutated requests to the helper's own code in a root, and counts what becomes of them.

Arguments: a seed, how many. Standard library alone. It runs inside the root as root; a second
process exchanges folders for links meanwhile.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assets import root_helper as helper
from tests.root.mutating import FILES, TRAP, mutated

BATCH = 40
"""Requests of one run: its journal and its way back are then of a usual size."""
EXCHANGE = 2
AT_CWD = -100
FOLDERS = (
    "/etc/profile.d",
    "/etc/apt/sources.list.d",
    "/etc/apt/preferences.d",
    "/etc/apt/keyrings",
    "/etc/ld.so.conf.d",
    "/etc/udev/rules.d",
)


def furnish() -> None:
    """Something in every place, so that there is what to write over and to move."""
    for path, _ in FILES:
        place = Path(path)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not os.path.lexists(path):
            place.write_text("# before\n")
    for tree in ("/opt/rocm-left/lib", "/opt/rocm-more/lib", "/opt/amdgpu/bin"):
        Path(tree).mkdir(parents=True, exist_ok=True)
        Path(tree, "x").write_text("x\n")
    core = ("dpkg", "-i", "/srv/archive/pool/stand-core_1.0_amd64.deb")
    subprocess.run(core, check=True, capture_output=True, timeout=60)


@contextlib.contextmanager
def exchanging() -> Iterator[None]:
    """A process that exchanges folders for links until this ends, and leaves them as they were."""
    swapper = os.fork()
    if swapper == 0:
        exchange_folders_for_links()
        os._exit(0)
    try:
        yield
    finally:
        os.kill(swapper, signal.SIGTERM)
        os.waitpid(swapper, 0)


def exchange_folders_for_links() -> None:
    """For ever: each folder is a link to a trap for a moment, in one atomic exchange."""
    libc = ctypes.CDLL(None, use_errno=True)
    chance = random.Random(7)  # noqa: S311 - moments, no secrets
    going = [True]
    signal.signal(signal.SIGTERM, lambda *_: going.clear())
    while going:
        folder = Path(chance.choice(FOLDERS))
        link = Path(f"{folder}.link")
        link.unlink(missing_ok=True)
        link.symlink_to(f"{TRAP}{folder}")
        for _ in range(2):
            libc.renameat2(AT_CWD, bytes(link), AT_CWD, bytes(folder), EXCHANGE)
            time.sleep(chance.uniform(0, 0.002))
        link.unlink()
        one = folder / "one.sh"
        with contextlib.suppress(OSError):
            one.symlink_to(f"{TRAP}/precious")
            time.sleep(0.0005)
            one.unlink()
        time.sleep(chance.uniform(0, 0.004))


def current(request: Any) -> Any:
    """With the hash that a file has now, where a request asks for it."""
    if not isinstance(request, dict) or request.get("before") != "current":
        return request
    path, before = request.get("path"), None
    if path in [known for known, _ in FILES]:
        with contextlib.suppress(OSError):  # its folder may just be exchanged
            before = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return {**request, "before": before}


class Counts:
    """What became of the requests of each verb."""

    def __init__(self) -> None:
        self.by_verb: dict[str, Counter[str]] = {}
        self.mistakes: list[str] = []

    def note(self, verb: str, what: str) -> None:
        """Count one."""
        self.by_verb.setdefault(verb, Counter())[what] += 1


def give(text: str, verb: str, step: Any, counts: Counts) -> None:
    """One request, from its JSON to its end."""
    counts.note(verb, "sent")
    try:
        raw = current(helper.strict_json(text.encode("utf-8", "surrogatepass")))
        name, checks = helper.shape_of(raw)
    except helper.Wrong:
        return
    counts.note(verb, "reached the checks")
    try:
        request = helper.check_arguments(name, checks, raw, step.person)
    except helper.Wrong:
        return
    counts.note(verb, "passed them")
    said: list[dict[str, Any]] = []
    step.run.tell = lambda event, **fields: said.append({**fields, "event": event})
    step.request = request
    helper.carry_out(step)
    counts.note(verb, said[-1]["event"])
    if "made a mistake" in said[-1].get("happened", ""):
        counts.mistakes.append(f"{said[-1]['happened']} after {text[:300]}")


def batch(chance: random.Random, number: int, size: int, counts: Counts) -> None:
    """Requests of one run; in the end its way back must at least be a script that runs."""
    furnish()
    person = helper.Person("owner", 1000, 1000, True)
    lock = helper.Lock()
    run = helper.open_run(f"mutated-{number}", person)
    run.write_undo(run.intents())
    run.output = None
    request = helper.Request("configure", {})
    with exchanging():
        for _ in range(size):
            verb, text = mutated(chance)
            give(text, verb, helper.Step(run, lock, person, 1, request), counts)
    for descriptor in (lock.descriptor, run.folder, run.backup, run.debs):
        os.close(descriptor)
    os.close(run._journal)
    os.close(run._events)
    script = ("sh", f"{run.path}/UNDO.sh")
    done = subprocess.run(script, capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1) or "syntax error" in done.stderr:
        counts.mistakes.append(f"UNDO.sh {done.returncode}: {done.stdout} {done.stderr}")
    counts.note("UNDO.sh", f"exit code {done.returncode}")


def main(seed: str, count: int) -> None:
    """All of them, and the counts as JSON."""
    os.umask(0o022)
    counts = Counts()
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    for number, begin in enumerate(range(0, count, BATCH)):
        batch(chance, number, min(BATCH, count - begin), counts)
        if number % 100 == 99:
            print(json.dumps(counts.by_verb), file=sys.stderr, flush=True)
    print(json.dumps({"counts": counts.by_verb, "mistakes": counts.mistakes}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
