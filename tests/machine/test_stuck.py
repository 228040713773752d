"""What a thread that does not come back was looking at."""

from __future__ import annotations

import threading
from pathlib import Path

from tests.machine.records import make
from wizard.core.fact import Fact, Unknown
from wizard.host.host import Host, Query
from wizard.machine.part import Found, Part, Reading, looked_at
from wizard.machine.recorded import RecordedHost


class Waiting(RecordedHost):
    """Does not answer before it is let go."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.reached, self.let_go = threading.Event(), threading.Event()

    def read(self, path: str) -> Fact[str]:
        self._wait()
        return "late"

    def folders(self, folder: str) -> Fact[tuple[str, ...]]:
        self._wait()
        return ()

    def ask(self, query: Query) -> Fact[str]:
        self._wait()
        return "late"

    def _wait(self) -> None:
        self.reached.set()
        self.let_go.wait()


def late(folder: Path, read: object) -> str:
    """The reason of a part that reads this and is not waited for."""
    make(folder, {"/x": ""})
    host = Waiting(folder)
    part: Part[Fact[str]] = Part(
        title="Example",
        source="somewhere",
        read=lambda host: Found(str(read(host))),  # type: ignore[operator]
        without=lambda why: why,
        tell=lambda _: ("", ()),
    )
    reading = Reading(part, host)
    host.reached.wait()
    found = reading.result(0)
    host.let_go.set()
    assert isinstance(found.value, Unknown)
    assert found.unread == (found.value,)
    return found.value.because


def test_the_path_is_named(tmp_path: Path) -> None:
    def read(host: Host) -> object:
        return host.read("/sys/slow")

    reason = "Example: no response in time from somewhere, which was reading /sys/slow"
    assert late(tmp_path, read) == reason


def test_the_folder_is_named(tmp_path: Path) -> None:
    assert late(tmp_path, lambda host: host.folders("/mnt")).endswith(", which was reading /mnt")


def test_the_program_is_named(tmp_path: Path) -> None:
    reason = late(tmp_path, lambda host: host.ask(Query.DPKG_PACKAGES))

    assert reason.endswith(", which was reading dpkg-query")


def test_a_thread_that_asks_nothing_looks_at_nothing() -> None:
    assert looked_at(threading.get_ident()) == ""
    assert looked_at(None) == ""
    assert looked_at(-1) == ""
