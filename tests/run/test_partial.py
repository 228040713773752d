"""Whatever an earlier run left behind, the right bytes come out in the end."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.run.fetching import never
from tests.run.server import Manner, WheelServer
from wizard.run.downloads.download import Patience, Wanted, download
from wizard.run.downloads.partial import Mark, Staged
from wizard.run.downloads.web import open_web

PATH = "/a-1-py3-none-any.whl"
BODY = b"PK\x03\x04" + random.Random(3).randbytes(5_000)  # noqa: S311 - a body
HASH = sha256(BODY).hexdigest()


@pytest.fixture(scope="module")
def server() -> Iterator[WheelServer]:
    with pytest.MonkeyPatch.context() as patch, WheelServer() as running:
        patch.setenv("no_proxy", "127.0.0.1")
        running.put(PATH, BODY, Manner(etag='"one"'))
        yield running


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
marks = st.fixed_dictionaries(
    {
        "expected": st.sampled_from(["", HASH, "0" * 64]) | json_values,
        "etag": st.sampled_from(["", '"one"', '"two"', 'W/"one"', "a\r\nX: y"]) | json_values,
        "last_modified": st.sampled_from(["", "yesterday"]) | json_values,
        "size": st.sampled_from([None, 0, 1, len(BODY) - 1, len(BODY), len(BODY) + 1])
        | json_values,
    }
).map(lambda mark: json.dumps(mark).encode())
left_states = marks | json_values.map(lambda value: json.dumps(value).encode()) | st.binary()


@settings(max_examples=60, deadline=None)
@given(
    length=st.integers(0, len(BODY) + 10),
    state=left_states,
    published=st.booleans(),
)
def test_any_truncation_and_any_state_file_end_in_the_right_bytes(
    server: WheelServer, length: int, state: bytes, published: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        staged = Staged(Path(folder) / PATH[1:])
        staged.part.write_bytes((BODY + b"more than is there")[:length])
        staged.state.write_bytes(state)
        wanted = Wanted(server.url(PATH), staged.whole, HASH if published else "")
        waits: list[float] = []
        for _ in download(wanted, open_web({}), Patience(never, waits.append)):
            pass
        assert staged.whole.read_bytes() == BODY
        assert not staged.part.exists()
        assert staged.computed() == ("" if published else HASH)


@pytest.mark.parametrize("junk", [b"", b"{", b"[" * 100_000, b"null", b'{"etag": 1}', b"\xff\xfe"])
def test_a_state_file_that_is_none_counts_as_none(tmp_path: Path, junk: bytes) -> None:
    staged = Staged(tmp_path / "a.whl")
    staged.state.write_bytes(junk)
    assert staged.mark() is None
    assert staged.computed() == ""


def test_a_mark_survives_being_written_and_read(tmp_path: Path) -> None:
    staged = Staged(tmp_path / "a.whl")
    mark = Mark(HASH, '"one"', "Tue, 02 Jan 2024 00:00:00 GMT", 12)
    staged.remember(mark)
    assert staged.mark() == mark
