"""The step that is being carried out, and all that it may use."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import subprocess
import time
from typing import Any, Sequence

from assets.root.files import copy_plain, keep_whole, place_at, real_place
from assets.root.journal import Run
from assets.root.processes import ENVIRONMENT, LONGEST_EVENT, Ended, Growing, Lock, begun_at
from assets.root.requests import Person, Request
from assets.root.trouble import Trouble
from assets.root.undo import Call


class Step:
    """The step that is being carried out, and all that it may use."""

    def __init__(
        self,
        run: Run,
        lock: Lock,
        person: Person,
        number: int,
        request: Request,
        later: Sequence[Request],
    ) -> None:
        self.run = run
        self.lock = lock
        self.person = person
        self.number = number
        self.request = request
        self.later = later
        self._spots = 0
        self._shown: dict[str, Any] = {}

    def intend(self, noted: dict[str, Any], undo: Sequence[Call]) -> None:
        """Journal what is about to change and how it goes back; only then may it be changed."""
        calls = [list(call) for call in undo]
        intent = {"step": self.number, "request": self.request.digest, "verb": self.request.verb}
        intent.update(noted=noted, undo=calls, path=self.request.arguments.get("path", ""))
        self.run.note("intent", **intent)
        self.run.write_undo(self.run.intents())

    def spot(self, name: str) -> str:
        """A name in the backup that nothing has had yet."""
        self._spots += 1
        return f"{self.run.records()}-{self._spots}-{name}"

    def keep(self, path: str, linked: bool = False) -> str:
        """Keep a file or link of the system in the backup, and give where; with ``linked`` by a
        second name where that can be, so that nothing of it is lost."""
        with place_at(real_place(path)) as (folder, name):
            spot = self.spot(name[:40])
            (keep_whole if linked else copy_plain)(folder, name, self.run.backup, spot)
        return self.run.in_backup(spot)

    def output(self, lines: Sequence[str]) -> None:
        """Show lines of a program, in pieces that any reader can hold."""
        piece: list[str] = []
        size = 0
        for line in lines:
            if piece and size + len(line) > LONGEST_EVENT // 6:  # a character may take six as JSON
                self.run.tell("output", step=self.number, lines=piece)
                piece, size = [], 0
            piece.append(line)
            size += len(line) + 4
        if piece:
            self.run.tell("output", step=self.number, lines=piece)

    def progress(self, done: int, total: int, unit: str, what: str, phase: str) -> None:
        """Show how far it is, unless nothing has moved since."""
        fields = {"done": done, "total": total, "unit": unit, "what": what, "phase": phase}
        if fields != self._shown:
            self._shown = fields
            self.run.tell("progress", step=self.number, **fields)

    def follow(self, argv: Sequence[str], deadline_s: float, apt: bool = False) -> Ended:
        """Run a program that takes its time; past its deadline it is left to itself.

        It writes to files and not to pipes: should we be killed, it goes on to its end. apt-get
        holds our lock for as long; what apt starts does not, for apt closes it before.
        """
        log = self.run.log_of(self.number)
        states = os.memfd_create("states")
        kept: tuple[int, ...] = ()
        if apt:
            kept = (states, self.lock.descriptor)
            argv = (argv[0], "-o", f"APT::Status-Fd={states}", *argv[1:])
        self.output(["$ " + " ".join(shlex.quote(word) for word in argv)])
        growing = Growing(log), Growing(states)  # before it begins: else its first words are lost
        process = subprocess.Popen(
            tuple(argv),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=ENVIRONMENT,
            cwd="/",
            start_new_session=True,
            pass_fds=kept,
        )
        try:
            return self._watch(process, argv[0], *growing, deadline_s)
        finally:
            self.lock.hold(os.getpid())
            os.close(log)
            os.close(states)

    def _watch(
        self,
        process: Any,
        name: str,
        log: Growing,
        states: Growing,
        deadline_s: float,
    ) -> Ended:
        self.lock.hold(os.getpid(), process.pid)
        self.run.tell(
            "program", step=self.number, name=name, pid=process.pid, begun=begun_at(process.pid)
        )
        last: list[str] = []
        limit = time.monotonic() + deadline_s
        code = None
        while code is None or log.is_behind():
            if code is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    code = process.wait(0.1)
                    log.stop_here()  # something that it left behind may go on writing
            lines = log.lines(final=code is not None)
            last = [*last, *lines][-400:]
            self.output(lines)
            self._progress_of(states.lines(final=False))
            if code is None and time.monotonic() > limit:
                raise Trouble(
                    f"{name} is still running after {deadline_s / 60:.0f} minutes.",
                    "The process was left running, because ending it could leave packages half "
                    "installed.",
                    f"Check process {process.pid} with `ps`. When it has ended, run the step "
                    "again.",
                )
        return Ended(code, "\n".join(last))

    def _progress_of(self, states: Sequence[str]) -> None:
        for line in states:
            fields = line.split(":", 3)
            phase = {"dlstatus": "fetch", "pmstatus": "change"}.get(fields[0])
            if phase and len(fields) == 4 and re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]+)?", fields[2]):
                percent = min(100, int(float(fields[2])))
                self.progress(percent, 100, "percent", fields[3].strip()[:200], phase)
