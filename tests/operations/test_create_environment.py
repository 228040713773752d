"""An environment is created around what the user has in its folder, and goes without a trace."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

import pytest
from uv import find_uv_bin

from wizard.core.trouble import Trouble
from wizard.host.files import listing
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.operation import Before, Operation
from wizard.system.system import System


@pytest.fixture
def step(tmp_path: Path) -> CreateEnvironment:
    venv, downloads = str(tmp_path / "ai/venv"), str(tmp_path / "cache/work")
    return CreateEnvironment("r", find_uv_bin(), sys.executable, venv, downloads)


def system_of(folder: Path, environ: Mapping[str, str] = os.environ) -> System:
    return System(environ, str(folder), lambda: False)


def done(step: Operation, before: Before, system: System) -> None:
    async def act() -> None:
        async with aclosing(step.do(system, before)) as news:
            async for _ in news:
                pass

    asyncio.run(act())


def test_what_lies_in_the_folder_stays_and_undo_leaves_just_that(
    step: CreateEnvironment, tmp_path: Path
) -> None:
    venv, system = Path(step.venv), system_of(tmp_path)
    (venv / "bin").mkdir(parents=True)
    for mine in ("bin/mine.sh", "models.txt"):
        (venv / mine).write_text("mine")
    before = step.observe()
    assert before["before"] == ["bin/mine.sh", "models.txt"]
    done(step, before, system)
    assert "python" in step.verify(before).text
    assert (venv / "models.txt").read_text() == "mine"
    ours = step.verify(before).files
    assert sorted(set(listing(venv).files) - set(ours)) == ["bin/mine.sh", "models.txt"]


def test_backup_programs_are_not_told_to_leave_the_folder_out(
    step: CreateEnvironment, tmp_path: Path
) -> None:
    done(step, step.observe(), system_of(tmp_path))
    assert not (Path(step.venv) / "CACHEDIR.TAG").exists()
    assert step.shown().endswith(f" && rm -f {step.venv}/CACHEDIR.TAG")


def test_one_that_was_cut_off_is_cleared_and_made_anew(
    step: CreateEnvironment, tmp_path: Path
) -> None:
    venv, system = Path(step.venv), system_of(tmp_path)
    before = step.observe()
    assert not step.remains(before)
    venv.mkdir(parents=True)
    (venv / "pyvenv.cfg").write_text("half of")
    (venv / "notes.txt").write_text("mine")
    assert not step.probe(before)
    with pytest.raises(Trouble, match="is not a whole environment"):
        step.verify(before)
    assert list(step.remains(before)) == ["pyvenv.cfg"]
    (venv / "pyvenv.cfg").unlink()
    done(step, before, system)
    step.verify(before)
    assert (venv / "notes.txt").read_text() == "mine"


def test_the_folders_that_are_made_for_it_are_noted_from_below(
    step: CreateEnvironment, tmp_path: Path
) -> None:
    names = ("ai/venv", "cache", "ai")
    assert step.observe()["made_folders"] == [str(tmp_path / name) for name in names]


def test_neither_variables_nor_files_of_the_caller_have_a_say(
    step: CreateEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    config = tmp_path / "home/.config/uv/uv.toml"
    config.parent.mkdir(parents=True)
    for file in (tmp_path / "uv.toml", config):
        file.write_text('python-preference = "only-managed"\noffline = true\n')
    hostile = {
        "HOME": str(tmp_path / "home"),
        "PATH": os.environ["PATH"],
        "UV_VENV_SEED": "1",
        "UV_VENV_CLEAR": "1",
        "UV_PYTHON": "3.99",
        "UV_SYSTEM_PYTHON": "1",
        "VIRTUAL_ENV": str(tmp_path / "elsewhere"),
        "CONDA_PREFIX": str(tmp_path / "elsewhere"),
    }
    venv = Path(step.venv)
    venv.mkdir(parents=True)
    (venv / "mine").write_text("mine")
    done(step, step.observe(), system_of(tmp_path, hostile))
    assert (venv / "mine").read_text() == "mine"
    assert not list(venv.glob("lib/python3.*/site-packages/pip"))
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    ("python", "told"),
    [
        ("/no/such/python3", "There is no Python at /no/such/python3."),
        ("/bin/true", "/bin/true is not a Python that works."),
    ],
)
def test_a_python_that_is_none_is_named(
    step: CreateEnvironment, tmp_path: Path, python: str, told: str
) -> None:
    with pytest.raises(Trouble) as caught:
        done(replace(step, python=python), step.observe(), system_of(tmp_path))
    assert caught.value.happened == told
    assert not Path(step.venv, "pyvenv.cfg").exists()
