"""One file by range, against a server that drops, changes, lies and refuses."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.run.answers import PIECE
from tests.run.server import Manner, WheelServer
from tests.system.fetching import never
from wizard.core.events import Output, Progress
from wizard.core.trouble import Trouble
from wizard.system.downloads import PAUSES_S, Wanted, fetch_files
from wizard.system.partial_download import Mark, PartialDownload

PATH = "/torch-1.0-py3-none-any.whl"
BODY = b"PK\x03\x04" + random.Random(1).randbytes(8_000_000)  # noqa: S311 - a body
OTHER = b"PK\x03\x04" + random.Random(2).randbytes(6_000_000)  # noqa: S311 - a body
SMALL = b"PK\x03\x04" + random.Random(3).randbytes(5_000)  # noqa: S311 - a body
HASH, OTHER_HASH = sha256(BODY).hexdigest(), sha256(OTHER).hexdigest()
SMALL_HASH = sha256(SMALL).hexdigest()


ON_ITS_WAY = 4 * PIECE
"""What the server may still count of an answer that the client has just broken off."""


def get(
    server: WheelServer, folder: Path, expected: str = HASH, waits: list[float] | None = None
) -> list[Progress | Output]:
    wait = (waits if waits is not None else []).append
    return list(getting(server, folder, expected, never, wait))


def getting(
    server: WheelServer,
    folder: Path,
    expected: str,
    cancelled: Callable[[], bool],
    wait: Callable[[float], None] | None = None,
) -> Iterator[Progress | Output]:
    wanted = Wanted(server.url(PATH), folder / PATH[1:], expected)
    return fetch_files([wanted], folder, "file", cancelled=cancelled, environ={}, wait=wait)


def stop_after(server: WheelServer, folder: Path, count: int, expected: str = HASH) -> int:
    """Cancel once that many bytes are on the disk; how many there are then."""
    part = folder / f"{PATH[1:]}.part"

    def arrived() -> bool:
        return part.exists() and part.stat().st_size >= count

    for _ in getting(server, folder, expected, arrived):
        pass
    return part.stat().st_size


def staged(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_file_arrives_whole_and_leaves_nothing_else(server: WheelServer, tmp_path: Path) -> None:
    server.put(PATH, BODY)
    get(server, tmp_path)
    assert (tmp_path / PATH[1:]).read_bytes() == BODY
    assert staged(tmp_path) == [PATH[1:]]


def test_a_connection_dropped_at_40_percent_goes_on_where_it_broke(
    server: WheelServer, tmp_path: Path
) -> None:
    server.put(PATH, BODY, Manner(drop_at=0.4))
    waits: list[float] = []
    news = get(server, tmp_path, waits=waits)
    assert (tmp_path / PATH[1:]).read_bytes() == BODY
    assert server.sent(PATH) <= 1.05 * len(BODY)
    assert waits == [PAUSES_S[0]]
    assert any("Trying again" in one.lines[0] for one in news if isinstance(one, Output))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("reset", [False, True])
def test_a_line_that_drops_at_ten_random_places_costs_no_byte_twice(
    server: WheelServer, tmp_path: Path, seed: int, reset: bool
) -> None:
    places = random.Random(seed).sample(range(len(BODY)), 10)  # noqa: S311 - no secret
    server.put(PATH, BODY, Manner(cuts=frozenset(places), reset=reset))
    waits: list[float] = []
    get(server, tmp_path, waits=waits)
    assert (tmp_path / PATH[1:]).read_bytes() == BODY
    assert len(server.ranges_asked(PATH)) == len(waits) + 1 == len(places) + 1
    ahead = [int(asked[6:-1]) for asked in server.ranges_asked(PATH)[1:]]
    assert all(0 <= cut - at <= ON_ITS_WAY for cut, at in zip(sorted(places), ahead, strict=True))
    if not reset:  # all that was sent has arrived
        assert ahead == sorted(places)
        assert server.sent(PATH) == len(BODY)


def test_a_cancelled_download_goes_on_in_the_next_run(server: WheelServer, tmp_path: Path) -> None:
    server.put(PATH, BODY, Manner(hold_at=0.6))
    kept = stop_after(server, tmp_path, 4_000_000)
    assert not (tmp_path / PATH[1:]).exists()
    before = server.sent(PATH)
    get(server, tmp_path)
    assert server.served.requests[-1] == ("GET", PATH, f"bytes={kept}-")
    assert 0 <= server.sent(PATH) - before - (len(BODY) - kept) <= ON_ITS_WAY


@pytest.mark.parametrize(
    "after",
    [
        Manner(etag='"two"'),
        Manner(etag='"two"', ranges=False),
        Manner(etag=None, last_modified="Tue, 02 Jan 2024 00:00:00 GMT"),
    ],
)
def test_a_file_that_changed_on_the_server_starts_again(
    server: WheelServer, tmp_path: Path, after: Manner
) -> None:
    server.put(PATH, BODY, Manner(hold_at=0.5))
    stop_after(server, tmp_path, 3_000_000, expected="")
    server.put(PATH, OTHER, after)
    before = server.sent(PATH)
    get(server, tmp_path, expected="")
    assert (tmp_path / PATH[1:]).read_bytes() == OTHER
    assert 0 <= server.sent(PATH) - before - len(OTHER) <= ON_ITS_WAY


def test_a_shorter_file_on_the_server_starts_again(server: WheelServer, tmp_path: Path) -> None:
    server.put(PATH, BODY, Manner(hold_at=0.9, etag=None, last_modified=None))
    stop_after(server, tmp_path, 7_000_000)
    server.put(PATH, OTHER, Manner(etag=None))
    with pytest.raises(Trouble, match="wrong SHA-256"):
        get(server, tmp_path)
    get(server, tmp_path, expected=OTHER_HASH)
    assert (tmp_path / PATH[1:]).read_bytes() == OTHER


def test_an_answer_for_another_file_is_noticed_by_its_size(
    server: WheelServer, tmp_path: Path
) -> None:
    server.put(PATH, BODY, Manner(hold_at=0.5, etag=None))
    stop_after(server, tmp_path, 3_000_000)
    server.put(PATH, BODY + b"more", Manner(etag=None))
    waits: list[float] = []
    with pytest.raises(Trouble, match="wrong SHA-256"):
        get(server, tmp_path, waits=waits)
    assert server.ranges_asked(PATH)[-1] == ""
    assert waits == [PAUSES_S[0]]


def test_a_server_without_ranges_starts_again(server: WheelServer, tmp_path: Path) -> None:
    server.put(PATH, BODY, Manner(drop_at=0.4, ranges=False))
    get(server, tmp_path)
    assert (tmp_path / PATH[1:]).read_bytes() == BODY
    assert server.sent(PATH) == int(len(BODY) * 0.4) + len(BODY)


def test_a_server_that_tells_no_length_is_read_to_its_end(
    server: WheelServer, tmp_path: Path
) -> None:
    server.put(PATH, BODY, Manner(chunked=True))
    news = get(server, tmp_path)
    assert (tmp_path / PATH[1:]).read_bytes() == BODY
    assert {one.total for one in news if isinstance(one, Progress)} <= {0, len(BODY)}


def test_a_part_without_validators_is_used_only_when_a_hash_can_check_it(
    server: WheelServer, tmp_path: Path
) -> None:
    server.put(PATH, BODY, Manner(hold_at=0.5, etag=None))
    stop_after(server, tmp_path, 3_000_000)
    get(server, tmp_path)
    assert server.ranges_asked(PATH)[-1].startswith("bytes=")
    (tmp_path / PATH[1:]).unlink()
    server.served.spoilt.clear()
    stop_after(server, tmp_path, 3_000_000, expected="")
    get(server, tmp_path, expected="")
    assert server.ranges_asked(PATH)[-1] == ""


def test_a_weak_etag_is_never_sent_as_a_condition(server: WheelServer, tmp_path: Path) -> None:
    server.put(PATH, BODY, Manner(hold_at=0.5, etag='W/"one"'))
    kept = stop_after(server, tmp_path, 3_000_000)
    mark = PartialDownload(tmp_path / PATH[1:]).mark()
    assert mark is not None
    assert mark.validator == ""
    get(server, tmp_path)
    assert server.ranges_asked(PATH)[-1] == f"bytes={kept}-"


def test_a_wrong_hash_is_refused_and_nothing_is_kept(server: WheelServer, tmp_path: Path) -> None:
    server.put(PATH, OTHER)
    with pytest.raises(Trouble) as caught:
        get(server, tmp_path)
    assert HASH in caught.value.happened
    assert OTHER_HASH in caught.value.happened
    assert staged(tmp_path) == []


def test_a_part_that_was_damaged_meanwhile_costs_one_more_download(
    server: WheelServer, tmp_path: Path
) -> None:
    server.put(PATH, BODY, Manner(hold_at=0.5))
    stop_after(server, tmp_path, 3_000_000)
    part = tmp_path / f"{PATH[1:]}.part"
    part.write_bytes(b"\0" * part.stat().st_size)
    get(server, tmp_path)
    assert (tmp_path / PATH[1:]).read_bytes() == BODY


@pytest.mark.parametrize(
    ("page", "manner"),
    [
        (b"please log in", Manner(content_type="text/html; charset=utf-8", ranges=False)),
        (b"<!DOCTYPE html><p>log in", Manner(ranges=False)),
        (b"\n <HTML><p>log in", Manner(content_type="application/octet-stream", ranges=False)),
    ],
)
def test_a_log_in_page_is_named_and_what_had_arrived_is_kept(
    server: WheelServer, tmp_path: Path, page: bytes, manner: Manner
) -> None:
    server.put(PATH, BODY, Manner(hold_at=0.5))
    kept = stop_after(server, tmp_path, 3_000_000)
    server.put(PATH, page, manner)
    with pytest.raises(Trouble) as caught:
        get(server, tmp_path)
    assert "captive portal" in caught.value.meaning
    assert (tmp_path / f"{PATH[1:]}.part").stat().st_size == kept


def test_a_log_in_page_behind_a_redirect_is_named(server: WheelServer, tmp_path: Path) -> None:
    server.put("/login", b"<html>", Manner(content_type="text/html"))
    server.put(PATH, b"", Manner(status=302, location=server.url("/login")))
    with pytest.raises(Trouble, match="web page"):
        get(server, tmp_path)


def test_without_a_hash_something_that_is_no_archive_is_refused(
    server: WheelServer, tmp_path: Path
) -> None:
    server.put(PATH, b"sorry")
    with pytest.raises(Trouble, match="not a wheel"):
        get(server, tmp_path, expected="")


def test_a_server_that_always_breaks_off_is_given_up_after_a_few_tries(
    server: WheelServer, tmp_path: Path
) -> None:
    server.put(PATH, BODY, Manner(drop_at=0.4, drop_always=True, ranges=False))
    waits: list[float] = []
    with pytest.raises(Trouble, match="was lost"):
        get(server, tmp_path, waits=waits)
    assert waits[-len(PAUSES_S) :] == list(PAUSES_S)
    assert len(waits) <= len(PAUSES_S) + 1


def test_progress_between_the_breaks_starts_the_count_again(
    server: WheelServer, tmp_path: Path
) -> None:
    server.put(PATH, BODY, Manner(drop_at=0.3, drop_always=True))
    waits: list[float] = []
    with pytest.raises(Trouble):
        get(server, tmp_path, waits=waits)
    assert waits.count(PAUSES_S[0]) > 2


@pytest.mark.parametrize("status", [403, 404])
def test_a_refusal_is_not_tried_again(server: WheelServer, tmp_path: Path, status: int) -> None:
    server.put(PATH, BODY, Manner(status=status))
    waits: list[float] = []
    with pytest.raises(Trouble, match=f"HTTP {status}"):
        get(server, tmp_path, waits=waits)
    assert waits == []


def test_a_busy_server_is_tried_again(server: WheelServer, tmp_path: Path) -> None:
    server.put(PATH, BODY, Manner(status=503))
    waits: list[float] = []
    with pytest.raises(Trouble, match="HTTP 503"):
        get(server, tmp_path, waits=waits)
    assert waits == list(PAUSES_S)


def test_an_empty_answer_is_never_a_file(server: WheelServer, tmp_path: Path) -> None:
    server.put(PATH, b"")
    with pytest.raises(Trouble):
        get(server, tmp_path)
    assert not (tmp_path / PATH[1:]).exists()


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
marks = st.fixed_dictionaries(
    {
        "expected": st.sampled_from(["", SMALL_HASH, "0" * 64]) | json_values,
        "etag": st.sampled_from(["", '"one"', '"two"', 'W/"one"', "a\r\nX: y"]) | json_values,
        "last_modified": st.sampled_from(["", "yesterday"]) | json_values,
        "size": st.sampled_from([None, 0, 1, len(SMALL) - 1, len(SMALL), len(SMALL) + 1])
        | json_values,
    }
).map(lambda mark: json.dumps(mark).encode())
left_states = marks | json_values.map(lambda value: json.dumps(value).encode()) | st.binary()


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    length=st.integers(0, len(SMALL) + 10),
    state=left_states,
    published=st.booleans(),
)
def test_any_truncation_and_any_state_file_end_in_the_right_bytes(
    server: WheelServer, length: int, state: bytes, published: bool
) -> None:
    server.put(PATH, SMALL)
    with tempfile.TemporaryDirectory() as folder:
        staged = PartialDownload(Path(folder) / PATH[1:])
        staged.part.write_bytes((SMALL + b"more than is there")[:length])
        staged.state.write_bytes(state)
        get(server, Path(folder), SMALL_HASH if published else "")
        assert staged.whole.read_bytes() == SMALL
        assert not staged.part.exists()
        assert staged.computed() == ("" if published else SMALL_HASH)


@pytest.mark.parametrize("junk", [b"", b"{", b"[" * 100_000, b"null", b'{"etag": 1}', b"\xff\xfe"])
def test_a_state_file_that_is_none_counts_as_none(tmp_path: Path, junk: bytes) -> None:
    staged = PartialDownload(tmp_path / "a.whl")
    staged.state.write_bytes(junk)
    assert staged.mark() is None
    assert staged.computed() == ""


def test_a_mark_survives_being_written_and_read(tmp_path: Path) -> None:
    staged = PartialDownload(tmp_path / "a.whl")
    mark = Mark(HASH, '"one"', "Tue, 02 Jan 2024 00:00:00 GMT", 12)
    staged.remember(mark)
    assert staged.mark() == mark
