"""Holds the wizard and root's helper at each record of their journals until a test lets them on.

A module in the root wraps ``os.fsync``, by which every record reaches the disk: both stand still
right behind it, whoever runs faster.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

from tests.e2e.system.bases import PREFIX
from tests.e2e.system.roots import Root

FOLDER = "/srv/turnstile"
MODULE = f"""
import os, time

reach_the_disk = os.fsync

def fsync(descriptor):
    reach_the_disk(descriptor)
    path = os.readlink(f"/proc/self/fd/{{descriptor}}")
    if path.endswith("/journal.jsonl") and os.path.exists("{FOLDER}/let"):
        wait(note(path))

def note(path):
    with open(path, "rb") as file:
        last = file.read().splitlines()[-1].decode()
    with open("{FOLDER}/at", "a+") as file:
        file.write(("helper " if os.geteuid() == 0 else "wizard ") + last + "\\n")
        file.flush()
        file.seek(0)
        return len(file.readlines())

def wait(number):
    while number > let():
        time.sleep(0.002)

def let():
    try:
        with open("{FOLDER}/let") as file:
            return int(file.read() or 0)
    except FileNotFoundError:
        return 1 << 30

os.fsync = fsync
"""
UNPACKED, HALF_REMOVED = "unpacked and not configured", "half removed"
Who = Literal["wizard", "helper"]


@dataclass(frozen=True, slots=True)
class Record:
    """A line of a journal, as far as it tells where a run stands."""

    who: Who
    event: str
    """Such as ``intent``; for how a run stands, that."""
    step: int
    """Number in the journal's own plan; 0 where it is about no step."""
    amid: str = ""
    """What packages are in the middle of a transaction, for its intent."""

    def __str__(self) -> str:
        return f"{self.who}: {self.event}" + (f" of step {self.step}" if self.step else "")


def put_turnstile(root: Root) -> None:
    """From now on both are counted; they are held once ``hold`` was called."""
    venv = f"{PREFIX}/lib/python{root.suite.python}/site-packages"
    for place in ("/usr/lib/python3/dist-packages", venv):
        root.write(f"{place}/turnstile.py", MODULE)
        root.write(f"{place}/turnstile.pth", "import turnstile\n")
    # Compiled now: what Python would leave beside it later is no difference of the road's.
    root.run("/usr/bin/python3", "-c", "import turnstile")


def hold(root: Root) -> None:
    """Begin to count anew; the first record holds its writer."""
    free(root)
    root.write(f"{FOLDER}/at", "", 0o666)
    root.write(f"{FOLDER}/let", "0")


def free(root: Root) -> None:
    """Hold nobody any more."""
    root.path(f"{FOLDER}/let").unlink(missing_ok=True)


def let(root: Root, number: int) -> None:
    """Let everybody go on that stands at this record or an earlier one."""
    root.write(f"{FOLDER}/let.next", str(number))
    root.path(f"{FOLDER}/let.next").rename(root.path(f"{FOLDER}/let"))


def reached(root: Root) -> tuple[Record, ...]:
    """The records since ``hold``, in the order in which they reached the disk."""
    lines = root.path(f"{FOLDER}/at").read_text().split("\n")[:-1]
    return tuple(map(_record, lines))


def _record(line: str) -> Record:
    who, _, text = line.partition(" ")
    fields = json.loads(text)
    whose: Who = "helper" if who == "helper" else "wizard"
    amid = ""
    if fields.get("verb") == "apt_change":
        brings = any(call[:2] == ["take_ours", "purge"] for call in fields["undo"])
        amid = UNPACKED if brings else HALF_REMOVED
    event = str(fields.get("state", fields["event"]))
    return Record(whose, event, fields.get("step", 0), amid)
