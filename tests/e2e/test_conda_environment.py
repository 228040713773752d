"""Environments that are no venv, or see more than their own packages: conda's, the system's.

The conda environment is made by hand: a Python of this machine, packages that conda's metadata
claims, no ``pyvenv.cfg``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.existing import CUDA, SITE, make_old_wheels, state, versions
from tests.e2e.homes import Home, python_310
from tests.run.server import make_stand_ins
from tests.run.wheels import make_wheel

pytestmark = pytest.mark.e2e

BY_CONDA = ("pip", "setuptools", "numpy")
NEW = {"torch": "1.13.1+rocm5.2", "torchvision": "0.14.1+rocm5.2", "numpy": "1.26.4"}
LEFT_OUT = shutil.ignore_patterns("test", "idlelib", "tkinter", "config-*", "__pycache__", "*.a")


@dataclass(frozen=True)
class Scene:
    """A home with an environment in it, and the wheels for the stack."""

    home: Home
    folder: Path
    house: Path

    def command(self, name: str = "apply", *further: str) -> tuple[str, ...]:
        """What changes the environment, for a card that is elsewhere."""
        yes = ("--yes",) if name == "apply" else ()
        source = ("--wheelhouse", str(self.house), "--without-card")
        return (name, "--stack", "rocm52", *source, "--venv", str(self.folder), *yes, *further)

    def apply(self) -> str:
        """What a run says that ends well."""
        done = self.home.run(*self.command())
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def plan(self) -> dict[str, object]:
        """The plan."""
        planned = self.home.run(*self.command("plan", "--json"))
        found: dict[str, object] = json.loads(planned.stdout)
        return found

    def go_back(self) -> None:
        """Roll back."""
        undone = self.home.run("rollback", "--yes")
        assert undone.returncode == 0, undone.stdout + undone.stderr


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("old")
    make_old_wheels(folder)
    make_stand_ins(folder)  # typing-extensions, and a numpy 1
    return folder


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    make_stand_ins(folder)
    for name in ("pip", "setuptools"):
        make_wheel(folder, name, "80.0", {})
    return folder


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory, old: Path) -> Path:
    """A Python with its library, as conda lays one out, and numpy by conda."""
    made, source = tmp_path_factory.mktemp("conda") / "comfy", python_310().resolve().parents[1]
    shutil.copytree(source / "lib", made / "lib", symlinks=True, ignore=LEFT_OUT)
    (made / "bin").mkdir()
    shutil.copy(source / "bin/python3.10", made / "bin/python3.10")
    for name in ("python", "python3"):
        (made / f"bin/{name}").symlink_to("python3.10")
    for left in (made / SITE).iterdir():
        if not left.name.startswith(("pip", "setuptools", "pkg_resources", "_distutils")):
            shutil.rmtree(left) if left.is_dir() else left.unlink()
    install(made, old, "numpy==1.26.4")
    (made / "conda-meta").mkdir()
    (made / "conda-meta/history").write_text("==> 2026-11-01 10:00:00 <==\n")
    claim(made, "python-3.10.13-hd12c33a_1_cpython", "openssl-3.4.0-hb9d3cd8_0")
    for name in BY_CONDA:
        claim(made, f"{name}-{versions(made)[name]}-py310h_0")
        (info,) = (made / SITE).glob(f"{name}-*.dist-info")
        (info / "INSTALLER").write_text("conda\n")
        (info / "REQUESTED").unlink(missing_ok=True)
    return made


def claim(folder: Path, *packages: str) -> None:
    """Have conda's records list packages."""
    for package in packages:
        (folder / f"conda-meta/{package}.json").write_text("{}")


