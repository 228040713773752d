"""``report --record``: the same facts, and nothing that is the owner's own business."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from tests.machine.planting import betrayed, planted
from tests.machine.records import MACHINES, NAMES, make
from wizard.__main__ import main
from wizard.host.host import Host
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost
from wizard.machine.recording.disguise import disguise_of
from wizard.machine.recording.host import RecordingHost
from wizard.machine.recording.recorder import (
    Made,
    differences,
    disguised,
    keep_files,
    make_record,
    write,
)

SAMPLE = ("rx5600xt-noble-rocm62-miopen", "rx5700-rx5500xt-noble", "bc250-fedora")
"""The end-to-end tests take all of them."""


def record(inner: Host, folder: Path) -> Made:
    """Record a machine in a folder."""
    made = make_record(inner, folder.name)
    write(made.record, folder)
    return made


@pytest.mark.parametrize("name", SAMPLE)
def test_the_record_of_a_machine_tells_the_same_facts(name: str, tmp_path: Path) -> None:
    made = record(RecordedHost(MACHINES / name), tmp_path / "record")

    assert differences(made.machine, tmp_path / "record", made.disguise) == ()
    assert made.left_out == set()


@pytest.mark.parametrize("name", NAMES)
def test_secrets_and_names_stay_out_and_the_facts_stay(name: str, tmp_path: Path) -> None:
    inner = planted(name, tmp_path / "live", everywhere=False)

    made = record(inner, tmp_path / "record")

    assert betrayed(tmp_path / "record") == []
    assert made.left_out == set()
    replayed = disguised(detect(RecordedHost(tmp_path / "record")), made.disguise)
    live = disguised(made.machine, made.disguise)
    assert {**replayed, "recorded": ""} == {**live, "recorded": ""}


@pytest.mark.parametrize("name", SAMPLE)
def test_secrets_in_files_that_hold_one_word_stay_out(name: str, tmp_path: Path) -> None:
    made = record(planted(name, tmp_path / "live", everywhere=True), tmp_path / "record")

    assert betrayed(tmp_path / "record") == []
    assert made.left_out == set()


def test_every_file_of_a_planted_machine_held_a_secret(tmp_path: Path) -> None:
    planted("rx5600xt-noble-rocm57", tmp_path / "live", everywhere=True)

    assert len(betrayed(tmp_path / "live")) > 300


def test_a_file_that_is_not_on_the_list_is_left_out_and_named(tmp_path: Path) -> None:
    host = RecordingHost(make(tmp_path, {"/etc/secret.conf": "hunter2"}))
    machine = detect(host)
    host.read("/etc/secret.conf")

    kept = keep_files(host, disguise_of(host.inner), machine)

    assert kept.left_out == {"/etc/secret.conf"}
    assert "/etc/secret.conf" not in kept.files


def test_a_user_named_like_a_word_of_every_machine_breaks_no_path(tmp_path: Path) -> None:
    files = {
        "/etc/passwd": "rocm:x:1000:1000:Rock Em:/home/rocm:/bin/sh\n",
        "/opt/rocm-5.7.1/.info/version": "5.7.1-98\n",
        "/home/rocm/.bashrc": "export HSA_X=/home/rocm/x\n",
    }
    inner = make(tmp_path / "live", files, user="rocm", home="/home/rocm")

    made = record(inner, tmp_path / "record")

    assert differences(made.machine, tmp_path / "record", made.disguise) == ()
    replayed = detect(RecordedHost(tmp_path / "record"))
    assert replayed.rocm_trees[0].path == "/opt/rocm-5.7.1"
    assert replayed.settings[0].value == "/home/owner/x"


def test_a_group_that_is_called_like_a_company_is_disguised(tmp_path: Path) -> None:
    files = {
        "/etc/passwd": "ada:x:1000:1000::/home/ada:/bin/sh\n",
        "/etc/group": "ada:x:1000:\nrender:x:109:ada\nacme-research:x:1001:ada\n",
    }
    inner = make(tmp_path / "live", files, user="ada", home="/home/ada",
                 groups_in_force=["ada", "render", "acme-research"])  # fmt: skip

    made = record(inner, tmp_path / "record")

    assert differences(made.machine, tmp_path / "record", made.disguise) == ()
    groups = detect(RecordedHost(tmp_path / "record")).access.groups_in_file
    assert isinstance(groups, tuple)
    assert set(groups) == {"owner", "render", "GROUP-1"}
    assert "acme" not in "".join(path.read_text() for path in tmp_path.glob("record/**/*.json"))


def test_root_stays_root(tmp_path: Path) -> None:
    inner = make(tmp_path / "live", {"/root/.bashrc": "export HSA_X=1\n"}, user="root", uid=0,
                 home="/root")  # fmt: skip

    made = record(inner, tmp_path / "record")

    assert differences(made.machine, tmp_path / "record", made.disguise) == ()
    assert detect(RecordedHost(tmp_path / "record")).access.user == "root"


def test_why_a_file_could_not_be_read_is_replayed(tmp_path: Path) -> None:
    files = {"/etc/profile.d/rocm.sh": "export HSA_X=1", "/home/owner/.bashrc": ""}
    failures = {"/home/owner/.bashrc": "cat did not respond within 5 s", "DPKG_PACKAGES": "no"}
    unreadable = ["/etc/profile.d/rocm.sh"]
    inner = make(tmp_path / "live", files, unreadable=unreadable, failures=failures)

    made = record(inner, tmp_path / "record")

    replayed = detect(RecordedHost(tmp_path / "record"))
    assert made.machine.unread == replayed.unread != ()
    assert made.machine.rocm_packages == replayed.rocm_packages


def run(*arguments: str) -> int:
    return main(["report", *arguments, "--machine", str(MACHINES / "rx5600xt-noble-rocm57")])


def test_the_folder_is_its_owners_alone_and_its_files_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "record"

    assert run("--record", str(folder)) == 0

    printed = capsys.readouterr().out
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for path in folder.rglob("*"):
        assert path.is_dir() or stat.S_IMODE(path.stat().st_mode) == 0o600
        assert path.is_dir() or str(path.relative_to(folder)) in printed


@pytest.mark.parametrize("made", ["file", "full", "link", "orphan"])
def test_a_place_that_is_taken_is_refused_before_anything_is_looked_at(
    made: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "record"
    if made == "file":
        folder.write_text("mine")
    elif made == "full":
        folder.mkdir()
        (folder / "mine").touch()
    elif made == "link":
        folder.symlink_to(tmp_path)
    else:
        folder = tmp_path / "none" / "record"
    before = sorted(tmp_path.rglob("*"))

    assert run("--record", str(folder)) == 2

    assert "name" in (said := capsys.readouterr().err) or "does not exist" in said
    assert sorted(tmp_path.rglob("*")) == before


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    (tmp_path / "record").mkdir(mode=0o755)

    assert run("--record", str(tmp_path / "record")) == 0

    assert stat.S_IMODE((tmp_path / "record").stat().st_mode) == 0o700
    assert json.loads((tmp_path / "record" / "record.json").read_text())["name"] == "record"


def test_a_dry_run_shows_what_it_would_record_and_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("--dry-run", "--record", str(tmp_path / "record")) == 0

    printed = capsys.readouterr().out
    assert "A dry run writes nothing" in printed
    assert "files/proc/cpuinfo" in printed
    assert list(tmp_path.iterdir()) == []
