"""The owner of a root who wants ROCm 5.2 in it: what is met on the way, and how it goes on."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from tests.e2e.system.asking import packages
from tests.e2e.system.bases import OWNER, PASSWORD, PREFIX
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import Difference, Snapshot, differences, take, told
from tests.e2e.system.states import SOURCE_57, State
from tests.e2e.system.test_road import PYTHONS
from tests.e2e.terminal import Terminal

HOME = f"/home/{OWNER}"
OWN = (f"{HOME}/.cache", f"{HOME}/.local")
"""The wizard's own: downloads, journals, logs."""
ENV = {"PATH": f"{PYTHONS}/bin:/usr/local/bin:/usr/bin:/bin", "TERM": "xterm"}
PATIENCE_S = 120
QUESTION = "change nothing: "
ROOT_IS_DONE = f"--allow-existing {HOME}/ai/rocm52"
"""The first step after those of root's."""


@dataclass(frozen=True, slots=True)
class Owner:
    """A root, the words that every ``apply`` needs, and how all was before the first."""

    root: Root
    words: tuple[str, ...]
    before: Snapshot
    env: Mapping[str, str] = field(default_factory=lambda: ENV)

    def start(self, *more: str) -> Terminal:
        """``apply`` at a terminal of its own."""
        program = (f"{PREFIX}/bin/rdna1-setup", "apply", *self.words, "--yes", *more)
        command = self.root.command(*program, user=OWNER, env=self.env)
        return Terminal(command, os.environ)

    def refusal(self, *more: str) -> str:
        """What ``apply`` says where it refuses to begin, as one line."""
        done = self.root.wizard("apply", *self.words, "--yes", *more, env=self.env)
        assert done.returncode == 2, done.stdout + done.stderr
        assert "Traceback" not in done.stderr, done.stderr
        return one_line(done.stderr)

    def failure(self, *more: str) -> str:
        """What ``apply`` says of a step that fails after root was asked for, as one line."""
        with self.start(*more) as terminal:
            agree(terminal)
            return end_of(terminal)

    def goes_through(self, *more: str) -> None:
        """The same command again, now to the end of root's part."""
        with self.start(*more) as terminal:
            agree(terminal)
            terminal.wait_for(ROOT_IS_DONE, PATIENCE_S)
        row = packages(self.root)["rocm-core"]
        assert row.version.startswith("5.2.0.50200")
        assert row.status == "ii"

    def reaches_roots_question(self, *more: str) -> None:
        """The same command again: nothing is refused any more. It leaves no run behind."""
        with self.start(*more) as terminal:
            terminal.wait_for("password for", PATIENCE_S)
        for path in OWN:
            shutil.rmtree(self.root.path(path), ignore_errors=True)

    def interrupts(self, terminal: Terminal) -> None:
        """Ctrl-C: every program in the foreground is told. What leads into the root is none."""
        for one in self.root.running():
            with suppress(ProcessLookupError):
                if os.getpgid(one.pid) == terminal.pid:
                    os.kill(one.pid, signal.SIGINT)

    def changes(self) -> tuple[Difference, ...]:
        """What is not as before, but for what the wizard keeps for itself."""
        found = differences(self.before, take(self.root.folder))
        return tuple(each for each in found if not each.name.startswith(OWN))

    def lost_nothing(self, *but: str) -> None:
        """Something may have come; nothing has gone or changed, but for what is named."""
        changes = (each for each in self.changes() if each.name not in but)
        lost = tuple(each for each in changes if each.before is not None)
        assert not lost, told(lost)

    def is_as_before(self) -> None:
        """Nothing outside of the wizard's own folders came, went or changed."""
        assert not self.changes(), told(self.changes())


def agree(terminal: Terminal) -> None:
    """Answer what is asked: the password, and root's question."""
    terminal.wait_for("password for", PATIENCE_S)
    terminal.send(f"{PASSWORD}\n")
    terminal.wait_for(QUESTION)
    terminal.send("yes\n")


def end_of(terminal: Terminal, code: int = 1) -> str:
    """What was drawn since the last key, as one line, when the program has ended."""
    found = terminal.exit_code(PATIENCE_S)
    assert found == code, (found, terminal.text())
    return one_line(terminal.text())


def one_line(text: str) -> str:
    """The words, however they were wrapped."""
    return " ".join(text.split())


OwnerIn = Callable[[State], Owner]
"""Finds an owner in a root in that state."""
ROCM_57 = ("rocm-core", "hsa-rocr", "hip-runtime-amd")


def with_57(owner_in: OwnerIn) -> Owner:
    """Somebody who has some of 5.7.1, which is to go for 5.2."""
    owner = owner_in(SOURCE_57)
    owner.root.apt("install", "--no-install-recommends", *ROCM_57)
    return replace(owner, before=take(owner.root.folder))