def install(folder: Path, wheels: Path, *packages: str, more: tuple[str, ...] = ()) -> None:
    """Install by the environment's own pip."""
    pip = (str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--no-index", *more)
    command = (*pip, "--find-links", str(wheels), *packages)
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


@pytest.fixture
def scene(tmp_path: Path, prefix: Path, house: Path) -> Scene:
    folder = tmp_path / "miniforge3/envs/comfy"
    shutil.copytree(prefix, folder, symlinks=True)
    return Scene(Home(tmp_path, path=f"{python_310().parent}:{os.environ['PATH']}"), folder, house)


def test_a_torch_that_pip_installed_into_a_conda_environment_is_replaced_there(
    scene: Scene, old: Path
) -> None:
    install(scene.folder, old, f"torch=={CUDA}", "torchvision", "uses-torch", "stand-in-01")
    first = state(scene.folder)
    scene.apply()
    found, now = versions(scene.folder), state(scene.folder)
    assert NEW.items() <= found.items()
    assert not {"triton", "nvidia-cublas-cu11"} & found.keys()
    for package in (*BY_CONDA, "uses_torch", "stand_in_01"):
        kept = {n for n in first if n.startswith(f"{SITE}/{package}")}
        assert kept
        assert {n: now.get(n) for n in kept} == {n: first[n] for n in kept}
    assert {n: now.get(n) for n in first if n.startswith("conda-meta")} == {
        n: first[n] for n in first if n.startswith("conda-meta")
    }
    scene.go_back()
    assert state(scene.folder) == first


def test_a_torch_that_conda_installed_stays_and_a_venv_is_made_beside(
    scene: Scene, old: Path
) -> None:
    install(scene.folder, old, f"torch=={CUDA}", "uses-torch", "stand-in-01")
    claim(scene.folder, "pytorch-2.1.0-py3.10_cuda11.8_cudnn8.7.0_0", "libtorch-2.1.0-cuda118_0")
    for package in ("torch", "triton", "nvidia_cublas_cu11"):
        (info,) = (scene.folder / SITE).glob(f"{package}-*.dist-info")
        (info / "INSTALLER").write_text("conda\n")
    first = state(scene.folder)
    said = scene.apply()
    assert "conda installed libtorch, " in " ".join(said.split())
    beside = scene.folder.with_name("comfy-rocm52")
    assert versions(beside)["torch"] == "1.13.1+rocm5.2"
    assert state(scene.folder) == first
    scene.go_back()
    assert not beside.exists()
    assert state(scene.folder) == first


def test_a_conda_environment_that_is_closed_to_pip_is_left_as_it_is(
    scene: Scene, old: Path
) -> None:
    install(scene.folder, old, f"torch=={CUDA}", "stand-in-01")
    (scene.folder / "lib/python3.10/EXTERNALLY-MANAGED").write_text(
        "[externally-managed]\nError=conda manages this environment.\n"
    )
    first = state(scene.folder)
    said = scene.apply()
    assert "is not changed: it is closed to pip (EXTERNALLY-MANAGED)." in " ".join(said.split())
    assert state(scene.folder) == first
    assert versions(scene.folder.with_name("comfy-rocm52"))["torch"] == "1.13.1+rocm5.2"
    scene.go_back()
    assert state(scene.folder) == first


@pytest.mark.parametrize("version", ["1.13.1+rocm5.2", CUDA], ids=["the same", "another"])
def test_a_torch_of_the_system_is_neither_counted_nor_removed(
    scene: Scene, old: Path, version: str
) -> None:
    """The venv sees the packages of the Python that it is made of, as ``pyvenv.cfg`` says."""
    base, venv = scene.folder, scene.home.folder / "venv"
    install(base, old, f"torch=={version}", "numpy==2.0.0", "stand-in-01")
    subprocess.run((base / "bin/python", "-m", "venv", "--system-site-packages", venv), check=True)
    install(venv, old, "stand-in-02")
    mine, system = state(venv), state(base)
    inside = Scene(scene.home, venv, scene.house)
    inside.apply()
    assert NEW.items() <= versions(venv).items()
    assert "stand-in-02" in versions(venv)
    assert state(base) == system
    inside.go_back()
    assert (state(venv), state(base)) == (mine, system)


@pytest.mark.parametrize("version", ["1.26.4", "2.0.0"], ids=["the same", "another"])
def test_the_user_s_own_packages_are_neither_counted_nor_removed(
    scene: Scene, old: Path, version: str
) -> None:
    """conda's Python reads them before its own."""
    install(scene.folder, old, f"torch=={CUDA}")
    local = scene.home.folder / ".local" / SITE
    install(scene.folder, old, f"numpy=={version}", "stand-in-01", more=("--target", str(local)))
    first, mine = state(scene.folder), state(local)
    scene.apply()
    assert versions(scene.folder)["torch"] == "1.13.1+rocm5.2"
    assert versions(scene.folder)["numpy"] == "1.26.4"
    assert state(local) == mine
    scene.go_back()
    assert (state(scene.folder), state(local)) == (first, mine)
