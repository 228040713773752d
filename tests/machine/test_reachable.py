"""Nothing below a silent file system is touched, whichever way leads there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.fact import Unknown
from wizard.core.json_form import to_json
from wizard.host.deadline import ReachableHost
from wizard.host.host import Host, SilentFileSystem
from wizard.host.live import LiveHost
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost

NAS = "/home/owner/nas"
SILENT = (SilentFileSystem(NAS, "nfs4"),)
WHY = Unknown(f"{NAS} does not respond")
LINKS = {
    "/home/owner/short": "nas/deep",
    "/home/owner/up": "../owner/nas",
    "/data": "/home/owner/short",
    "/home/owner/venv": "/data/venv",
    "/home/owner/loop": "loop",
    "/home/owner/fine": "/etc",
}
FILES = {
    f"{NAS}/deep/venv/pyvenv.cfg": "version = 3.10\n",
    "/home/owner/nasty": "near",
    "/home/owner/project/x": "",
    "/etc/passwd": "root",
}
WAYS = (
    NAS,
    f"{NAS}/",
    f"{NAS}/deep/venv/pyvenv.cfg",
    "/home/owner/./nas/x",
    "/home/owner/project/../nas/x",
    "/home/owner/short/venv",
    "/home/owner/up/x",
    "/data",
    "/data/venv/pyvenv.cfg",
    "/home/owner/venv",
    "/home/owner/venv/bin/python",
)

Question = Callable[[Host, str], object]
FACTS: dict[str, Question] = {
    "read": lambda host, path: host.read(path),
    "head": lambda host, path: host.head(path, 4),
    "size": lambda host, path: host.size(path),
    "inode": lambda host, path: host.inode(path),
    "names": lambda host, path: host.names(path),
    "folders": lambda host, path: host.folders(path),
    "group_of": lambda host, path: host.group_of(path),
    "disk": lambda host, path: host.disk(path),
}
CLAIMS: dict[str, Question] = {
    "is_file": lambda host, path: host.is_file(path),
    "is_folder": lambda host, path: host.is_folder(path),
    "exists": lambda host, path: host.exists(path),
    "usable": lambda host, path: host.usable(path),
}


class Tripwire(RecordedHost):
    """Fails the test when anything below the silent file system is touched."""

    def _target(self, path: str) -> str | None:
        assert f"{path}/" != f"{NAS}/", f"{path} was touched"
        assert not path.startswith(f"{NAS}/"), f"{path} was touched"
        return super()._target(path)


@pytest.fixture
def reachable(tmp_path: Path) -> ReachableHost:
    """A host that must not touch its silent file system."""
    make(tmp_path, FILES, links=LINKS, access=list(WAYS))
    return ReachableHost(Tripwire(tmp_path), SILENT)


def test_every_question_below_it_gives_its_reason(reachable: ReachableHost) -> None:
    answers = {(name, way): ask(reachable, way) for name, ask in FACTS.items() for way in WAYS}
    assert {asked: answer for asked, answer in answers.items() if answer != WHY} == {}


def test_nothing_below_it_is_claimed(reachable: ReachableHost) -> None:
    claimed = [(name, way) for name, ask in CLAIMS.items() for way in WAYS if ask(reachable, way)]
    assert claimed == []


def test_a_link_into_it_can_be_read_and_is_not_followed(reachable: ReachableHost) -> None:
    assert reachable.link("/home/owner/venv") == "/data/venv"
    assert reachable.resolve("/home/owner/venv") == "/home/owner/venv"
    assert reachable.link("/data/venv") == WHY


def test_everything_else_is_answered_as_ever(reachable: ReachableHost) -> None:
    assert reachable.read("/home/owner/nasty") == "near"
    assert reachable.read("/home/owner/fine/passwd") == "root"
    assert reachable.resolve("/home/owner/fine") == "/etc"
    assert reachable.is_folder("/home/owner/project")
    assert isinstance(reachable.read("/home/owner/loop"), Unknown)
    assert reachable.read("/nowhere/x") == Unknown("there is no /nowhere/x")


def test_the_folder_above_lists_it_but_does_not_count_it_as_a_folder(tmp_path: Path) -> None:
    class Strict(RecordedHost):
        def folders(self, folder: str) -> tuple[str, ...]:
            raise AssertionError(f"{folder}: some file systems look at each entry for this")

    make(tmp_path, FILES, links=LINKS)
    reachable = ReachableHost(Strict(tmp_path), SILENT)

    assert reachable.names("/home/owner") == (
        "fine", "loop", "nas", "nasty", "project", "short", "up", "venv",
    )  # fmt: skip
    assert reachable.folders("/home/owner") == ("project",)


def test_a_silent_home_costs_what_lies_in_it_and_nothing_else(tmp_path: Path) -> None:
    record = {"/etc/os-release": "ID=debian\n", "/proc/sys/kernel/osrelease": "6.1\n"}
    host = make(tmp_path, record, silent={"/home": "nfs4"}, environ={"PATH": "/home/owner/bin"})

    machine = detect(host)

    assert machine.silent == (SilentFileSystem("/home", "nfs4"),)
    assert machine.system.distribution == "debian"
    assert "/home does not respond" in json.dumps(to_json(machine))


def test_a_machine_without_silent_file_systems_pays_nothing(tmp_path: Path) -> None:
    asked: list[Host] = []

    class Watching(RecordedHost):
        def glibc(self) -> str:
            asked.append(self)
            return "2.39"

        def link(self, path: str) -> Unknown:
            assert path not in ("/etc", "/home"), "paths are walked only when needed"
            return Unknown("no link")

    make(tmp_path, FILES)
    detect(Watching(tmp_path))

    assert asked


def test_a_silent_folder_of_this_machine_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / "mount").mkdir()
    (tmp_path / "mount" / "file").write_text("x")
    (tmp_path / "link").symlink_to("mount/file")
    reachable = ReachableHost(LiveHost(), (SilentFileSystem(f"{tmp_path}/mount", "fuse"),))

    assert reachable.read(f"{tmp_path}/link") == Unknown(f"{tmp_path}/mount does not respond")
    assert reachable.folders(str(tmp_path)) == ()
    assert reachable.home == LiveHost().home
