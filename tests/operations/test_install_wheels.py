"""What uv really does when it installs for us: it, its cache, what it obeys, and how it fails."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from uv import find_uv_bin

from tests.run.places import plan_of
from tests.run.wheels import make_wheel, sha256_of
from wizard.core.events import Output
from wizard.core.trouble import Trouble
from wizard.operations.install_wheels import InstallWheels
from wizard.run.obstacles import run_to_resume
from wizard.system.system import System

FILES = {"big/__init__.py": "x = 1\n", "big/data.bin": "d" * 90_000}


@pytest.fixture
def step(tmp_path: Path) -> InstallWheels:
    """Two wheels and their lock, and an environment without anything."""
    venv, staging, lock = tmp_path / "venv", tmp_path / "wheels", tmp_path / "lock.txt"
    subprocess.run((sys.executable, "-m", "venv", "--without-pip", venv), check=True)
    wheels = (
        make_wheel(staging, "big", "2.0+cpu", FILES),
        make_wheel(staging, "small", "1.0", {"small.py": "y = 2\n"}),
    )
    names = ("big==2.0+cpu", "small==1.0")
    rows = (f"{n} --hash=sha256:{sha256_of(w)}\n" for n, w in zip(names, wheels, strict=True))
    lock.write_text("".join(rows))
    return InstallWheels("r", find_uv_bin(), str(venv), str(staging), str(lock))


def carry_out(step: InstallWheels, environ: Mapping[str, str] = os.environ) -> str:
    """What was printed."""
    system, before = System(environ, str(Path(step.venv).parent), lambda: False), step.observe()

    async def printed() -> str:
        async with aclosing(step.do(system, before)) as news:
            told = [each.lines async for each in news if isinstance(each, Output)]
        step.verify(before)
        return "\n".join(line for lines in told for line in lines)

    return asyncio.run(printed())


def failure(step: InstallWheels) -> str:
    with pytest.raises(Trouble) as caught:
        carry_out(step)
    return caught.value.happened


def installed_files(step: InstallWheels) -> set[str]:
    """Everything in the site folder."""
    (site,) = Path(step.venv).glob("lib/python3.*/site-packages")
    paths = (path for path in site.rglob("*") if path.is_file())
    return {str(p.relative_to(step.venv)) for p in paths}


def test_what_it_installs_is_compiled_ours_and_linked_to_nothing(
    step: InstallWheels, tmp_path: Path
) -> None:
    carry_out(step)
    assert not Path(step.cache).exists()
    files = {*installed_files(step), ".lock"}
    assert {Path(name).suffix for name in files} >= {".py", ".pyc", ".bin"}
    assert {Path(step.venv, name).stat().st_nlink for name in files} == {1}
    assert set(step.verify({}).files) >= files


def test_neither_variables_nor_files_of_the_caller_have_a_say(
    step: InstallWheels, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    elsewhere, config = tmp_path / "elsewhere", tmp_path / "home/.config/uv/uv.toml"
    config.parent.mkdir(parents=True)
    for file in (tmp_path / "uv.toml", config):
        file.write_text('link-mode = "symlink"\n[pip]\ntarget = "/nowhere"\n')
    hostile = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "UV_CACHE_DIR": str(elsewhere),
        "UV_COMPILE_BYTECODE_TIMEOUT": "nonsense",
        "UV_CONFIG_FILE": str(config),
        "UV_LINK_MODE": "symlink",
        "UV_NO_BINARY": "1",
        "UV_REQUIRE_HASHES": "0",
        "UV_TARGET": str(elsewhere),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPYCACHEPREFIX": str(elsewhere),
        "VIRTUAL_ENV": str(elsewhere),
        "CONDA_PREFIX": str(elsewhere),
        "FORCE_COLOR": "1",
    }
    assert "\x1b" not in carry_out(step, hostile)
    assert not elsewhere.exists()
    assert any(name.endswith(".pyc") for name in installed_files(step))


def test_a_cache_that_a_killed_run_left_is_not_used(step: InstallWheels) -> None:
    Path(step.cache, "archive-v0").mkdir(parents=True)
    Path(step.cache, "archive-v0/big").write_text("half")
    carry_out(step)
    assert not Path(step.cache).exists()


def test_what_uv_had_not_written_whole_goes_too(step: InstallWheels) -> None:
    venv = Path(step.venv)
    (site,) = venv.glob("lib/python3.*/site-packages")
    (venv / "bin/.tmpMine00").write_text("mine")
    (venv / "bin/.tmpMine000").write_text("longer than uv's")
    before = step.observe()
    drafts = (site / "big-2.0+cpu.dist-info/.tmpaB3xYz", venv / "bin/.tmpQ1w2E3")
    drafts[0].parent.mkdir()
    (site / "big/empty").mkdir(parents=True)
    for draft in drafts:
        draft.write_text("half")
    assert set(step.remains(before)) == {str(draft.relative_to(venv)) for draft in drafts}
    assert str(drafts[0].parent.relative_to(venv)) in step.emptied
    assert str((site / "big/empty").relative_to(venv)) not in step.emptied


def test_a_folder_with_the_name_of_the_cache_that_was_there_before_is_not_touched(
    step: InstallWheels, tmp_path: Path
) -> None:
    plan = replace(plan_of(tmp_path, step), venv=str(tmp_path / "elsewhere"))
    assert run_to_resume(plan, ()) is None
    Path(step.cache).mkdir()
    with pytest.raises(Trouble, match=f"{step.cache} already exists"):
        run_to_resume(plan, ())


def test_review_shows_the_call_with_its_variables(step: InstallWheels) -> None:
    words = f"UV_COMPILE_BYTECODE_TIMEOUT=0 {step.uv} pip install --python {step.python} "
    assert str(step).startswith(words)
    assert f" --cache-dir {step.cache} && {step.uv} pip check --python {step.python}" in str(step)
    assert "pip check" not in str(replace(step, site="/site"))


@pytest.mark.parametrize("content", [b"a login page", None], ids=["no archive", "another wheel"])
def test_a_wheel_that_changed_since_is_removed_and_nothing_is_installed(
    step: InstallWheels, content: bytes | None
) -> None:
    small = next(Path(step.staging).glob("small*"))
    make_wheel(small.parent, "small", "1.0", {"small.py": "y = 3\n"})
    if content:
        small.write_bytes(content)
    assert failure(step) == "small-1.0-py3-none-any.whl changed after the download."
    assert not small.exists()
    assert next(Path(step.staging).glob("big*")).exists()
    assert installed_files(step) == set()
    assert not Path(step.cache).exists()


def test_a_wheel_that_is_gone_is_named(step: InstallWheels) -> None:
    next(Path(step.staging).glob("small*")).unlink()
    assert failure(step) == "small is no longer in the download folder."


def test_a_wheel_of_another_python_is_named(step: InstallWheels) -> None:
    wheel = next(Path(step.staging).glob("small*"))
    wheel.rename(wheel.with_name("small-1.0-cp38-cp38-linux_x86_64.whl"))
    assert failure(step) == "small==1.0 has no wheel for this Python and machine."


def test_what_is_no_archive_is_told(step: InstallWheels) -> None:
    wheel, lock = next(Path(step.staging).glob("small*")), Path(step.lock)
    before = sha256_of(wheel)
    wheel.write_text("a login page")
    lock.write_text(lock.read_text().replace(before, sha256_of(wheel)))
    assert failure(step) == "The downloaded file is not a wheel."


def test_a_folder_that_may_not_be_written_is_told(step: InstallWheels) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere: run as a user")
    (site,) = Path(step.venv).glob("lib/python3.*/site-packages")
    site.chmod(0o555)
    try:
        assert failure(step) == "A file or folder could not be created or changed."
    finally:
        site.chmod(0o755)


def test_one_that_is_too_slow_is_ended_and_its_cache_removed(step: InstallWheels) -> None:
    uv = Path(step.venv).parent / "uv"
    uv.write_text(f"#!/bin/sh\nmkdir -p {step.cache}/half\nsleep 60\n")
    uv.chmod(0o755)
    slow = replace(step, uv=str(uv), deadline_s=0.5)
    assert "did not finish within 0 s and was stopped" in failure(slow)
    assert not Path(step.cache).exists()


def test_one_that_is_killed_says_so(step: InstallWheels) -> None:
    uv = Path(step.venv).parent / "uv"
    uv.write_text("#!/bin/sh\necho Resolved 2 packages in 2ms\nkill -9 $$\n")
    uv.chmod(0o755)
    assert failure(replace(step, uv=str(uv))) == "The program was killed (signal 9)."


def test_a_package_of_which_only_empty_folders_are_left_is_installed(step: InstallWheels) -> None:
    """uv makes the folders first, then fills them: a kill between leaves them."""
    (site,) = Path(step.venv).glob("lib/python3.*/site-packages")
    (site / "big-2.0+cpu.dist-info").mkdir()
    assert not step.remains({"there": []})

    carry_out(step)

    assert (site / "big-2.0+cpu.dist-info/METADATA").is_file()
