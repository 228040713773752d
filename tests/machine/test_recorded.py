"""Recorded machines: closed to the outside, clear about damage, never running a program."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.machine.records import make
from wizard.core.fact import Unknown
from wizard.host.host import Disk, Query
from wizard.machine.recorded import RecordedHost, RecordError


@pytest.fixture
def fenced(tmp_path: Path) -> RecordedHost:
    """A record with a secret beside it, and every kind of link that tries to reach it."""
    (tmp_path / "secret").write_text("outside")
    folder = tmp_path / "machine"
    links = {
        "/up": "../../../secret",
        "/absolute": str(tmp_path / "secret"),
        "/etc/inside": "/data/file",
        "/loop": "/loop",
        "/folder": "data",
    }
    make(folder, {"/data/file": "inside", "/etc/x": ""}, links=links)
    (folder / "files" / "real").symlink_to(tmp_path / "secret")
    (folder / "files" / "climb").symlink_to("../../secret")
    return RecordedHost(folder)


@pytest.mark.parametrize(
    "path",
    [
        "/up",
        "/absolute",
        "/real",
        "/climb",
        "/../secret",
        "/data/../../secret",
        "/folder/../../secret",
    ],
)
def test_nothing_outside_the_record_can_be_read(fenced: RecordedHost, path: str) -> None:
    assert isinstance(fenced.read(path), Unknown)
    assert not fenced.exists(path)


def test_paths_with_colons_are_read_from_a_folder_without_any(tmp_path: Path) -> None:
    host = make(tmp_path, {"/a:b%3Ac/d:e": "inside", "/a:b%3Ac/f%": ""}, links={"/g:h": "a:b%3Ac"})
    assert not [path for path in tmp_path.rglob("*") if ":" in path.name]
    assert host.names("/") == ("a:b%3Ac", "g:h")
    assert host.names("/a:b%3Ac") == ("d:e", "f%")
    assert host.read("/g:h/d:e") == "inside"
    assert host.size("/g:h/d:e") == 6
    assert host.head("/g:h/d:e", 2) == b"in"
    assert host.is_folder("/g:h")
    assert host.exists("/a:b%3Ac/d:e")
    assert not host.exists("/a:b:c")


def test_absolute_and_relative_links_resolve_inside_the_record(fenced: RecordedHost) -> None:
    assert fenced.read("/etc/inside") == "inside"
    assert fenced.read("/folder/file") == "inside"
    assert fenced.resolve("/folder/../etc/inside") == "/data/file"
    assert fenced.link("/folder") == "/data"


def test_a_loop_of_links_is_unknown_and_no_endless_loop(fenced: RecordedHost) -> None:
    assert isinstance(fenced.read("/loop"), Unknown)
    assert fenced.resolve("/loop") == "/loop"


def test_a_folder_that_holds_nothing_but_links_is_listed(tmp_path: Path) -> None:
    host = make(tmp_path, {"/x": ""}, links={"/etc/alternatives/rocm": "/opt/rocm-5.7.1"})

    assert host.names("/etc/alternatives") == ("rocm",)
    assert host.names("/etc") == Unknown("there is no /etc")


def test_links_are_listed_beside_files_and_are_no_real_folders(fenced: RecordedHost) -> None:
    assert fenced.names("/") == (
        "absolute", "climb", "data", "etc", "folder", "loop", "real", "up",
    )  # fmt: skip
    assert fenced.folders("/") == ("data", "etc")


def test_a_folder_without_the_right_to_read_is_unknown(tmp_path: Path) -> None:
    host = make(tmp_path, {"/home/owner/x": ""}, unreadable=["/home/owner"])

    assert host.names("/home/owner") == Unknown("no permission to read /home/owner")


def test_the_head_and_the_stated_size_of_a_file_are_told(tmp_path: Path) -> None:
    files = {"/lib/a.so": b"\x7fELF and more", "/lib/b.so": b"12345"}
    host = make(tmp_path, files, sizes={"/lib/a.so": 450_000_000}, links={"/l": "/lib/a.so"})
    assert host.head("/l", 4) == b"\x7fELF"
    assert (host.size("/l"), host.size("/lib/b.so")) == (450_000_000, 5)
    assert isinstance(host.size("/lib/c.so"), Unknown)
    assert isinstance(host.head("/lib", 4), Unknown)


def test_a_program_is_never_run_only_its_recorded_answer_given(tmp_path: Path) -> None:
    host = make(tmp_path, {"/x": ""}, answers={"DPKG_PACKAGES": "a\t1\tii \tm\n"})

    assert host.ask(Query.DPKG_PACKAGES) == "a\t1\tii \tm\n"
    assert host.ask(Query.RPM_PACKAGES) == Unknown("rpm is not installed")


def test_a_path_is_on_the_nearest_recorded_file_system(tmp_path: Path) -> None:
    disks = [
        {"filesystem": "/", "total_bytes": 10, "free_bytes": 1},
        {"filesystem": "/home", "total_bytes": 20, "free_bytes": 2},
    ]
    host = make(tmp_path, {"/x": ""}, disks=disks)

    assert host.disk("/home/owner") == Disk("/home/owner", "/home", 20, 2)
    assert host.disk("/opt/rocm") == Disk("/opt/rocm", "/", 10, 1)


def test_the_disk_of_a_path_that_nobody_looked_at_is_not_known(tmp_path: Path) -> None:
    disks = [{"path": "/srv", "filesystem": "/", "total_bytes": 10, "free_bytes": 1}]
    host = make(tmp_path, {"/x": ""}, disks=disks)

    assert host.disk("/srv") == Disk("/srv", "/", 10, 1)
    assert isinstance(host.disk("/mnt/large"), Unknown)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "record.json is not valid JSON"),
        ("{", "record.json is not valid JSON"),
        ("[" * 100_000, "record.json is not valid JSON"),
        ("[]", "it must contain one JSON object"),
        ('{"uid": "1000"}', "uid must be a whole number"),
        ('{"uid": true}', "uid must be a whole number"),
        ('{"user": null}', "user must be a text"),
        ('{"links": {"/a": 1}}', "links./a must be a text, not 1"),
        ('{"access": [1]}', "access must be a text, not 1"),
        ('{"disks": [{"total_bytes": "big"}]}', "disks.total_bytes must be a whole number"),
        ('{"answers": {"DPKG_PACKAGES": 1}}', "answers.DPKG_PACKAGES must be a text, not 1"),
    ],
)
def test_a_damaged_record_gives_one_clear_sentence(text: str, reason: str, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    (tmp_path / "record.json").write_text(text)

    with pytest.raises(RecordError) as caught:
        RecordedHost(tmp_path)

    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("sizes", [{"/a": "1"}, {"/a": -1}, {"/a": True}, [1]])
def test_sizes_that_are_none_are_a_record_error(sizes: object, tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="sizes"):
        make(tmp_path, {"/a": ""}, sizes=sizes)


def test_a_folder_that_is_no_record_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"record\.json could not be read"):
        RecordedHost(tmp_path)
    (tmp_path / "record.json").write_text("{}")
    with pytest.raises(RecordError, match="it has no 'files' folder"):
        RecordedHost(tmp_path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
keys = st.sampled_from(
    ["name", "user", "uid", "home", "environ", "groups_in_force", "links", "access", "groups",
     "memory_bytes", "disks", "answers", "prefix", "glibc", "unreadable", "architecture"]
)  # fmt: skip


@settings(deadline=None)  # files: a slow disk is no failure
@given(st.dictionaries(keys, json_values))
def test_any_record_is_either_usable_or_a_record_error(values: dict[str, object]) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "files").mkdir()
        (folder / "record.json").write_text(json.dumps(values))
        with suppress(RecordError):  # anything else fails the test
            RecordedHost(folder)
