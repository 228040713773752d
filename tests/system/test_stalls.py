"""Who asks to stop is obeyed within a second, also while a server keeps silent."""

from __future__ import annotations

import random
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.run.server import Manner, WheelServer, make_wheel
from tests.system.fetching import Fetch, chosen, fetch_of, fetching
from wizard.core.events import Output
from wizard.system.crew import Crew

AT_MOST_S = 1.0


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return make_wheel(tmp_path, "thing", "1.0", {"thing.py": ""}, size=200_000)


class Stop:
    """A wish to stop that comes when something has happened."""

    def __init__(self, when: Callable[[], object]) -> None:
        self._wished = threading.Event()
        self._at = 0.0
        self._thread = threading.Thread(target=self._wish, args=(when,), daemon=True)
        self._thread.start()

    def _wish(self, when: Callable[[], object]) -> None:
        when()
        self._at = time.monotonic()
        self._wished.set()

    def __call__(self) -> bool:
        return self._wished.is_set()

    def waited_s(self) -> float:
        """Seconds since the wish."""
        self._thread.join(10)
        assert self._wished.is_set()
        return time.monotonic() - self._at


def stopped_within(fetch: Fetch, stop: Stop) -> float:
    list(fetching(fetch, cancelled=stop))
    assert not fetch.lock.exists()
    return stop.waited_s()


def test_a_body_that_does_not_go_on_is_left(
    server: WheelServer, wheel: Path, tmp_path: Path
) -> None:
    address = server.put(f"/{wheel.name}", wheel.read_bytes(), Manner(hold_at=0.5))
    fetch = fetch_of(tmp_path, chosen(wheel, address))
    part = fetch.staging / f"{wheel.name}.part"
    half = wheel.stat().st_size // 2

    def all_that_comes_has_come() -> None:
        server.held.wait(30)
        while not part.exists() or part.stat().st_size < half:
            pass

    assert stopped_within(fetch, Stop(all_that_comes_has_come)) < AT_MOST_S
    assert part.read_bytes() == wheel.read_bytes()[:half]


def test_a_server_that_never_answers_is_left(
    monkeypatch: pytest.MonkeyPatch, wheel: Path, tmp_path: Path
) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as mute:
        accepted: list[socket.socket] = []
        stop = Stop(lambda: accepted.append(mute.accept()[0]))
        address = f"http://127.0.0.1:{mute.getsockname()[1]}/{wheel.name}"
        fetch = fetch_of(tmp_path, chosen(wheel, address))
        assert stopped_within(fetch, stop) < AT_MOST_S
        accepted[0].close()


def test_a_pause_before_the_next_try_is_cut_short(
    server: WheelServer, wheel: Path, tmp_path: Path
) -> None:
    address = server.put(f"/{wheel.name}", b"", Manner(status=503, head=False))
    fetch = fetch_of(tmp_path, chosen(wheel, address))
    told = threading.Event()
    stop = Stop(told.wait)
    pauses = 0
    for event in fetching(fetch, cancelled=stop):
        if isinstance(event, Output) and "Trying again" in event.lines[0]:
            pauses += 1
            told.set()
            while not stop():
                pass
    assert stop.waited_s() < AT_MOST_S / 2
    assert pauses == 1


def test_a_whole_file_still_comes_in_order(
    server: WheelServer, wheel: Path, tmp_path: Path
) -> None:
    body = b"PK\x03\x04" + random.Random(3).randbytes(3_000_000)  # noqa: S311 - a body
    wheel.write_bytes(body)
    address = server.put(f"/{wheel.name}", body, Manner(drop_at=0.5))
    fetch = fetch_of(tmp_path, chosen(wheel, address))
    list(fetching(fetch, wait=lambda s: None))
    assert (fetch.staging / wheel.name).read_bytes() == body
    assert [t for t in threading.enumerate() if "rdna1-setup" in t.name and t.is_alive()] == []


def test_a_job_that_was_left_behind_changes_nothing_any_more() -> None:
    crew = Crew[str](1)
    begun, go_on, over = (threading.Event() for _ in range(3))
    changed: list[str] = []

    def job() -> None:
        begun.set()
        go_on.wait(10)
        try:
            with crew.changing():
                changed.append("changed")
        finally:
            over.set()

    assert set(crew.run([job], begun.is_set)) <= {None}
    go_on.set()
    assert over.wait(10)
    assert changed == []


def test_a_change_that_is_being_made_is_waited_for() -> None:
    crew, begun = Crew[str](1), threading.Event()
    changed: list[str] = []

    def job() -> None:
        with crew.changing():
            begun.set()
            time.sleep(0.2)
            changed.append("changed")

    def stop() -> bool:
        return begun.wait(10)

    assert list(crew.run([job], stop)) == []
    assert changed == ["changed"]
