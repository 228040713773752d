"""An environment that exists: its torch is replaced, all else stays, and the way back is exact."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.existing import OTHERS, SITE, make_environment, make_old_wheels, state, versions
from tests.e2e.homes import Home, listing, python_310
from tests.run.server import make_stand_ins
from tests.run.wheels import make_wheel

pytestmark = pytest.mark.e2e

STEPS = 11
FAMILY = ("torch", "torchvision", "torchaudio", "triton", "nvidia", "numpy")


@dataclass(frozen=True)
class Scene:
    """A home with an environment in it, and a folder of wheels for the stack."""

    home: Home
    venv: Path
    house: Path
    first: dict[str, str]

    def command(self, name: str = "apply", *further: str) -> tuple[str, ...]:
        """What changes the environment, for a card that is elsewhere."""
        yes = ("--yes",) if name == "apply" else ()
        source = ("--wheelhouse", str(self.house), "--without-card")
        return (name, "--stack", "rocm52", *source, "--venv", str(self.venv), *yes, *further)

    def kill_at(self, number: int) -> None:
        """Carry the plan out and kill the wizard, with all it started, when a step begins."""
        run = self.home.start(*self.command())
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith(f"[{number}/"):
                os.killpg(run.pid, signal.SIGKILL)
                break
        errors = run.communicate()[1]
        assert run.returncode == -signal.SIGKILL, f"step {number} was never reached: {errors}"


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("old")
    make_old_wheels(folder)
    make_wheel(folder, "typing-extensions", "4.5.0", {"typing_extensions.py": "x = 1\n"})
    make_environment(python_310(), folder / "venv", folder)
    return folder


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("house")
    make_stand_ins(folder)
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder)
    subprocess.run((*pip, "pip", "setuptools"), check=True, stdin=subprocess.DEVNULL)
    return folder


@pytest.fixture
def scene(tmp_path: Path, old: Path, house: Path) -> Scene:
    venv = tmp_path / "venv"
    # A copy runs as the original does: only bin/pip and its like name the folder inside.
    shutil.copytree(old / "venv", venv, symlinks=True)
    home = Home(tmp_path, path=f"{python_310().parent}:{os.environ['PATH']}")
    return Scene(home, venv, house, state(venv))


def of_torch(name: str) -> bool:
    """True for what the torch family or we ourselves write."""
    inside = name.removeprefix(f"{SITE}/")
    return inside.startswith((*FAMILY, "rdna1_setup_environment", ".rdna1-setup")) or name in (
        "pip.conf",
        "rdna1-constraints.txt",
        "bin/rdna1-python",
        ".lock",
    )


def test_the_torch_family_is_replaced_and_all_else_is_identical_by_hash(scene: Scene) -> None:
    assert len(versions(scene.venv)) >= 60
    done = scene.home.run(*scene.command())
    assert done.returncode == 0, done.stdout + done.stderr
    now, found = state(scene.venv), versions(scene.venv)
    assert (found["torch"], found["numpy"]) == ("1.13.1+rocm5.2", "1.26.4")
    assert not {"triton", "nvidia-cublas-cu11"} & found.keys()
    different = {n for n in scene.first.keys() | now.keys() if scene.first.get(n) != now.get(n)}
    assert not [name for name in different if not of_torch(name)]
    by_hand = f"{SITE}/torch/lib/libMIOpen.so.original"
    assert now[by_hand] == scene.first[by_hand]
    asked = (
        scene.venv / "bin/python",
        "-c",
        "import os; print(os.environ['HSA_OVERRIDE_GFX_VERSION'])",
    )
    assert subprocess.run(asked, capture_output=True, text=True, check=True).stdout == "10.3.0\n"
    pip_conf = (scene.venv / "pip.conf").read_text()
    assert "timeout = 60" in pip_conf
    assert f"constraint = {scene.venv}/rdna1-constraints.txt" in pip_conf


def test_a_second_apply_changes_nothing(scene: Scene) -> None:
    assert scene.home.run(*scene.command()).returncode == 0
    after = state(scene.venv)
    again = scene.home.run(*scene.command())
    assert "No changes were needed." in again.stdout, again.stdout + again.stderr
    assert state(scene.venv) == after


def test_rollback_gives_the_first_state_and_keeps_what_was_added_or_changed(scene: Scene) -> None:
    assert scene.home.run(*scene.command()).returncode == 0
    (scene.venv / SITE / "torch/added.py").write_text("mine")
    (scene.venv / "added.txt").write_text("mine")
    (scene.venv / SITE / "torch/version.py").write_text("changed by me")
    (scene.venv / "pip.conf").write_text("changed by me too")
    undone = scene.home.run("rollback", "--yes")
    assert undone.returncode == 0, undone.stdout + undone.stderr
    kept = scene.venv / "rdna1-setup-kept"
    assert (kept / SITE / "torch/version.py").read_text() == "changed by me"
    assert (kept / "pip.conf").read_text() == "changed by me too"
    assert "changed, to" in undone.stdout
    assert (scene.venv / SITE / "torch/added.py").read_text() == "mine"
    shutil.rmtree(kept)
    (scene.venv / SITE / "torch/added.py").unlink()
    (scene.venv / "added.txt").unlink()
    assert state(scene.venv) == scene.first
    assert not (scene.home.folder / ".cache").exists()


def test_killed_at_every_step_it_goes_on_to_the_same_end(scene: Scene) -> None:
    assert scene.home.run(*scene.command()).returncode == 0
    complete = listing(scene.venv)
    assert scene.home.run("rollback", "--yes").returncode == 0
    assert state(scene.venv) == scene.first
    for number in range(1, STEPS + 1):
        scene.kill_at(number)
    again = scene.home.run(*scene.command())
    assert again.returncode == 0, again.stdout + again.stderr
    assert listing(scene.venv) == complete
    assert scene.home.run("rollback", "--yes").returncode == 0
    assert state(scene.venv) == scene.first


def test_killed_at_any_step_it_can_be_rolled_back(scene: Scene) -> None:
    for number in range(1, STEPS + 1):
        scene.kill_at(number)
        undone = scene.home.run("rollback", "--yes")
        assert undone.returncode == 0, undone.stdout + undone.stderr
        assert state(scene.venv) == scene.first, f"cut off at step {number}"


def test_a_package_that_asks_for_another_torch_is_named_before_anything_happens(
    scene: Scene, old: Path
) -> None:
    pip = (scene.venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-index")
    subprocess.run((*pip, "--find-links", old, "wants-new-torch"), check=True)
    before = state(scene.home.folder)
    done = scene.home.run(*scene.command())
    assert done.returncode == 2
    assert (
        "wants-new-torch 3.0 needs torch>=2.0, but torch 1.13.1+rocm5.2 would be installed"
        in done.stderr
    )
    assert "--venv" in done.stderr
    assert state(scene.home.folder) == before


def test_what_the_new_torch_asks_of_a_package_that_stays_is_named_before_anything_happens(
    scene: Scene, tmp_path: Path
) -> None:
    picky = tmp_path / "picky"
    shutil.copytree(scene.house, picky)
    (picky / "torch-1.13.1+rocm5.2-py3-none-any.whl").unlink()
    make_wheel(
        picky,
        "torch",
        "1.13.1+rocm5.2",
        {"torch/__init__.py": ""},
        requires=("typing-extensions>=4.8",),
    )
    changed = Scene(scene.home, scene.venv, picky, scene.first)
    done = scene.home.run(*changed.command())
    assert done.returncode == 1, done.stdout
    assert "typing-extensions>=4.8" in done.stdout
    assert "typing-extensions==4.5.0 is installed and will be kept" in done.stdout
    assert state(scene.venv) == scene.first
    assert scene.home.run("rollback", "--yes").returncode == 0
    assert state(scene.venv) == scene.first


def test_a_python_that_does_not_fit_gets_a_new_venv_beside_with_the_same_requirements(
    tmp_path: Path, house: Path
) -> None:
    made, wheels = tmp_path / "wheels", tmp_path / "house"
    shutil.copytree(house, wheels)
    for folder in (made, wheels):
        make_old_wheels(folder)
    make_wheel(made, "only-here", "1.0", {"only_here.py": ""})
    make_wheel(made, "moves-on", "1.0", {"moves_on.py": ""})
    make_wheel(wheels, "moves-on", "2.0", {"moves_on.py": ""})
    venv = tmp_path / "venv"
    subprocess.run((sys.executable, "-m", "venv", venv), check=True)
    names = ("torch", *OTHERS[:5], "only-here", "moves-on", "wants-new-torch")
    pip = (venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", "--find-links")
    for name in (made, house):
        make_wheel(name, "typing-extensions", "4.12.2", {"typing_extensions.py": "x = 1\n"})
    subprocess.run((*pip, made, *names), check=True)
    home = Home(tmp_path, path=f"{python_310().parent}:{os.environ['PATH']}")
    scene = Scene(home, venv, wheels, state(venv))
    done = home.run(*scene.command())
    assert done.returncode == 0, done.stdout + done.stderr
    assert state(venv) == scene.first
    beside = tmp_path / "venv-rocm52"
    found = versions(beside)
    assert found["torch"] == "1.13.1+rocm5.2"
    assert {*OTHERS[:5], "moves-on"} <= found.keys()
    assert found["moves-on"] == "2.0"
    assert not {"only-here", "wants-new-torch"} & found.keys()
    told = (beside / "rdna1-not-the-same.txt").read_text()
    assert "only-here 1.0: not installed" in told
    assert "moves-on 1.0: installed as 2.0" in told
    assert "torch>=2.0" in told
    again = home.run(*scene.command())
    assert "No changes were needed." in again.stdout, again.stdout + again.stderr
    assert home.run("rollback", "--yes").returncode == 0
    assert not beside.exists()
    assert state(venv) == scene.first


def test_a_torch_that_conda_installed_is_left_to_conda(scene: Scene) -> None:
    (scene.venv / "conda-meta").mkdir()
    (scene.venv / "conda-meta/pytorch-2.1.0-py3.10_cuda11.8_0.json").write_text("{}")
    told = json.loads(scene.home.run(*scene.command("plan", "--json")).stdout)
    assert told["venv"] == f"{scene.venv}-rocm52"
    assert any("conda installed pytorch" in note for note in told["notes"])


def test_a_torch_of_the_user_s_own_packages_goes_away_only_when_asked_and_comes_back(
    scene: Scene, old: Path
) -> None:
    (scene.venv / "pyvenv.cfg").write_text(
        (scene.venv / "pyvenv.cfg").read_text().replace("packages = false", "packages = true")
    )
    local = scene.home.folder / ".local"
    pip = (python_310(), "-m", "pip", "install", "--quiet", "--no-index", "--no-deps")
    target = local / SITE
    subprocess.run(
        (*pip, "--find-links", old, "--target", target, "torch", "stand-in-01"), check=True
    )
    before = state(target)
    plan = scene.home.run(*scene.command("plan")).stdout
    assert "--user-torch-aside" in " ".join(plan.split())
    assert "That torch is kept in your user packages." in " ".join(plan.split())
    done = scene.home.run(*scene.command("apply", "--user-torch-aside"))
    assert done.returncode == 0, done.stdout + done.stderr
    assert not (target / "torch").exists()
    assert (target / "stand_in_01").exists()
    assert scene.home.run("rollback", "--yes").returncode == 0
    assert state(target) == before
    assert not (local / ".rdna1-setup").exists()
