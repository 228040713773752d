"""An environment as ComfyUI's users have one: its requirements, an opencv that wants numpy 2.

The packages are stand-ins, with the names that ComfyUI's requirements.txt lists, and with what the
real ones of November 2026 ask of torch and numpy.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.e2e.existing import SITE, state, versions
from tests.e2e.homes import Home, python_310
from tests.run.server import make_stand_ins
from tests.run.wheels import make_wheel

pytestmark = pytest.mark.e2e

CUDA = "2.6.0+cu124"
TORCH = (
    ("torch", CUDA, "filelock", "typing-extensions>=4.10.0", "networkx", "jinja2", "fsspec"),
    ("torchvision", "0.21.0+cu124", "numpy", "torch==2.6.0", "pillow!=8.3.*,>=5.3.0"),
    ("torchaudio", CUDA, "torch==2.6.0"),
    ("triton", "3.2.0"),
    ("nvidia-cublas-cu12", "12.4.5.8"),
    ("nvidia-cudnn-cu12", "9.1.0.70", "nvidia-cublas-cu12"),
)
OF_CUDA = ("sympy==1.13.1", "nvidia-cublas-cu12==12.4.5.8", "nvidia-cudnn-cu12", "triton==3.2.0")
OTHERS = (
    ("aiohttp", "3.14.5", "yarl<2.0,>=1.17.0"),
    ("alembic", "1.20.1", "sqlalchemy>=2.0", "typing-extensions>=4.12"),
    ("av", "18.1.0"),
    ("einops", "0.8.2"),
    ("filelock", "4.3.1"),
    ("fsspec", "2026.9.0"),
    ("huggingface-hub", "2.4.0", "filelock", "fsspec>=2023.5.0", "pyyaml>=5.1", "tqdm>=4.42.1"),
    ("jinja2", "3.1.6"),
    ("kornia", "0.8.2", "kornia_rs>=0.1.9", "torch>=2.0.0"),
    ("kornia-rs", "0.2.0"),
    ("networkx", "3.4.2"),
    ("numpy", "2.2.6"),
    (
        "opencv-python",
        "5.0.0.93",
        'numpy<2.0; python_version < "3.9"',
        'numpy>=2; python_version >= "3.9"',
    ),
    ("pillow", "13.0.0"),
    ("psutil", "7.2.2"),
    ("pyyaml", "6.0.4"),
    ("safetensors", "0.8.0"),
    ("scipy", "1.15.3", "numpy<2.5,>=1.23.5"),
    ("sentencepiece", "0.2.3"),
    ("spandrel", "0.4.2", "torch", "torchvision", "safetensors", "numpy", "einops"),
    ("sqlalchemy", "2.1.9", "typing-extensions>=4.6.0"),
    ("sympy", "1.13.1"),
    ("tokenizers", "0.23.3", "huggingface-hub<3.0,>=0.16.4"),
    ("torchsde", "0.2.6", "numpy>=1.19", "scipy>=1.5", "torch>=1.6.0", "trampoline>=0.1.2"),
    ("tqdm", "4.70.1"),
    ("trampoline", "0.1.2"),
    ("transformers", "5.24.0", "huggingface-hub<3.0,>=1.31.0", "numpy>=1.17", "tokenizers"),
    ("typing-extensions", "4.16.0"),
    ("yarl", "1.25.1"),
)
REQUIREMENTS = """
torch
torchsde
torchvision
torchaudio
numpy>=1.25.0
einops
transformers>=4.50.3
tokenizers>=0.13.3
sentencepiece
safetensors>=0.4.2
aiohttp>=3.11.8
yarl>=1.18.0
pyyaml
Pillow
scipy
tqdm
psutil
alembic
SQLAlchemy>=2.0.0
filelock
av>=16.0.0
kornia>=0.7.1
spandrel
opencv-python
"""
ROCM62 = (
    ("torch", "2.5.1+rocm6.2", "pytorch-triton-rocm==3.1.0", "sympy==1.13.1", "filelock", "jinja2"),
    ("torchvision", "0.20.1+rocm6.2", "numpy", "torch==2.5.1", "pillow!=8.3.*,>=5.3.0"),
    ("torchaudio", "2.5.1+rocm6.2", "torch==2.5.1"),
    ("pytorch-triton-rocm", "3.1.0"),
)
ROCM57 = (
    ("torch", "2.2.2+rocm5.7", "pytorch-triton-rocm==2.2.0", "sympy", "filelock", "jinja2"),
    ("torchvision", "0.17.2+rocm5.7", "numpy", "torch==2.2.2", "pillow!=8.3.*,>=5.3.0"),
    ("torchaudio", "2.2.2+rocm5.7", "torch==2.2.2"),
    ("pytorch-triton-rocm", "2.2.0"),
)
BROUGHT = {name: version for name, version, *_ in ROCM62}
FAMILY = (
    "torch/",
    "torch-",
    "torchvision",
    "torchaudio",
    "triton",
    "pytorch_triton",
    "nvidia",
    "sympy",
)
DANGEROUS = ("move the files of ", "/uv pip install ")
"""What the steps show that back up the old packages and install the new ones."""
OURS = ("rdna1_setup_environment", ".rdna1-setup")


@dataclass(frozen=True)
class Comfy:
    """A home with ComfyUI's folder and environment in it, and a folder of wheels for stacks."""

    home: Home
    venv: Path
    house: Path
    first: dict[str, str]

    def command(self, name: str = "apply", stack: str = "rocm62") -> tuple[str, ...]:
        """What changes the environment, for a card that is elsewhere."""
        yes = ("--yes",) if name == "apply" else ()
        source = ("--wheelhouse", str(self.house), "--without-card")
        return (name, "--stack", stack, *source, "--venv", str(self.venv), *yes)

    def changed(self) -> set[str]:
        """What is not as it was."""
        now = state(self.venv)
        return {n for n in self.first.keys() | now.keys() if self.first.get(n) != now.get(n)}

    def go_back(self) -> None:
        """Roll back, to exactly what was there."""
        undone = self.home.run("rollback", "--yes")
        assert undone.returncode == 0, undone.stdout + undone.stderr
        assert not self.changed()

    def kill_at(self, words: str) -> None:
        """Carry the plan out and kill it, with all it started, when the step with these begins."""
        run = self.home.start(*self.command())
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith("[") and words in line:
                os.killpg(run.pid, signal.SIGKILL)
                break
        errors = run.communicate()[1]
        assert run.returncode == -signal.SIGKILL, f"{words} was never reached: {errors}"


