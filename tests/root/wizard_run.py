"""A run as the wizard records it and takes it back: its journal, and the real ``rollback``."""

from __future__ import annotations

from pathlib import Path

from tests.e2e.system.roots import Root
from tests.root.conversation import Conversation, Event
from wizard.core.journal import ROLLED_BACK, Kind, Record
from wizard.operations.groups import AddToGroups, TakeFromGroups
from wizard.operations.packages import AptChange, FinishInterrupted, KeepDebs, MarkPackages
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.removal import system_plan
from wizard.plan.steps import Step
from wizard.run.journal import Journal
from wizard.run.runs import read_record

RUNS = "/root/.local/state/rdna1-setup/runs"


class WizardRun:
    """One run of root's steps by the wizard, whose user is root itself."""

    def __init__(self, root: Root, name: str, requests: tuple[Event, ...]) -> None:
        self._root = root
        self._name = name
        folder = self.folder_of_all(root) / name
        folder.parent.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(folder)
        self._journal.begin(system_plan(Kind.REMOVE, tuple(map(step_of, requests)), ()), "now")

    @staticmethod
    def folder_of_all(root: Root) -> Path:
        """Where all of them lie."""
        return root.path("/root") / RUNS.removeprefix("/root/")

    def __str__(self) -> str:
        return self._name

    def record(self) -> Record:
        """As its journal tells it."""
        found = read_record(self._journal.folder)
        assert found is not None
        return found

    @property
    def is_taken_back(self) -> bool:
        """True once there is nothing left for it to do."""
        return self.record().state == ROLLED_BACK

    def carry_out(self, conversation: Conversation) -> None:
        """What is not done yet, up to the first failure."""
        record = self.record()
        for number in range(1, len(record.plan["steps"]) + 1):
            if number in record.outcomes:
                continue
            self._journal.intend(number, {})
            event = conversation.do(number)
            assert "has a bug" not in event.get("happened", ""), event
            if event["event"] != "done":
                return
            self._journal.finish(number, event["outcome"])

    def roll_back(self) -> tuple[int, list[str], str]:
        """The command; how it ended, the lines that name what stays, and all that it said."""
        ended = self._root.wizard("rollback", self._name, "--yes", user="root")
        assert "has a bug" not in ended.stdout
        words = (
            "leave unchanged: ",
            "exists again",
            "has been changed since",
            "Other packages need",
        )
        lines = (ended.stdout + ended.stderr).splitlines()
        stays = [line for line in lines if any(word in line for word in words)]
        return ended.returncode, stays, ended.stdout + ended.stderr


def step_of(request: Event) -> Step:
    """The wizard's step that sends such a request."""
    step: Step
    match request["verb"]:
        case "write_file":
            form = (request["path"], request["content"], request["before"], request["mode"])
            step = WriteSystemFile("", *form)
        case "set_aside":
            step = SetSystemPathAside("", request["path"])
        case "join_groups":
            step = AddToGroups("", request["user"], tuple(request["groups"]))
        case "leave_groups":
            step = TakeFromGroups("", request["user"], tuple(request["groups"]))
        case "mark":
            step = MarkPackages("", tuple(request["auto"]), tuple(request["manual"]))
        case "keep_debs":
            step = KeepDebs("", _pairs(request["packages"]))
        case "apt_change":
            step = AptChange(
                "",
                install=_pairs(request["install"]),
                remove=tuple(request["remove"]),
                purge=request["purge"],
                expect_install=_pairs(request["expect"]["install"]),
                expect_remove=tuple(request["expect"]["remove"]),
            )
        case "configure":
            step = FinishInterrupted("")
        case verb:
            raise ValueError(f"{verb} is not made into a step here yet")
    assert step.request() == request
    return step


def _pairs(packages: list[list[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((name, version) for name, version in packages)
