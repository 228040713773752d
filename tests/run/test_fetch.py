"""The whole step: from pip's report to checked wheels in staging and a lock with hashes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from tests.run.fetching import Chosen, fetched, make_step, text_of, ticking
from tests.run.server import Manner, WheelServer, make_wheel, sha256_of
from wizard.core.events import Progress
from wizard.core.trouble import Trouble
from wizard.plan.steps import FetchWheels
from wizard.run.downloads.fetch import fetch_wheels

ROOT = Path(__file__).parents[2]
SIZE = 8_000_000
TORCH = "/torch-1.13.1+rocm5.2-py3-none-any.whl"
NUMPY = "/numpy-1.26.4-py3-none-any.whl"

FETCH = (
    "import json, sys\n"
    "from wizard.plan.steps import FetchWheels\n"
    "from wizard.run.downloads.fetch import fetch_wheels\n"
    "step = FetchWheels('test', *json.loads(sys.argv[1]), 'nothing')\n"
    "for event in fetch_wheels(step, cancelled=lambda: False): pass\n"
)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WheelServer]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.delenv("PIP_PROXY", raising=False)
    with WheelServer() as running:
        yield running


@pytest.fixture
def torch(tmp_path: Path) -> Path:
    files = {"torch/__init__.py": ""}
    return make_wheel(tmp_path / "made", "torch", "1.13.1+rocm5.2", files, size=SIZE)


@pytest.fixture
def numpy(tmp_path: Path) -> Path:
    return make_wheel(tmp_path / "made", "numpy", "1.26.4", {"numpy.py": ""}, size=10_000)


def offered(server: WheelServer, wheel: Path, manner: Manner | None = None) -> Chosen:
    """The wheel on the server, its hash published."""
    address = server.put(f"/{wheel.name}", wheel.read_bytes(), manner or Manner())
    return Chosen.published(wheel, address)


def test_every_wheel_is_staged_and_locked(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    step = make_step(tmp_path, offered(server, torch), offered(server, numpy))
    events = fetched(step)
    assert sorted(path.name for path in (tmp_path / "staging").iterdir()) == [NUMPY[1:], TORCH[1:]]
    assert (tmp_path / "lock.txt").read_text().splitlines()[1:] == [
        f"numpy==1.26.4 --hash=sha256:{sha256_of(numpy)}",
        f"torch==1.13.1+rocm5.2 --hash=sha256:{sha256_of(torch)}",
    ]
    assert server.sent() == torch.stat().st_size + numpy.stat().st_size
    assert text_of(events).count("SHA-256 matches") == 2


def test_before_the_first_byte_it_is_told_how_much_all_of_it_is(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    step = make_step(tmp_path, offered(server, torch), offered(server, numpy))
    assert text_of(fetched(step)).startswith("2 wheels, 8 MB in all\n")


def test_where_one_server_does_not_tell_the_size_is_unknown(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    silent = offered(server, torch, Manner(head=False))
    step = make_step(tmp_path, silent, offered(server, numpy))
    assert text_of(fetched(step)).startswith(
        "2 wheels, size unknown, because not every server reports it\n"
    )


def test_progress_counts_the_bytes_of_all_files_and_ends_at_the_total(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    step = make_step(tmp_path, offered(server, numpy), offered(server, torch))
    progress = [event for event in fetched(step) if isinstance(event, Progress)]
    total = torch.stat().st_size + numpy.stat().st_size
    assert {event.total for event in progress} == {total}
    assert [event.done for event in progress] == sorted(event.done for event in progress)
    assert progress[-1].done == total
    assert progress[-1].seconds_left is None
    assert {event.unit for event in progress} == {"bytes"}


def test_progress_is_told_at_most_ten_times_a_second(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    step = make_step(tmp_path, offered(server, torch))
    events = fetched(step, clock=ticking(0.0001))
    assert sum(isinstance(event, Progress) for event in events) <= 2


def test_a_drop_at_40_percent_costs_next_to_nothing(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    step = make_step(tmp_path, offered(server, torch, Manner(drop_at=0.4)))
    waits: list[float] = []
    fetched(step, waits=waits)
    assert sha256_of(tmp_path / "staging" / TORCH[1:]) == sha256_of(torch)
    assert server.sent(TORCH) <= 1.05 * torch.stat().st_size
    assert waits == [1.0]


def fetching(step: FetchWheels) -> subprocess.Popen[bytes]:
    """The step in a process of its own."""
    arguments = json.dumps([step.report, step.staging, step.lock])
    return subprocess.Popen(
        (sys.executable, "-c", FETCH, arguments), cwd=ROOT, stdin=subprocess.DEVNULL
    )


def test_a_kill_at_60_percent_costs_next_to_nothing(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    slow = offered(server, torch, Manner(hold_at=0.6))
    step = make_step(tmp_path, offered(server, numpy), slow)
    part = tmp_path / "staging" / f"{TORCH[1:]}.part"
    with fetching(step) as child:
        assert server.held.wait(30)
        limit = time.monotonic() + 30
        while part.stat().st_size < int(torch.stat().st_size * 0.6):
            assert time.monotonic() < limit  # all of it was sent: it needs milliseconds to land
            os.sched_yield()
        child.send_signal(signal.SIGKILL)
    assert not (tmp_path / "lock.txt").exists()
    fetched(step)
    assert sha256_of(tmp_path / "staging" / TORCH[1:]) == sha256_of(torch)
    assert server.sent(TORCH) <= 1.05 * torch.stat().st_size
    assert server.sent(NUMPY) == numpy.stat().st_size
    assert "torch==1.13.1+rocm5.2" in (tmp_path / "lock.txt").read_text()


def test_a_second_run_downloads_nothing(server: WheelServer, torch: Path, tmp_path: Path) -> None:
    step = make_step(tmp_path, offered(server, torch))
    fetched(step)
    lock = (tmp_path / "lock.txt").read_text()
    (tmp_path / "lock.txt").unlink()
    events = fetched(step)
    assert "is already downloaded" in text_of(events)
    assert server.sent(TORCH) == torch.stat().st_size
    assert (tmp_path / "lock.txt").read_text() == lock


def test_a_staged_file_with_another_content_is_fetched_again(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    step = make_step(tmp_path, offered(server, torch))
    (tmp_path / "staging").mkdir()
    (tmp_path / "staging" / TORCH[1:]).write_bytes(b"something else")
    fetched(step)
    assert sha256_of(tmp_path / "staging" / TORCH[1:]) == sha256_of(torch)


def test_our_own_hash_outranks_the_index(server: WheelServer, torch: Path, tmp_path: Path) -> None:
    chosen = replace(offered(server, torch), sha256="1" * 64)
    step = make_step(tmp_path, chosen, hashes=((torch.name, sha256_of(torch)),))
    events = fetched(step)
    assert "The index lists a different SHA-256 for" in text_of(events)
    assert f"sha256:{sha256_of(torch)}" in (tmp_path / "lock.txt").read_text()
    with pytest.raises(Trouble, match="wrong SHA-256"):
        fetched(make_step(tmp_path, offered(server, torch), hashes=((torch.name, "2" * 64),)))


def test_a_wrong_hash_stops_the_step_without_a_lock(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    chosen = replace(offered(server, torch), sha256="3" * 64)
    with pytest.raises(Trouble) as caught:
        fetched(make_step(tmp_path, offered(server, numpy), chosen))
    assert "3" * 64 in caught.value.happened
    assert sha256_of(torch) in caught.value.happened
    assert [path.name for path in (tmp_path / "staging").iterdir()] == [numpy.name]
    assert not (tmp_path / "lock.txt").exists()


def test_without_a_published_hash_ours_is_recorded_and_that_is_said(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    step = make_step(tmp_path, replace(offered(server, torch), sha256=""))
    assert "no hash was published" in text_of(fetched(step))
    assert f"sha256:{sha256_of(torch)}" in (tmp_path / "lock.txt").read_text()
    fetched(step)
    assert server.sent(TORCH) == torch.stat().st_size


def test_there_is_no_total_until_every_size_is_known(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    step = make_step(tmp_path, offered(server, numpy), offered(server, torch, Manner(head=False)))
    first, *_, last = (event for event in fetched(step) if isinstance(event, Progress))
    assert (first.total, first.seconds_left) == (0, None)
    assert last.done == last.total == torch.stat().st_size + numpy.stat().st_size


def test_cancelling_keeps_the_part_and_writes_no_lock(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    step = make_step(tmp_path, offered(server, torch))
    stop = Event()
    for event in fetch_wheels(step, cancelled=stop.is_set):
        if isinstance(event, Progress):
            stop.set()
    assert (tmp_path / "staging" / f"{TORCH[1:]}.part").stat().st_size > 0
    assert not (tmp_path / "lock.txt").exists()


def test_a_login_reaches_the_server_and_never_the_log(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    login = Manner(login="Basic bWU6Z2VoZWlt")
    step = make_step(tmp_path, offered(server, torch, login))
    with pytest.raises(Trouble, match="HTTP 401"):
        fetched(step)
    index = server.url("/simple/").replace("http://", "http://me:geheim@")
    events = fetched(step, indexes=(index,))
    assert sha256_of(tmp_path / "staging" / TORCH[1:]) == sha256_of(torch)
    assert "geheim" not in text_of(events)
    assert "geheim" not in (tmp_path / "lock.txt").read_text()


def test_a_login_in_an_address_is_not_told_when_that_address_fails(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    missing = server.url("/gone" + TORCH).replace("http://", "http://me:geheim@")
    with pytest.raises(Trouble) as caught:
        fetched(make_step(tmp_path, Chosen.published(torch, missing)))
    assert "HTTP 404 for http://***@127.0.0.1" in caught.value.happened
