"""An environment as people have one: sixty packages, a CUDA torch, files of their own."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

from tests.run.wheels import make_wheel

CUDA = "2.1.0+cu118"
SITE = "lib/python3.10/site-packages"
OTHERS = tuple(f"stand-in-{number:02}" for number in range(1, 54))


def make_old_wheels(folder: Path) -> None:
    """What the environment held before: torch with its companions, numpy 2 and 53 more."""

    def make(name: str, version: str, *requires: str, module: str = "") -> None:
        package = module or name.replace("-", "_")
        files = {
            f"{package}/__init__.py": f"__version__ = '{version}'\n",
            f"{package}/old.py": "old = True\n",
            f"{package}/lib/lib{package}.so": f"{name} {version} " * 50,
        }
        make_wheel(folder, name, version, files, requires=requires)

    make("torch", CUDA, "typing-extensions", "nvidia-cublas-cu11==11.11.3.6", "triton==2.1.0")
    make("torchvision", "0.16.0+cu118", "torch==2.1.0", "numpy")
    make("triton", "2.1.0")
    make("nvidia-cublas-cu11", "11.11.3.6", module="nvidia/cublas")
    make("numpy", "2.0.0")
    make("uses-torch", "1.0", "torch>=1.10", "numpy>=1.20")
    make("wants-new-torch", "3.0", "torch>=2.0")
    for name in OTHERS:
        make(name, "1.0", *(["numpy"] if name.endswith("7") else []))


def make_environment(python: Path, venv: Path, wheels: Path, *further: str) -> None:
    """The environment, filled by its own pip, with files of its owner in odd places."""
    subprocess.run((python, "-m", "venv", venv), check=True)
    names = ("torch", "torchvision", "numpy", "uses-torch", *OTHERS, *further)
    pip = (venv / "bin/python", "-m", "pip", "install", "--quiet", "--no-index")
    subprocess.run((*pip, "--find-links", wheels, *names), check=True, stdin=subprocess.DEVNULL)
    (venv / "models").mkdir()
    (venv / "models/mine.safetensors").write_bytes(os.urandom(5000))
    (venv / "pip.conf").write_text(
        "[global]\ntimeout = 60\n\n[install]\nno-warn-script-location = true\n"
    )
    (venv / SITE / "torch/lib/libMIOpen.so.original").write_text("put here by hand")
    (venv / SITE / "torch/lib/libtorch.so").write_text("replaced by hand")
    (venv / SITE / "my_own.pth").write_text("# nothing\n")
    (venv / SITE / "torch/link").symlink_to("lib/libtorch.so")
    (venv / SITE / "empty_of_mine").mkdir()


def state(folder: Path) -> dict[str, str]:
    """Everything below a folder: hash, mode and time of files, targets of links, folders."""
    found: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        seen, name = path.lstat(), str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = f"-> {path.readlink()}"
        elif path.is_dir():
            found[name] = f"folder {seen.st_mode:o}"
        else:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            found[name] = f"{digest} {seen.st_mode:o} {seen.st_mtime_ns}"
    return found


def versions(venv: Path) -> dict[str, str]:
    """Installed versions by name, by the metadata folders."""
    infos = (venv / SITE).glob("*.dist-info")
    pairs = (info.name.removesuffix(".dist-info").split("-", 1) for info in infos)
    return {name.replace("_", "-"): version for name, version in pairs}
