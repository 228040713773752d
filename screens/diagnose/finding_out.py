"""How Diagnose comes to know: in threads of their own, so that keys answer all the while."""

from __future__ import annotations

import threading
from abc import abstractmethod
from dataclasses import dataclass, replace

from textual.message import Message

from screens.diagnose.explaining import Explaining
from screens.diagnose.state import Found, Shown, after_progress
from screens.diagnose.text import mended_text, unread_text
from screens.services import DetectedPart, Services
from screens.session import Session, from_diagnose
from screens.widgets.header_line import HeaderLine
from screens.widgets.status_line import wait_for
from wizard.diagnose.finding import Finding
from wizard.diagnose.looking import Progress
from wizard.diagnose.machine import Diagnosis
from wizard.machine.facts import Machine

READING = "Reading this machine ..."
LOOKING = "Looking at everything. Nothing is changed; keys answer meanwhile."


class FindingOut(Explaining):
    """Reads the machine where nobody has, and looks at everything."""

    @dataclass
    class PartRead(Message):
        """Detection answered one question."""

        part: DetectedPart
        run: int

    @dataclass
    class MachineRead(Message):
        """Detection is done."""

        machine: Machine
        run: int

    @dataclass
    class Looked(Message):
        """A look is waited for, or has ended."""

        progress: Progress
        run: int

    @dataclass
    class Concluded(Message):
        """All was looked at."""

        diagnosis: Diagnosis
        fixable: tuple[Finding, ...]
        run: int

    @dataclass
    class Unread(Message):
        """Reading the machine ended early."""

        error: Exception
        run: int

    def __init__(self, session: Session, services: Services) -> None:
        super().__init__(session, services)
        finished, mending = session.finished, session.mending
        whole = finished is not None and finished.ok and session.failure is None
        self._mended = mending if whole else None
        self._finished = finished
        self._run = 0
        self.here = session.diagnosed or Shown()
        """What is known of this machine by now."""
        self.session = replace(
            session, plan=None, choice=None, finished=None, failure=None, mending=None, before=None
        )

    @abstractmethod
    def show_here(self) -> None:
        """Shows what is known of this machine by now."""

    @property
    def was_mended(self) -> bool:
        """True when this comes after a fix."""
        return self._mended is not None

    def way_back(self) -> tuple[str, Session]:
        """The step that this was opened at, as it was left, with the machine as it is now."""
        return from_diagnose(self.session)

    def look(self, *, afresh: bool) -> None:
        """Looks at everything, after reading the machine (again)."""
        self._run += 1
        if afresh:
            self.session = replace(self.session, machine=None, parts=())
        self._take(Shown(running="what this machine is"))
        words = LOOKING if self.session.machine else READING
        wait_for(self, words, self.services.clock)
        # A daemon thread, not a pool worker: leaving the program must not wait for a stuck read.
        begin = (self._run, self.session.machine)
        threading.Thread(target=self._look, args=begin, daemon=True).start()

    def _look(self, run: int, machine: Machine | None) -> None:
        roads = self.services.diagnosing
        try:
            if machine is None:
                machine = self.services.detect(lambda part: self._tell(self.PartRead(part, run)))
                self.post_message(self.MachineRead(machine, run))
            found = roads.look(machine, lambda step: self._tell(self.Looked(step, run)))
            fixable = tuple(filter(roads.has_plan, found.findings))
        except Exception as error:  # a thread would swallow it: the handler decides
            self.post_message(self.Unread(error, run))
        else:
            self.post_message(self.Concluded(found, fixable, run))

    def _tell(self, message: Message) -> None:
        self.post_message(message)

    def on_finding_out_part_read(self, message: PartRead) -> None:
        """Says what was read last."""
        if message.run == self._run:
            self.session = replace(self.session, parts=(*self.session.parts, message.part))
            self._take(replace(self.here, running=f"what this machine is: {message.part.title}"))

    def on_finding_out_machine_read(self, message: MachineRead) -> None:
        """Keeps the machine."""
        if message.run == self._run:
            self.session = replace(self.session, machine=message.machine)
            self.query_one(HeaderLine).show_machine(message.machine)

    def on_finding_out_looked(self, message: Looked) -> None:
        """Shows what is looked at, and what it found."""
        if message.run == self._run:
            self._take(after_progress(self.here, message.progress))

    def on_finding_out_concluded(self, message: Concluded) -> None:
        """Shows what it comes to, and what became of a fix."""
        if message.run == self._run:
            mended = self._mended_text(message.diagnosis)
            there = Shown(result=message.diagnosis, fixable=message.fixable, mended=mended)
            self._take(replace(there, at=self._place_of_mended(there)))

    def _place_of_mended(self, there: Shown) -> int:
        """The row of the finding that was mended, where it is still there."""
        cause = "" if self._mended is None else self._mended.cause
        rows = enumerate(there.rows)
        return next((n for n, r in rows if isinstance(r, Found) and r.finding.cause == cause), 0)

    def _take(self, there: Shown) -> None:
        self.here = replace(there, unfolded=self.here.unfolded)
        self.show_here()

    def _mended_text(self, now: Diagnosis) -> str:
        finding, finished = self._mended, self._finished
        if finding is None or finished is None:
            return ""
        return mended_text(finding, now.findings, finished, self.services.mode)

    def on_finding_out_unread(self, message: Unread) -> None:
        """Says why nothing is known; anything but a system error is a bug and ends the program."""
        if not isinstance(message.error, (OSError, ValueError)):
            raise message.error
        if message.run == self._run:
            self._take(Shown(trouble=unread_text(message.error)))
