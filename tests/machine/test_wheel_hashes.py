"""Libraries of wheels against the hashes in their RECORD, on request."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path

import pytest

from tests.machine.records import MACHINES
from wizard.__main__ import main
from wizard.host.live import LiveHost
from wizard.machine.torch import verify

CONTENT = b"code of gfx1030" * 400_000


@pytest.fixture
def lib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``torch/lib`` of a wheel with two libraries in the user site of a home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))
    site = tmp_path / ".local/lib/python3.12/site-packages"
    folder = site / "torch/lib"
    folder.mkdir(parents=True)
    (site / "torch/version.py").write_text("__version__ = '2.5.1+rocm6.2'\n")
    info = site / "torch-2.5.1+rocm6.2.dist-info"
    info.mkdir()
    digest = base64.urlsafe_b64encode(hashlib.sha256(CONTENT).digest()).decode().rstrip("=")
    names = ("libMIOpen.so", "librocblas.so")
    lines = [f"torch/lib/{name},sha256={digest},{len(CONTENT)}\n" for name in names]
    (info / "RECORD").write_text("".join(lines))
    for name in names:
        (folder / name).write_bytes(CONTENT)
    return folder


def outcomes(lib: Path) -> dict[str, str]:
    """Outcomes of the libraries in a folder, by their names."""
    found = verify(LiveHost(), lambda path, done, total: None)
    inside = (one for one in found if Path(one.path).parent == lib)
    return {Path(one.path).name: one.outcome for one in inside}


def test_libraries_as_they_were_installed_are_said_to_be(lib: Path) -> None:
    assert outcomes(lib) == {"libMIOpen.so": "as installed", "librocblas.so": "as installed"}


def test_one_other_byte_of_the_same_size_is_seen(lib: Path) -> None:
    (lib / "libMIOpen.so").write_bytes(b"C" + CONTENT[1:])

    assert outcomes(lib)["libMIOpen.so"] == "changed"


def test_what_cannot_be_read_says_why_and_does_not_block(lib: Path) -> None:
    (lib / "libMIOpen.so").unlink()
    (lib / "librocblas.so").unlink()
    os.mkfifo(lib / "librocblas.so")

    assert outcomes(lib) == {
        "libMIOpen.so": f"there is no {lib}/libMIOpen.so",
        "librocblas.so": f"{lib}/librocblas.so is not a regular file",
    }


def test_progress_reaches_the_size_of_each_library(lib: Path) -> None:
    heard: list[tuple[str, int, int]] = []

    def hear(path: str, done: int, total: int) -> None:
        heard.append((Path(path).name, done, total))

    tuple(verify(LiveHost(), hear))

    mine = [done for name, done, total in heard if (name, total) == ("libMIOpen.so", len(CONTENT))]
    assert len(mine) > 1
    assert mine[-1] == len(CONTENT)


def test_the_command_tells_hashes_only_when_asked(
    lib: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (lib / "libMIOpen.so").write_bytes(b"C" + CONTENT[1:])

    main(["detect", "--verify"])
    assert f"{lib}/libMIOpen.so: changed" in capsys.readouterr().out
    main(["detect"])
    assert "by hash" not in capsys.readouterr().out
    main(["detect", "--json", "--verify"])
    verified = json.loads(capsys.readouterr().out)["verified"]
    assert {"path": f"{lib}/librocblas.so", "outcome": "as installed"} in verified


def test_a_recorded_machine_is_not_verified(capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(MACHINES / "no-amd-gpu")

    assert main(["--machine", folder, "detect", "--verify"]) == 2
    assert "has no libraries" in capsys.readouterr().err
