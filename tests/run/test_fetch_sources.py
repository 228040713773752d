"""What a report may hold, wheels on this machine, and disks that are too small."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.run.fetching import Chosen, fetched, make_step, text_of
from tests.run.server import Manner, WheelServer, make_wheel, sha256_of
from tests.run.test_fetch import FETCH, ROOT
from wizard.core.trouble import Trouble
from wizard.run.downloads.resolution import read_report
from wizard.run.downloads.space import in_words, mount_point

MOUNT_AND_RUN = 'mount -t tmpfs -o size=1m none "$1"; shift; exec "$@"'


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    return make_wheel(tmp_path / "house", "torch", "1.0", {"torch.py": ""}, size=5_000)


def test_a_wheel_on_this_machine_is_linked_not_copied(wheel: Path, tmp_path: Path) -> None:
    step = make_step(tmp_path, Chosen.published(wheel, wheel.as_uri()))
    fetched(step)
    assert (tmp_path / "staging" / wheel.name).samefile(wheel)
    assert f"torch==1.0 --hash=sha256:{sha256_of(wheel)}" in (tmp_path / "lock.txt").read_text()


def test_a_local_wheel_is_never_written_to_whatever_a_kill_left(
    server: WheelServer, wheel: Path, tmp_path: Path
) -> None:
    before = wheel.read_bytes()
    newer = b"PK\x03\x04another file of that name"
    (tmp_path / "staging").mkdir()
    os.link(wheel, tmp_path / "staging" / f"{wheel.name}.part")
    address = server.put(f"/{wheel.name}", newer)
    fetched(make_step(tmp_path, Chosen(wheel, address, "")))
    assert wheel.read_bytes() == before
    assert (tmp_path / "staging" / wheel.name).read_bytes() == newer


def test_a_local_wheel_with_a_wrong_hash_is_refused_and_stays_where_it_is(
    wheel: Path, tmp_path: Path
) -> None:
    with pytest.raises(Trouble, match="wrong SHA-256"):
        fetched(make_step(tmp_path, Chosen(wheel, wheel.as_uri(), "1" * 64)))
    assert wheel.exists()
    assert list((tmp_path / "staging").iterdir()) == []


def test_a_local_wheel_that_has_gone_is_named(wheel: Path, tmp_path: Path) -> None:
    step = make_step(tmp_path, Chosen.published(wheel, wheel.as_uri()))
    wheel.unlink()
    with pytest.raises(Trouble, match="no longer exists"):
        fetched(step)


@pytest.mark.parametrize(
    "address",
    [
        "https://host/torch-1.0.tar.gz",
        "https://host/..%2F..%2Fetc%2Ftorch-1.0-py3-none-any.whl",
        "https://host/torch-1.0-py3-none-any.whl/..",
        "https://host/torch%0A-1.0-py3-none-any.whl",
        "https://host/torch-1.0.whl",
        "https://host/-e.whl",
        "https://host/",
    ],
)
def test_anything_but_a_plain_wheel_name_is_refused(
    wheel: Path, tmp_path: Path, address: str
) -> None:
    with pytest.raises(Trouble, match="not a wheel"):
        fetched(make_step(tmp_path, Chosen(wheel, address, "")))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["house", "report.json", "staging"]


def test_a_file_that_is_named_for_another_package_is_refused(wheel: Path, tmp_path: Path) -> None:
    address = "https://host/numpy-1.0-py3-none-any.whl"
    with pytest.raises(Trouble, match=r"contains torch 1\.0"):
        fetched(make_step(tmp_path, Chosen(wheel, address, "")))


def report(folder: Path, **changes: object) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps({"version": "1", "install": [], **changes}))
    return path


@pytest.mark.parametrize(
    "changes",
    [{"version": "2"}, {"install": [{}]}, {"install": None}, {"install": [{"metadata": []}]}],
)
def test_a_report_of_another_shape_is_refused(tmp_path: Path, changes: dict[str, object]) -> None:
    with pytest.raises(Trouble, match="cannot be used"):
        read_report(report(tmp_path, **changes))


def test_a_report_that_is_missing_or_cut_off_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match="No such file"):
        read_report(tmp_path / "report.json")
    (tmp_path / "report.json").write_text('{"version": "1", "inst')
    with pytest.raises(Trouble, match="structure is unknown"):
        read_report(tmp_path / "report.json")


def test_a_folder_of_sources_or_a_checkout_is_refused(tmp_path: Path) -> None:
    item = {
        "metadata": {"name": "torch", "version": "1"},
        "download_info": {"url": "https://me:pw@host/torch.git", "vcs_info": {}},
    }
    with pytest.raises(Trouble, match=r"not a wheel: https://\*\*\*@host/torch.git"):
        read_report(report(tmp_path, install=[item]))


def test_a_withdrawn_wheel_and_one_without_label_are_pointed_out(tmp_path: Path) -> None:
    made = [
        make_wheel(tmp_path / "house", name, version, {f"{name}.py": ""})
        for name, version in (("torch", "1.13.1+rocm5.2"), ("torchaudio", "0.13.1"))
    ]
    step = make_step(tmp_path, *(Chosen.published(path, path.as_uri()) for path in made))
    content = json.loads(Path(step.report).read_text())
    content["install"][0]["is_yanked"] = True
    Path(step.report).write_text(json.dumps(content))
    said = text_of(fetched(step))
    assert "torch-1.13.1+rocm5.2-py3-none-any.whl was withdrawn" in said
    assert "torchaudio-0.13.1-py3-none-any.whl has no label such as" in said


def test_too_little_space_is_told_before_anything_is_downloaded(
    server: WheelServer, wheel: Path, tmp_path: Path
) -> None:
    address = server.put(f"/{wheel.name}", wheel.read_bytes(), Manner(announce=10**18))
    with pytest.raises(Trouble) as caught:
        fetched(make_step(tmp_path, Chosen.published(wheel, address)))
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
    step = make_step(
        tmp_path, Chosen.published(big, server.put(f"/{big.name}", big.read_bytes(), manner))
    )
    arguments = json.dumps([step.report, str(small / "staging"), step.lock])
    in_namespace = ("unshare", "-rm", "sh", "-c", MOUNT_AND_RUN)
    done = subprocess.run(
        (*in_namespace, "-", str(small), sys.executable, "-c", FETCH, arguments),
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
        fetched(make_step(tmp_path, Chosen.published(wheel, wheel.as_uri())))


@pytest.mark.parametrize(
    ("count", "words"),
    [(999, "999 bytes"), (1500, "2 kB"), (3_973_500_000, "4.0 GB"), (10**13, "10000.0 GB")],
)
def test_sizes_are_told_in_units_of_ten(count: int, words: str) -> None:
    assert in_words(count) == words
