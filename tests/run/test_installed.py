"""What is installed in a venv: ours by name and version, others told."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.run.wheels import make_wheel
from wizard.core.trouble import Trouble
from wizard.host.distributions import (
    installed,
    lock_pins,
    missing_files,
    others_installed,
    wheel_files,
)
from wizard.host.files import prints
from wizard.operations.install_wheels import InstallWheels

SITE = "lib/python3.10/site-packages"


def install(root: Path, name: str, version: str, *files: str) -> None:
    info = root / SITE / f"{name}-{version}.dist-info"
    info.mkdir(parents=True)
    for file in files:
        (root / SITE / file).write_text(version)
    (info / "RECORD").write_text("".join(f"{file},,\n" for file in files))


def test_a_second_version_of_the_same_name_is_not_ours(tmp_path: Path) -> None:
    install(tmp_path, "torch", "1.13.1+rocm5.2", "ours.py")
    install(tmp_path, "torch", "1.12.0", "theirs.py")
    found = installed(tmp_path, {"torch": "1.13.1+rocm5.2"})
    assert f"{SITE}/ours.py" in found
    assert f"{SITE}/theirs.py" not in found
    assert others_installed(tmp_path, {"torch": "1.13.1+rocm5.2"}) == ("torch 1.12.0",)


def test_a_version_may_be_spelt_otherwise_in_the_folders_name(tmp_path: Path) -> None:
    install(tmp_path, "Typing_Extensions", "4.8", "te.py")
    pins = {"typing-extensions": "4.8.0"}
    assert f"{SITE}/te.py" in installed(tmp_path, pins)
    assert others_installed(tmp_path, pins) == ()


def test_a_lock_gives_names_and_versions_without_their_hashes(tmp_path: Path) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text(
        "Torch==1.13.1+rocm5.2 --hash=sha256:aa \\\n    --hash=sha256:bb\nnumpy==1.26.4\n"
    )
    assert lock_pins(lock) == {"torch": "1.13.1+rocm5.2", "numpy": "1.26.4"}
    assert lock_pins(tmp_path / "absent") == {}


def test_bytecode_is_ours_with_its_source_also_where_compiling_was_cut_off(tmp_path: Path) -> None:
    compiled = tmp_path / "__pycache__"
    compiled.mkdir()
    names = ("a.b.cpython-310.pyc", "a.b.cpython-312.opt-1.pyc", "a.b.cpython-310.pyc.1396")
    for name in (*names, "a.cpython-310.pyc", "a.b.pyc", "a.b.txt"):
        (compiled / name).touch()
    found = prints(tmp_path, (tmp_path / "a.b.py", tmp_path / "a.txt"))
    assert set(found) == {f"__pycache__/{name}" for name in names}


def test_what_somebody_installed_meanwhile_is_refused_before_anything_is_cleared(
    tmp_path: Path,
) -> None:
    install(tmp_path, "torch", "2.2.0", "patched.py")
    lock = tmp_path / "lock.txt"
    lock.write_text("torch==1.13.1+rocm5.2 --hash=sha256:aa\n")
    site = str(tmp_path / SITE)
    step = InstallWheels("r", "", str(tmp_path), str(tmp_path), str(lock), site=site)
    for refuses in (partial(step.refuse_to_overwrite, (), ()), partial(step.probe, {})):
        with pytest.raises(Trouble, match=r"torch 2\.2\.0"):
            refuses()
    assert (tmp_path / SITE / "patched.py").read_text() == "2.2.0"


def test_packages_of_another_python_below_are_neither_ours_nor_in_the_way(tmp_path: Path) -> None:
    own, other = (tmp_path / f"lib/python3.{minor}/site-packages" for minor in (10, 9))
    for site, version in ((own, "1.13.1"), (other, "2.0")):
        info = site / f"torch-{version}.dist-info"
        info.mkdir(parents=True)
        (info / "RECORD").write_text("torch.py,,\n")
        (site / "torch.py").write_text("torch")
    pins = {"torch": "1.13.1"}
    lock = tmp_path / "lock.txt"
    lock.write_text("torch==1.13.1\n")
    (other / "torch.py").unlink()
    wheel = make_wheel(tmp_path, "torch", "2.0", {"torch.py": ""})
    assert others_installed(tmp_path, pins, str(own)) == ()
    assert missing_files(tmp_path, lock, str(own)) == ()
    assert all(p.startswith("lib/python3.10/") for p in installed(tmp_path, pins, str(own)))
    assert set(wheel_files(tmp_path, (wheel,), str(own))) == {f"{SITE}/torch.py"}


def test_a_file_of_the_user_s_at_the_place_of_a_wheel_s_is_never_written_over(
    tmp_path: Path,
) -> None:
    venv, staging = tmp_path / "venv", tmp_path / "wheels"
    install(venv, "torchaudio", "1.0", "torchaudio.py")
    make_wheel(staging, "torchaudio", "1.0", {"torchaudio.py": "", "more.py": ""})
    site = str(venv / SITE)
    step = InstallWheels("r", "", str(venv), str(staging), "", site=site)
    with pytest.raises(Trouble, match=r"already exists, and this program"):
        step.refuse_to_overwrite((), ())
    # What an earlier try has installed is ours, and so is its bytecode.
    ours = prints(venv, (venv / SITE).rglob("*"))
    compiled = venv / SITE / "__pycache__/torchaudio.cpython-310.pyc"
    compiled.parent.mkdir()
    compiled.write_text("compiled later")
    step.refuse_to_overwrite((), ours)


def test_the_program_of_pip_that_is_named_after_the_python_belongs_to_its_wheel(
    tmp_path: Path,
) -> None:
    wheel = make_wheel(tmp_path / "wheels", "pip", "26.0", {"pip/__init__.py": ""})
    (tmp_path / SITE).mkdir(parents=True)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/pip3.10").write_text("#!python\n")

    assert "bin/pip3.10" in wheel_files(tmp_path, (wheel,))