def make(folder: Path, name: str, version: str, *requires: str) -> None:
    """A stand-in with a module, and a library that differs from version to version."""
    module = {"nvidia-cublas-cu12": "nvidia/cublas", "nvidia-cudnn-cu12": "nvidia/cudnn"}.get(
        name, "triton" if name == "pytorch-triton-rocm" else name.replace("-", "_")
    )
    files = {
        f"{module}/__init__.py": f"__version__ = '{version}'\n",
        f"{module}/lib/lib{name}.so": f"{name} {version} " * 50,
    }
    if name == "torch":
        hip = "'6.2.41133'" if "rocm" in version else "None"
        files["torch/version.py"] = f"__version__ = '{version}'\nhip = {hip}\n"
        files["torch/__init__.py"] = "from torch.version import __version__ as __version__\n"
    make_wheel(folder, name, version, files, requires=requires)


@pytest.fixture(scope="module")
def old(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The environment of a user with an NVIDIA card before, as ComfyUI's guide makes it."""
    folder = tmp_path_factory.mktemp("comfyui")
    for name, version, *requires in (*TORCH, *OTHERS):
        make(folder, name, version, *requires, *(OF_CUDA if name == "torch" else ()))
    (folder / "requirements.txt").write_text(REQUIREMENTS)
    venv = folder / "venv"
    subprocess.run((python_310(), "-m", "venv", venv), check=True)
    pip = (venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-index")
    sources = ("--find-links", folder, "--requirement", folder / "requirements.txt")
    subprocess.run((*pip, *sources), check=True, stdin=subprocess.DEVNULL)
    _things_of_the_owner(venv)
    return folder


def _things_of_the_owner(venv: Path) -> None:
    """Files that no list of a package names, where people put them."""
    site = venv / SITE
    (site / "torch/lib/libMIOpen.so.original").write_text("put here by hand")
    (site / "torchaudio/my_patch.py").write_text("patched = True\n")
    (site / "torchvision/weights").mkdir()
    (site / "torchvision/weights/vgg.pth").write_bytes(os.urandom(3000))
    (site / "kornia/__init__.py").write_text("edited = 'by hand'\n")
    (site / "custom_nodes.pth").write_text(f"{venv.parent}/custom_nodes\n")
    (site / "nvidia/notes.txt").write_text("which driver I had")
    (venv / "share/models").mkdir(parents=True)
    (venv / "share/models/sd15.safetensors").write_bytes(os.urandom(9000))
    (venv / "bin/comfy").write_text(f"#!{venv}/bin/python\n")
    (venv / "bin/models").symlink_to("../share/models")
    (venv / "empty of mine").mkdir()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Wheels of all stacks, and of what they need besides."""
    folder = tmp_path_factory.mktemp("house")
    make_stand_ins(folder)
    for name, version, *requires in (*ROCM62, *ROCM57, *OTHERS):
        make(folder, name, version, *requires)
    pip = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "pip")
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)
    return folder


@pytest.fixture
def comfy(tmp_path: Path, old: Path, house: Path) -> Comfy:
    venv = tmp_path / "ComfyUI/venv"
    shutil.copytree(old / "venv", venv, symlinks=True)
    home = Home(tmp_path, path=f"{python_310().parent}:{os.environ['PATH']}")
    return Comfy(home, venv, house, state(venv))


def is_torch_s(name: str) -> bool:
    """True for what the torch family or we ourselves write."""
    inside = name.removeprefix(f"{SITE}/")
    known = ("pip.conf", "rdna1-constraints.txt", "bin/rdna1-python", ".lock")
    return inside.startswith((*FAMILY, *OURS)) or name in known


def test_a_stack_that_fits_replaces_torch_and_its_siblings_and_keeps_all_else(
    comfy: Comfy,
) -> None:
    before = versions(comfy.venv)
    done = comfy.home.run(*comfy.command())
    assert done.returncode == 0, done.stdout + done.stderr
    now = versions(comfy.venv)
    assert {name: now[name] for name in BROUGHT} == BROUGHT
    gone = {"triton", "nvidia-cublas-cu12", "nvidia-cudnn-cu12"}
    assert now.keys() == (before.keys() | BROUGHT.keys()) - gone
    kept = before.keys() - gone - BROUGHT.keys()
    assert {name: now[name] for name in kept} == {name: before[name] for name in kept}
    assert (now["opencv-python"], now["numpy"]) == ("5.0.0.93", "2.2.6")
    changed = comfy.changed()
    assert not [name for name in changed if not is_torch_s(name)]
    by_hand = ("torch/lib/libMIOpen.so.original", "torchaudio/my_patch.py", "nvidia/notes.txt")
    assert not changed & {f"{SITE}/{name}" for name in (*by_hand, "torchvision/weights/vgg.pth")}
    comfy.go_back()


def test_the_sympy_that_the_old_torch_pinned_moves_on_with_it_as_far_as_others_allow(
    comfy: Comfy, tmp_path: Path
) -> None:
    house = tmp_path / "newer"
    shutil.copytree(comfy.house, house)
    make(house, *ROCM62[0][:2], "sympy>=1.13.3")
    for version in ("1.13.3", "1.14.0"):
        make(house, "sympy", version)
    newer = replace(comfy, house=house)
    told = " ".join(comfy.home.run(*newer.command("plan")).stdout.split())
    assert "torchvision 0.21.0+cu124, sympy 1.13.1, triton 3.2.0, 2 nvidia wheels" in told
    for limit, chosen in (("", "1.14.0"), ("sympy<1.14", "1.13.3")):
        if limit:
            asking = make_wheel(tmp_path, "asking", "1.0", {"asking.py": ""}, requires=(limit,))
            pip = (comfy.venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-index")
            subprocess.run((*pip, asking), check=True, stdin=subprocess.DEVNULL)
        here = replace(newer, first=state(comfy.venv))
        done = comfy.home.run(*here.command())
        assert done.returncode == 0, done.stdout + done.stderr
        assert versions(comfy.venv)["sympy"] == chosen
        assert not [name for name in here.changed() if not is_torch_s(name)]
        here.go_back()


def test_killed_while_packages_are_backed_up_and_installed_it_goes_on_and_back(
    comfy: Comfy,
) -> None:
    for words in (*DANGEROUS, "/rdna1-constraints.txt"):
        comfy.kill_at(words)
    done = comfy.home.run(*comfy.command())
    assert done.returncode == 0, done.stdout + done.stderr
    assert BROUGHT.items() <= versions(comfy.venv).items()
    assert not [name for name in comfy.changed() if not is_torch_s(name)]
    comfy.go_back()


def test_killed_while_packages_are_backed_up_and_installed_it_can_be_rolled_back(
    comfy: Comfy,
) -> None:
    for words in DANGEROUS:
        comfy.kill_at(words)
        comfy.go_back()


def test_a_wheel_that_changed_after_its_download_costs_nothing_of_what_was_there(
    comfy: Comfy,
) -> None:
    comfy.kill_at("/uv pip install ")
    (torch,) = comfy.home.folder.glob(".cache/rdna1-setup/*/wheels/torch-*.whl")
    torch.unlink()  # it may be another name of the one in the house
    torch.write_text("a login page")
    done = comfy.home.run(*comfy.command())
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"FAILED: {torch.name} changed after the download." in done.stdout
    comfy.go_back()


def test_a_stack_that_wants_numpy_1_is_refused_and_opencv_is_named(comfy: Comfy) -> None:
    done = comfy.home.run(*comfy.command(stack="rocm57"))
    assert done.returncode == 1, done.stdout + done.stderr
    told = "FAILED: opencv-python 5.0.0.93 needs numpy>=2, but this plan needs numpy<2.\n"
    assert told in done.stdout
    assert f"These packages remain in {comfy.venv}" in done.stdout
    assert not comfy.changed()
    comfy.go_back()


def test_a_sympy_that_the_new_torch_rules_out_is_named_with_the_command_that_helps(
    comfy: Comfy, old: Path
) -> None:
    newer = make_wheel(comfy.home.folder / "newer", "sympy", "1.14.0", {"sympy/__init__.py": ""})
    pip = (comfy.venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-deps", newer)
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)
    before = state(comfy.venv)
    done = comfy.home.run(*comfy.command())
    assert done.returncode == 1, done.stdout + done.stderr
    told = "FAILED: torch needs sympy==1.13.1, but sympy==1.14.0 is installed and will be kept.\n"
    assert told in done.stdout
    assert f"run `{comfy.venv}/bin/python -m pip install sympy==1.13.1`" in done.stdout
    assert comfy.home.run("rollback", "--yes").returncode == 0
    assert state(comfy.venv) == before


def test_every_package_that_the_new_torch_rules_out_is_named_at_once(
    comfy: Comfy, tmp_path: Path
) -> None:
    house = tmp_path / "picky"
    shutil.copytree(comfy.house, house)
    make(house, *ROCM62[0], "setuptools>=77.0.3", "jinja2<3")
    picky = replace(comfy, house=house)
    done = comfy.home.run(*picky.command())
    assert done.returncode == 1, done.stdout + done.stderr
    ends = [line for line in done.stdout.splitlines() if line.strip().startswith("FAILED: ")]
    (told,) = ends
    for words in ("torch needs setuptools>=77.0.3", "torch needs jinja2<3", "jinja2==3.1.6"):
        assert words in told
    assert told.endswith(" are installed and will be kept.")
    (command,) = re.findall(r"run `\S+/bin/python -m pip install ([^`]+)`", done.stdout)
    assert set(shlex.split(command)) == {"setuptools>=77.0.3", "jinja2<3"}
    comfy.go_back()


def test_a_torch_that_is_too_old_for_kornia_is_refused_before_anything_happens(
    comfy: Comfy,
) -> None:
    before = state(comfy.home.folder)
    done = comfy.home.run(*comfy.command(stack="rocm52"))
    assert done.returncode == 2, done.stdout
    assert "kornia 0.8.2 needs torch>=2.0.0, but torch 1.13.1+rocm5.2 would be" in done.stderr
    assert state(comfy.home.folder) == before
