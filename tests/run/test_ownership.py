"""What is ours is told from what is not, whatever a wheel claims and wherever a link leads."""

import zipfile
from pathlib import Path

import pytest

from wizard.host.distributions import installed, wheel_files
from wizard.host.files import prints
from wizard.run.journal import Owned

PACKAGES = "lib/python3.10/site-packages"


def venv(folder: Path) -> Path:
    (folder / "venv" / PACKAGES).mkdir(parents=True)
    return folder / "venv"


def wheel(folder: Path, *members: str) -> Path:
    path = folder / "torch-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for member in members:
            archive.writestr(member, "")
    return path


def test_a_file_behind_a_link_below_the_venv_is_never_ours(tmp_path: Path) -> None:
    root, precious = venv(tmp_path), tmp_path / "precious"
    precious.mkdir()
    (precious / "__init__.py").write_text("mine")
    (root / PACKAGES / "torch").symlink_to(precious)
    archive = wheel(tmp_path, "torch/__init__.py", "torch-1.dist-info/METADATA")
    assert wheel_files(root, (archive,)) == {}


def test_a_venv_that_is_a_link_itself_has_files_of_ours(tmp_path: Path) -> None:
    root, link = venv(tmp_path), tmp_path / "link"
    (root / "pyvenv.cfg").touch()
    link.symlink_to(root)
    assert set(prints(link, (link / "pyvenv.cfg",))) == {"pyvenv.cfg"}


@pytest.mark.parametrize(
    "row", ["../../../../mine.txt", "/etc/passwd", "a\0b", "a**b.py", "a[1].py"]
)
def test_odd_rows_of_a_record_name_nothing_and_raise_nothing(tmp_path: Path, row: str) -> None:
    root = venv(tmp_path)
    (tmp_path / "mine.txt").touch()
    cache = root / PACKAGES / "__pycache__"
    cache.mkdir()
    (cache / "a1.cpython-310.pyc").touch()
    info = root / PACKAGES / "torch-1.dist-info"
    info.mkdir()
    (info / "RECORD").write_text(f"{row},,\n")
    assert set(installed(root, {"torch": "1.0"})) == {f"{PACKAGES}/torch-1.dist-info/RECORD"}


def test_a_record_that_is_no_text_names_nothing(tmp_path: Path) -> None:
    root = venv(tmp_path)
    info = root / PACKAGES / "torch-1.dist-info"
    info.mkdir()
    (info / "RECORD").write_bytes(b"\xff\xfe,,\n")
    assert set(installed(root, {"torch": "1.0"})) == {f"{PACKAGES}/torch-1.dist-info/RECORD"}


def test_a_wheel_with_a_bare_data_folder_is_read(tmp_path: Path) -> None:
    archive = wheel(tmp_path, "torch-1.data/", "torch-1.data/odd", "torch-1.data/scripts/run")
    root = venv(tmp_path)
    (root / "bin").mkdir()
    (root / "bin/run").touch()
    assert set(wheel_files(root, (archive,))) == {"bin/run"}


def test_a_note_after_a_torn_line_is_whole(tmp_path: Path) -> None:
    (tmp_path / "owned.jsonl").write_bytes(b'["a", 1, 2]\n["b", 1')
    Owned(tmp_path).add({"c": (3, 4)})
    assert Owned(tmp_path).read() == {"a": (1, 2), "c": (3, 4)}


def test_notes_that_are_damaged_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "owned.jsonl").write_bytes(b'\xff\n5\n[["x"], 1, 2]\n["b", 1]\n["a", 1, 2]\n')
    assert Owned(tmp_path).read() == {"a": (1, 2)}
