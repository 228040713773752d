"""The step that reads pip's report: what it may hold, what is said of it, where it ends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from packaging.utils import parse_wheel_filename

from tests.run.server import make_wheel, sha256_of
from tests.system.fetching import never, text_of
from wizard.core.events import Output, Progress
from wizard.core.trouble import Trouble
from wizard.plan.steps import FetchWheels
from wizard.run.pip_report import fetch_reported, read_report


def row(wheel: Path, sha256: str | None = None, **more: object) -> dict[str, object]:
    name, version, _, _ = parse_wheel_filename(wheel.name)
    archive = {"hashes": {"sha256": sha256_of(wheel) if sha256 is None else sha256}}
    return {
        "download_info": {"url": wheel.as_uri(), "archive_info": archive},
        "metadata": {"name": name, "version": str(version)},
        **more,
    }


def report(folder: Path, **changes: object) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps({"version": "1", "install": [], **changes}))
    return path


def step(
    folder: Path, *rows: dict[str, object], hashes: tuple[tuple[str, str], ...] = ()
) -> FetchWheels:
    places = (str(report(folder, install=rows)), str(folder / "staging"), str(folder / "lock.txt"))
    return FetchWheels("a test", *places, "nothing", hashes=hashes)


def carried_out(asked: FetchWheels) -> list[Progress | Output]:
    return list(fetch_reported(asked, cancelled=never, environ={}))


@pytest.fixture
def torch(tmp_path: Path) -> Path:
    return make_wheel(tmp_path / "house", "torch", "1.13.1+rocm5.2", {"torch.py": ""}, size=5_000)


def test_what_the_report_names_is_staged_and_locked(torch: Path, tmp_path: Path) -> None:
    said = text_of(carried_out(step(tmp_path, row(torch))))
    assert said.endswith("lock.txt lists 1 wheel, each with its SHA-256")
    assert (tmp_path / "lock.txt").read_text().splitlines()[1:] == [
        f"torch==1.13.1+rocm5.2 --hash=sha256:{sha256_of(torch)}"
    ]


def test_who_stops_gets_no_lock(torch: Path, tmp_path: Path) -> None:
    assert (
        list(fetch_reported(step(tmp_path, row(torch)), cancelled=lambda: True, environ={})) == []
    )
    assert not (tmp_path / "lock.txt").exists()


def test_our_own_hash_outranks_the_index(torch: Path, tmp_path: Path) -> None:
    known = ((torch.name, sha256_of(torch)),)
    said = text_of(carried_out(step(tmp_path, row(torch, "1" * 64), hashes=known)))
    assert "The index lists a different SHA-256 for" in said
    assert f"sha256:{sha256_of(torch)}" in (tmp_path / "lock.txt").read_text()
    with pytest.raises(Trouble, match="wrong SHA-256"):
        carried_out(step(tmp_path, row(torch), hashes=((torch.name, "2" * 64),)))


def test_a_withdrawn_wheel_and_one_without_label_are_pointed_out(
    torch: Path, tmp_path: Path
) -> None:
    audio = make_wheel(tmp_path / "house", "torchaudio", "0.13.1", {"torchaudio.py": ""})
    said = text_of(carried_out(step(tmp_path, row(torch, is_yanked=True), row(audio))))
    assert "torch-1.13.1+rocm5.2-py3-none-any.whl was withdrawn" in said
    assert "torchaudio-0.13.1-py3-none-any.whl has no label such as" in said


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
