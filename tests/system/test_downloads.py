"""Wheels come to the staging folder: from servers and from this machine, whole and checked."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from tests.run.server import Manner, WheelServer, make_wheel, sha256_of
from tests.system.fetching import (
    FETCH,
    Fetch,
    chosen,
    fetch_of,
    fetched,
    fetching,
    text_of,
    ticking,
)
from wizard.core.events import Output, Progress
from wizard.core.trouble import Trouble
from wizard.host.files import mount_point
from wizard.system.downloads import AT_ONCE
from wizard.system.lock import Wheel, write_wheels

ROOT = Path(__file__).parents[2]
MOUNT_AND_RUN = 'mount -t tmpfs -o size=1m none "$1"; shift; exec "$@"'
SIZE = 8_000_000
TORCH = "/torch-1.13.1+rocm5.2-py3-none-any.whl"
NUMPY = "/numpy-1.26.4-py3-none-any.whl"


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


def offered(server: WheelServer, wheel: Path, manner: Manner | None = None) -> Wheel:
    """The wheel on the server, its hash published."""
    address = server.put(f"/{wheel.name}", wheel.read_bytes(), manner or Manner())
    return chosen(wheel, address)


def test_every_wheel_is_staged_and_locked(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    fetch = fetch_of(tmp_path, offered(server, torch), offered(server, numpy))
    events = fetched(fetch)
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
    fetch = fetch_of(tmp_path, offered(server, torch), offered(server, numpy))
    assert text_of(fetched(fetch)).startswith("2 wheels, 8 MB in all\n")


def test_where_one_server_does_not_tell_the_size_is_unknown(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    silent = offered(server, torch, Manner(head=False))
    fetch = fetch_of(tmp_path, silent, offered(server, numpy))
    assert text_of(fetched(fetch)).startswith(
        "2 wheels, size unknown, because not every server reports it\n"
    )


def test_progress_counts_the_bytes_of_all_files_and_ends_at_the_total(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    fetch = fetch_of(tmp_path, offered(server, numpy), offered(server, torch))
    progress = [event for event in fetched(fetch) if isinstance(event, Progress)]
    total = torch.stat().st_size + numpy.stat().st_size
    assert {event.total for event in progress} == {total}
    assert [event.done for event in progress] == sorted(event.done for event in progress)
    assert progress[-1].done == total
    assert progress[-1].seconds_left is None
    assert {event.unit for event in progress} == {"bytes"}


def test_progress_is_told_at_most_ten_times_a_second(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    fetch = fetch_of(tmp_path, offered(server, torch))
    events = fetched(fetch, clock=ticking(0.0001))
    assert sum(isinstance(event, Progress) for event in events) <= 2


def test_a_drop_at_40_percent_costs_next_to_nothing(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    fetch = fetch_of(tmp_path, offered(server, torch, Manner(drop_at=0.4)))
    waits: list[float] = []
    fetched(fetch, waits=waits)
    assert sha256_of(tmp_path / "staging" / TORCH[1:]) == sha256_of(torch)
    assert server.sent(TORCH) <= 1.05 * torch.stat().st_size
    assert waits == [1.0]


def in_a_process(fetch: Fetch) -> subprocess.Popen[bytes]:
    """The fetch in a process of its own."""
    write_wheels(fetch.folder / "wheels.json", fetch.wheels)
    words = (sys.executable, "-c", FETCH, str(fetch.folder / "wheels.json"), str(fetch.staging))
    return subprocess.Popen(words, cwd=ROOT, stdin=subprocess.DEVNULL)


def test_a_kill_at_60_percent_costs_next_to_nothing(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    slow = offered(server, torch, Manner(hold_at=0.6))
    fetch = fetch_of(tmp_path, offered(server, numpy), slow)
    part = tmp_path / "staging" / f"{TORCH[1:]}.part"
    with in_a_process(fetch) as child:
        assert server.held.wait(30)
        limit = time.monotonic() + 30
        while part.stat().st_size < int(torch.stat().st_size * 0.6):
            assert time.monotonic() < limit  # all of it was sent: it needs milliseconds to land
            os.sched_yield()
        child.send_signal(signal.SIGKILL)
    assert not (tmp_path / "lock.txt").exists()
    fetched(fetch)
    assert sha256_of(tmp_path / "staging" / TORCH[1:]) == sha256_of(torch)
    assert server.sent(TORCH) <= 1.05 * torch.stat().st_size
    assert server.sent(NUMPY) == numpy.stat().st_size
    assert "torch==1.13.1+rocm5.2" in (tmp_path / "lock.txt").read_text()


def test_a_second_run_downloads_nothing(server: WheelServer, torch: Path, tmp_path: Path) -> None:
    fetch = fetch_of(tmp_path, offered(server, torch))
    fetched(fetch)
    lock = (tmp_path / "lock.txt").read_text()
    (tmp_path / "lock.txt").unlink()
    events = fetched(fetch)
    assert "is already downloaded" in text_of(events)
    assert server.sent(TORCH) == torch.stat().st_size
    assert (tmp_path / "lock.txt").read_text() == lock


def test_a_staged_file_with_another_content_is_fetched_again(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    fetch = fetch_of(tmp_path, offered(server, torch))
    (tmp_path / "staging").mkdir()
    (tmp_path / "staging" / TORCH[1:]).write_bytes(b"something else")
    fetched(fetch)
    assert sha256_of(tmp_path / "staging" / TORCH[1:]) == sha256_of(torch)


def test_a_wrong_hash_stops_the_step_without_a_lock(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    wheel = replace(offered(server, torch), sha256="3" * 64)
    with pytest.raises(Trouble) as caught:
        fetched(fetch_of(tmp_path, offered(server, numpy), wheel))
    assert "3" * 64 in caught.value.happened
    assert sha256_of(torch) in caught.value.happened
    assert [path.name for path in (tmp_path / "staging").iterdir()] == [numpy.name]
    assert not (tmp_path / "lock.txt").exists()


def test_without_a_published_hash_ours_is_recorded_and_that_is_said(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    fetch = fetch_of(tmp_path, replace(offered(server, torch), sha256=""))
    assert "no hash was published" in text_of(fetched(fetch))
    assert f"sha256:{sha256_of(torch)}" in (tmp_path / "lock.txt").read_text()
    fetched(fetch)
    assert server.sent(TORCH) == torch.stat().st_size


def test_there_is_no_total_until_every_size_is_known(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    fetch = fetch_of(tmp_path, offered(server, numpy), offered(server, torch, Manner(head=False)))
    first, *_, last = (event for event in fetched(fetch) if isinstance(event, Progress))
    assert (first.total, first.seconds_left) == (0, None)
    assert last.done == last.total == torch.stat().st_size + numpy.stat().st_size


def several(server: WheelServer, folder: Path, count: int, manner: Manner) -> tuple[Wheel, ...]:
    """So many wheels on the server, each a little larger than the one before."""
    made = [
        make_wheel(folder / "made", f"part{number}", "1.0", {}, size=300_000 + number)
        for number in range(count)
    ]
    return tuple(offered(server, wheel, manner) for wheel in made)


def complete(fetch: Fetch) -> bool:
    return [path.name for path in sorted(fetch.staging.iterdir())] == sorted(
        wheel.file for wheel in fetch.wheels
    ) and all(sha256_of(fetch.staging / wheel.file) == wheel.sha256 for wheel in fetch.wheels)


def test_a_few_files_come_at_once_and_all_of_them_are_one_sum(
    server: WheelServer, tmp_path: Path
) -> None:
    wheels = several(server, tmp_path, 9, Manner(hold_at=0.5))
    fetch = fetch_of(tmp_path, *wheels)
    progress: list[Progress] = []
    for event in fetching(fetch, clock=time.monotonic, wait=lambda _: None):
        if isinstance(event, Progress):
            progress.append(event)
            if event.done >= 4 * 140_000:  # of all four that came the first half is there
                asked = sum(method == "GET" for method, _, _ in server.served.requests)
                assert asked == AT_ONCE or server.served.released.is_set()
                server.served.released.set()
    assert complete(fetch)
    assert [event.done for event in progress] == sorted(event.done for event in progress)
    whole = sum((fetch.staging / wheel.file).stat().st_size for wheel in wheels)
    assert {event.total for event in progress} == {whole}
    assert progress[-1].done == whole
    assert progress[0].what == "part8, part7 and 7 more"
    assert progress[-1].what in {wheel.file for wheel in wheels}


@pytest.mark.parametrize("most", [1, 2])
def test_a_server_that_takes_fewer_at_once_is_obeyed(
    server: WheelServer, tmp_path: Path, most: int
) -> None:
    fetch = fetch_of(tmp_path, *several(server, tmp_path, 6, Manner(rest_s=0.002, most=most)))
    said = text_of(list(fetching(fetch, wait=lambda _: time.sleep(0.02))))
    assert complete(fetch)
    assert "answered HTTP 429" in said
    assert 1 <= said.count("Waiting until another download has finished.") < AT_ONCE
    assert server.sent() == sum(
        (fetch.staging / wheel.file).stat().st_size for wheel in fetch.wheels
    )


def test_the_first_failure_stops_the_rest_and_what_came_is_kept(
    server: WheelServer, torch: Path, numpy: Path, tmp_path: Path
) -> None:
    held = offered(server, torch, Manner(hold_at=0.5))
    refused = offered(server, numpy, Manner(status=404))
    fetch = fetch_of(tmp_path, held, refused)

    def told() -> list[Progress | Output]:
        return [event for event in fetching(fetch) if isinstance(event, Output)]

    began = time.monotonic()
    with pytest.raises(Trouble, match=r"HTTP 404 for .*numpy"):
        told()
    assert time.monotonic() - began < 10  # nobody waits for the server that is silent
    part = fetch.staging / f"{torch.name}.part"
    kept = part.stat().st_size if part.exists() else 0
    server.put(f"/{numpy.name}", numpy.read_bytes())
    server.served.released.set()
    fetched(fetch)
    assert complete(fetch)
    assert server.ranges_asked(TORCH)[-1] == (f"bytes={kept}-" if kept else "")


def test_a_size_that_was_published_is_asked_of_no_server(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    wheel = replace(offered(server, torch), size=torch.stat().st_size)
    said = text_of(fetched(fetch_of(tmp_path, wheel)))
    assert said.startswith("1 wheel, 8 MB in all\n")
    assert [method for method, _, _ in server.served.requests] == ["GET"]


def test_a_published_size_tells_where_a_body_without_length_broke_off(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    blind = Manner(drop_at=0.5, chunked=True)
    wheel = replace(offered(server, torch, blind), size=torch.stat().st_size)
    said = text_of(fetched(fetch_of(tmp_path, wheel)))
    assert "bytes arrived. Trying again" in said
    assert server.ranges_asked(TORCH)[-1].startswith("bytes=")


def test_cancelling_keeps_the_part_and_writes_no_lock(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    fetch = fetch_of(tmp_path, offered(server, torch, Manner(hold_at=0.5)))
    stop = Event()
    for event in fetching(fetch, cancelled=stop.is_set):
        if isinstance(event, Progress) and event.done:
            stop.set()
    assert (tmp_path / "staging" / f"{TORCH[1:]}.part").stat().st_size > 0
    assert not (tmp_path / "lock.txt").exists()


def test_a_login_reaches_the_server_and_never_the_log(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    login = Manner(login="Basic bWU6Z2VoZWlt")
    fetch = fetch_of(tmp_path, offered(server, torch, login))
    with pytest.raises(Trouble, match="HTTP 401"):
        fetched(fetch)
    index = server.url("/simple/").replace("http://", "http://me:geheim@")
    events = fetched(fetch, indexes=(index,))
    assert sha256_of(tmp_path / "staging" / TORCH[1:]) == sha256_of(torch)
    assert "geheim" not in text_of(events)
    assert "geheim" not in (tmp_path / "lock.txt").read_text()


def test_a_login_in_an_address_is_not_told_when_that_address_fails(
    server: WheelServer, torch: Path, tmp_path: Path
) -> None:
    missing = server.url("/gone" + TORCH).replace("http://", "http://me:geheim@")
    with pytest.raises(Trouble) as caught:
        fetched(fetch_of(tmp_path, chosen(torch, missing)))
    assert "HTTP 404 for http://***@127.0.0.1" in caught.value.happened


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return make_wheel(tmp_path / "house", "torch", "1.0", {"torch.py": ""}, size=5_000)


def test_a_wheel_on_this_machine_is_linked_not_copied(wheel: Path, tmp_path: Path) -> None:
    fetch = fetch_of(tmp_path, chosen(wheel, wheel.as_uri()))
    fetched(fetch)
    assert (tmp_path / "staging" / wheel.name).samefile(wheel)
    assert f"torch==1.0 --hash=sha256:{sha256_of(wheel)}" in (tmp_path / "lock.txt").read_text()


def test_a_wheel_on_another_disk_of_this_machine_is_copied_and_checked(tmp_path: Path) -> None:
    there = Path("/dev/shm")
    if not there.is_dir() or there.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no other file system here")
    with tempfile.TemporaryDirectory(dir=there) as house:
        wheel = make_wheel(Path(house), "torch", "1.0", {"torch.py": ""}, size=900_000)
        fetch = fetch_of(tmp_path, chosen(wheel, wheel.as_uri()))
        fetched(fetch)
        assert complete(fetch)
        assert not (fetch.staging / wheel.name).samefile(wheel)
        with pytest.raises(Trouble, match="wrong SHA-256"):
            fetched(fetch_of(tmp_path, chosen(wheel, wheel.as_uri(), "1" * 64)))
        assert wheel.exists()
        assert list(fetch.staging.iterdir()) == []


def test_a_local_wheel_is_never_written_to_whatever_a_kill_left(
    server: WheelServer, wheel: Path, tmp_path: Path
) -> None:
    before = wheel.read_bytes()
    newer = b"PK\x03\x04another file of that name"
    (tmp_path / "staging").mkdir()
    os.link(wheel, tmp_path / "staging" / f"{wheel.name}.part")
    address = server.put(f"/{wheel.name}", newer)
    fetched(fetch_of(tmp_path, chosen(wheel, address, "")))
    assert wheel.read_bytes() == before
    assert (tmp_path / "staging" / wheel.name).read_bytes() == newer


def test_a_local_wheel_with_a_wrong_hash_is_refused_and_stays_where_it_is(
    wheel: Path, tmp_path: Path
) -> None:
    with pytest.raises(Trouble, match="wrong SHA-256"):
        fetched(fetch_of(tmp_path, chosen(wheel, wheel.as_uri(), "1" * 64)))
    assert wheel.exists()
    assert list((tmp_path / "staging").iterdir()) == []


def test_a_local_wheel_that_has_gone_is_named(wheel: Path, tmp_path: Path) -> None:
    fetch = fetch_of(tmp_path, chosen(wheel, wheel.as_uri()))
    wheel.unlink()
    with pytest.raises(Trouble, match="no longer exists"):
        fetched(fetch)


def test_too_little_space_is_told_before_anything_is_downloaded(
    server: WheelServer, wheel: Path, tmp_path: Path
) -> None:
    address = server.put(f"/{wheel.name}", wheel.read_bytes(), Manner(announce=10**18))
    with pytest.raises(Trouble) as caught:
        fetched(fetch_of(tmp_path, chosen(wheel, address)))
    assert f"The file system {mount_point(tmp_path)} is full" in caught.value.happened
    assert "GB more are needed" in caught.value.happened
    assert server.sent() == 0


def test_a_disk_that_fills_up_meanwhile_names_its_file_system(
    server: WheelServer, tmp_path: Path
) -> None:
    if not can_mount_tmpfs():
        pytest.skip("unshare -rm cannot mount a tmpfs here: disk full not tried")
    big = make_wheel(tmp_path / "house", "torch", "1.0", {"torch.py": ""}, size=3_000_000)
    # No HEAD and no length: only the write itself can find out.
    manner = Manner(head=False, chunked=True)
    small = tmp_path / "small disk"
    small.mkdir()
    fetch = fetch_of(tmp_path, chosen(big, server.put(f"/{big.name}", big.read_bytes(), manner)))
    write_wheels(tmp_path / "wheels.json", fetch.wheels)
    in_namespace = ("unshare", "-rm", "sh", "-c", MOUNT_AND_RUN)
    words = (sys.executable, "-c", FETCH, str(tmp_path / "wheels.json"), str(small / "staging"))
    done = subprocess.run(
        (*in_namespace, "-", str(small), *words),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert f"wizard.core.trouble.Trouble: The file system {small} is full" in done.stderr


def can_mount_tmpfs() -> bool:
    """True where an ordinary user gets a mount namespace."""
    if not shutil.which("unshare"):
        return False
    trial = ("unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt")
    return subprocess.run(trial, capture_output=True, check=False).returncode == 0


def test_a_folder_that_cannot_be_written_is_named(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "staging").write_text("a file where the folder should be")
    with pytest.raises(Trouble, match=r"staging could not be written: File exists"):
        fetched(fetch_of(tmp_path, chosen(wheel, wheel.as_uri())))
