"""Gives mutated requests to the helper in a root, and counts what becomes of them.

Arguments: a seed, how many, the helper's folder. Standard library alone. It runs inside the root as
root. Every request goes through the helper's own reading of a first line (``read_plan``), called
here. Those that it takes are carried out by the real program, a batch of them as one plan of one
process, with its question answered on a terminal; of those that it refuses, some of each batch are
sent to the real program too, which must refuse them. Its input ends with a mutated command.
Meanwhile another process exchanges folders for links.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from assets.root.files import RUNS
from assets.root.requests import Person, read_plan, shape_of, strict_json
from assets.root.trouble import Wrong
from tests.root.exchanging import exchanging
from tests.root.mutating import COMMANDS, FILES, TRAP, mutated
from tests.root.typed_session import Session

BATCH = 400
REFUSED_BY_PROGRAM = 2
"""How many refused requests of a batch are sent to the real program too."""
RUNS_KEPT = 3
OWNER = Person("owner", 1000, 1000, True)
READ_AS_A_LOGIN = 'for file in /etc/profile.d/*.sh; do [ -r "$file" ] && . "$file"; done; :'


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


def hashes() -> dict[str, str]:
    """What the files of the plans hold now."""
    found = {}
    for path, _ in FILES:
        with contextlib.suppress(OSError):
            found[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return found


class Counts:
    """What became of the requests of each verb."""

    def __init__(self) -> None:
        self.by_verb: dict[str, Counter[str]] = {}
        self.seconds: Counter[str] = Counter()
        self.mistakes: list[str] = []

    def note(self, verb: str, what: str) -> None:
        """Count one."""
        self.by_verb.setdefault(verb, Counter())[what] += 1


def with_hash(text: str, now: dict[str, str]) -> str:
    """A request with the hash that its file will have, where it asks for it."""
    if '"before": "current"' not in text:
        return text
    with contextlib.suppress(ValueError, RecursionError, LookupError, TypeError):
        path = json.loads(text)["path"]
        if isinstance(path, str) and path in now:
            return text.replace('"before": "current"', f'"before": "{now[path]}"')
    return text.replace('"before": "current"', '"before": null')


def follow(request: Any, now: dict[str, str]) -> None:
    """What the files will hold once this is done, should it work."""
    path = request.arguments.get("path", "")
    if request.verb == "write_file":
        now[path] = hashlib.sha256(request.arguments["content"].encode()).hexdigest()
    elif request.verb in ("set_aside", "put_back"):
        now.pop(path, None)


def first_line(run: str, steps: list[str]) -> bytes:
    """A plan of requests as they are."""
    text = f'{{"schema": 1, "run": "{run}", "yes": true, "steps": [{", ".join(steps)}]}}'
    return text.encode("utf-8", "surrogatepass")


def is_taken(verb: str, text: str, counts: Counts) -> Any:
    """The request, checked as the first line of the program is; None when it is refused."""
    counts.note(verb, "sent")
    with contextlib.suppress(Wrong):
        shape_of(strict_json(text.encode("utf-8", "surrogatepass")))
        counts.note(verb, "reached the checks")
    try:
        plan = read_plan(first_line("one", [text]), OWNER)
    except Wrong:
        counts.note(verb, "refused")
        return None
    counts.note(verb, "accepted")
    if len(plan.steps) != 1:
        counts.mistakes.append(f"one request became {len(plan.steps)}: {text[:300]}")
    return plan.steps[0]


def batch(chance: random.Random, number: int, size: int, argv: tuple[str, ...], to: Counts) -> None:
    """Requests of one run, and its way back."""
    furnish()
    now, taken, refused = hashes(), [], []
    for _ in range(size):
        verb, text = mutated(chance)
        text = with_hash(text, now)
        request = is_taken(verb, text, to)
        if request is None:
            refused.append(text)
        else:
            taken.append((verb, text))
            follow(request, now)
    began = time.monotonic()
    with exchanging():
        for text in chance.sample(refused, min(REFUSED_BY_PROGRAM, len(refused))):
            refuse(text, argv, to)
        if taken:
            carry_out(f"mutated-{number}", taken, chance.choice(COMMANDS), argv, to)
    to.seconds["sessions"] += int(1000 * (time.monotonic() - began))
    read_as_a_login(to)
    began = time.monotonic()
    take_back(f"mutated-{number}", to)
    to.seconds["UNDO.sh"] += int(1000 * (time.monotonic() - began))
    shutil.rmtree(Path(RUNS, f"mutated-{number - RUNS_KEPT}"), ignore_errors=True)


def refuse(text: str, argv: tuple[str, ...], counts: Counts) -> None:
    """The real program says one thing, and ends."""
    line = first_line("refused", [text])
    if b"\n" in line:  # which would be two lines
        return
    session = Session(argv, line, OWNER.uid)
    counts.note("refused plans", session.first["event"])
    if (session.first["event"], session.end()) != ("refused", 2):
        counts.mistakes.append(f"{session.first} for {text[:300]}")


def carry_out(
    run: str, taken: list[tuple[str, str]], command: str, argv: tuple[str, ...], counts: Counts
) -> None:
    """All of a plan, then a command that is none."""
    session = Session(argv, first_line(run, [text for _, text in taken]), OWNER.uid)
    counts.note("plans", session.first["event"])
    if session.first["event"] != "ready" or not session.is_plain():
        counts.mistakes.append(f"{session.first}, shown {session.shown[-500:]!r}")
    for step, (verb, text) in enumerate(taken, 1):
        began = time.monotonic()
        *_, last = session.events(step)
        counts.seconds[verb] += int(1000 * (time.monotonic() - began))
        counts.note(verb, last["event"])
        if last["event"] == "gone" or "has a bug" in last.get("happened", ""):
            counts.mistakes.append(f"{last} after {text[:300]}")
    session.say(command.encode("utf-8", "surrogatepass"))
    answer = session.hear()
    counts.note("bad commands", answer["event"])
    if answer["event"] != "failed" or answer["step"] != 0 or session.end() != 0:
        counts.mistakes.append(f"{answer} for the command {command[:100]}")


def read_as_a_login(counts: Counts) -> None:
    """What lies in profile.d sets variables, and runs nothing in any shell."""
    for shell in ("sh", "bash"):
        subprocess.run((shell, "-c", READ_AS_A_LOGIN), capture_output=True, timeout=60, check=False)
    if Path(f"{TRAP}/pwned").exists():
        found = {path: Path(path).read_text() for path, _ in FILES if "profile" in path}
        counts.mistakes.append(f"a shell ran something of {found}")
        Path(f"{TRAP}/pwned").unlink()


def take_back(run: str, counts: Counts) -> None:
    """The way back must be a script that runs to its end."""
    script = Path(RUNS, run, "UNDO.sh")
    if not script.exists():
        return
    done = subprocess.run(("/bin/sh", str(script)), capture_output=True, text=True, timeout=300)
    if done.returncode not in (0, 1, 3) or "syntax error" in done.stderr:
        counts.mistakes.append(f"UNDO.sh {done.returncode}: {done.stdout} {done.stderr}")
    counts.note("UNDO.sh", f"exit code {done.returncode}")
    for line in done.stdout.splitlines():
        if line.startswith("NOT UNDONE"):
            counts.note("not undone", line.removeprefix("NOT UNDONE: "))


def main(seed: str, count: int, program: str) -> None:
    """All of them, and the counts as JSON."""
    os.umask(0o022)
    counts = Counts()
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    argv = ("/usr/bin/python3", "-I", "-B", program)
    for number, begin in enumerate(range(0, count, BATCH)):
        batch(chance, number, min(BATCH, count - begin), argv, counts)
        if number % 20 == 19:
            told = {"batch": number, "s": round(time.process_time()), "mistakes": counts.mistakes}
            Path("/srv/mutations/progress").write_text(json.dumps({**told, **counts.by_verb}))
    told = {"counts": counts.by_verb, "mistakes": counts.mistakes, "milliseconds": counts.seconds}
    print(json.dumps(told))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
