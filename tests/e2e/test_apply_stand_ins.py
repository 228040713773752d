"""The rocm52 road with small stand-in wheels: index, wheelhouse, kills, variables, undo."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.homes import Home, listing, python_310, wait_for
from tests.run.server import WheelIndex, make_stand_ins

pytestmark = pytest.mark.e2e

LEFTOVERS = {
    "HSA_OVERRIDE_GFX_VERSION": "9.0.6",
    "LD_LIBRARY_PATH": "/opt/rocm/lib:",
}
DOWNLOAD = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps")
STEPS = 11
SHOW = "import json, os; print(json.dumps(dict(os.environ)))"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WheelIndex]:
    with WheelIndex(make_stand_ins(tmp_path_factory.mktemp("wheels"))) as server:
        yield server


@pytest.fixture
def home(tmp_path: Path) -> Home:
    (tmp_path / "photo.txt").write_text("mine")
    return Home(tmp_path, path=f"{python_310().parent}:{os.environ['PATH']}")


def apply(index: WheelIndex, venv: Path, stack: str = "rocm52") -> tuple[str, ...]:
    """The command that installs from the stand-in index, for a card that is elsewhere."""
    source = ("--torch-index", index.simple, "--without-card")
    return ("apply", "--stack", stack, *source, "--venv", str(venv), "--yes")


def test_python_310_is_chosen_and_torch_and_numpy_come_from_one_resolver_run(
    home: Home, index: WheelIndex
) -> None:
    venv = home.folder / "rocm52"
    done = home.run(*apply(index, venv))
    assert done.returncode == 0, done.stdout + done.stderr
    version = "import sys, torch, numpy; print(sys.version_info[:2], torch.__version__)"
    asked = subprocess.run(
        (venv / "bin/python", "-c", version), capture_output=True, text=True, check=True
    )
    assert asked.stdout.split(") ") == ["(3, 10", "1.13.1+rocm5.2\n"]
    assert sys.version_info[:2] != (3, 10)
    constraints = (venv / "rdna1-constraints.txt").read_text()
    assert "torch==1.13.1+rocm5.2" in constraints
    assert "numpy<2" in constraints


def starts(venv: Path, spec: Path) -> dict[str, tuple[str, ...]]:
    """Every way of starting the venv's Python that we know of, each printing its variables."""
    python, module = str(venv / "bin/python"), venv / "show.py"
    module.write_text(SHOW)
    spec.write_text(json.dumps({"argv": [python, "-c", SHOW], "env": {}}))
    return {
        "bin/python": (python, "-c", SHOW),
        "a script": (python, str(module)),
        "-m": ("env", f"PYTHONPATH={venv}", python, "-m", "show"),
        "isolated": (python, "-I", "-c", SHOW),
        "a kernel spec": tuple(json.loads(spec.read_text())["argv"]),
        "sh -c": ("sh", "-c", f"{python} -c '{SHOW}'"),
        "activated": ("sh", "-c", f". {venv}/bin/activate; python -c '{SHOW}'"),
        "no environment": ("env", "-i", python, "-c", SHOW),
        "rdna1-python": (str(venv / "bin/rdna1-python"), "-c", SHOW),
    }


def test_every_way_of_starting_python_sees_exactly_the_stack_s_variables(
    home: Home, index: WheelIndex
) -> None:
    venv = home.folder / "rocm52"
    assert home.run(*apply(index, venv)).returncode == 0
    for way, argv in starts(venv, home.folder / "kernel.json").items():
        for before in ({}, LEFTOVERS):
            environment = {"PATH": os.environ["PATH"], **before}
            done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=True)
            seen = json.loads(done.stdout)
            assert seen["HSA_OVERRIDE_GFX_VERSION"] == "10.3.0", way
            assert "LD_LIBRARY_PATH" not in seen, way
            assert not [name for name in seen if name.startswith(("MIOPEN_", "ROCR_"))], way


def test_a_stack_that_unsets_the_override_leaves_none_behind(home: Home, index: WheelIndex) -> None:
    """The native recipe's files, under a Python that has no torch: only the variables matter."""
    plan = home.run("plan", "--stack", "native", "--json", "--venv", str(home.folder / "n"))
    steps = json.loads(plan.stdout)["steps"]
    venv = home.folder / "n"
    made = next(step for step in steps if step["kind"] == "CreateEnvironment")
    subprocess.run((made["python"], "-m", "venv", "--without-pip", venv), check=True)
    for step in steps:
        if step["kind"] == "WriteFile":
            Path(step["path"]).write_text(step["content"])
            Path(step["path"]).chmod(step["mode"])
    for way, argv in starts(venv, home.folder / "kernel.json").items():
        done = subprocess.run(
            argv,
            env={"PATH": os.environ["PATH"], **LEFTOVERS},
            capture_output=True,
            text=True,
            check=True,
        )
        assert "HSA_OVERRIDE_GFX_VERSION" not in json.loads(done.stdout), way


def kill_at_step(number: int, home: Home, command: tuple[str, ...]) -> None:
    """Run it until it says that it is at this step, then kill it and all that it started."""
    with home.start(*command) as run:
        assert run.stdout is not None
        for line in run.stdout:
            if line.startswith(f"[{number}/"):
                os.killpg(run.pid, signal.SIGKILL)
                break
        run.communicate()
    assert run.returncode == -signal.SIGKILL, f"step {number} was never reached"


def test_killed_at_every_step_and_rerun_it_ends_the_same_and_undo_leaves_nothing(
    home: Home, index: WheelIndex
) -> None:
    before, venv = home.listing(), home.folder / "rocm52"
    assert home.run(*apply(index, venv)).returncode == 0
    complete = listing(venv)
    assert home.run("rollback", "--yes").returncode == 0
    assert home.listing() == before
    for number in range(1, STEPS + 1):
        kill_at_step(number, home, apply(index, venv))
    again = home.run(*apply(index, venv))
    assert again.returncode == 0, again.stdout + again.stderr
    assert listing(venv) == complete
    assert home.run("rollback", "--yes").returncode == 0
    assert home.listing() == before


def test_undo_of_a_run_cut_off_at_any_step_leaves_the_home_as_it_was(
    home: Home, index: WheelIndex
) -> None:
    venv = home.folder / "rocm52"
    venv.mkdir()
    (venv / "mine.txt").write_text("mine")
    before = home.listing()
    for number in range(1, STEPS + 1):
        kill_at_step(number, home, apply(index, venv))
        undone = home.run("rollback", "--yes")
        assert undone.returncode == 0, undone.stdout + undone.stderr
        assert home.listing() == before, f"cut off at step {number}"


@pytest.mark.parametrize(
    "at_work",
    [
        ".rdna1-setup-uv/**/torch_padding.bin",
        "lib/python3.*/site-packages/torch-*.dist-info/METADATA",
        "lib/python3.*/site-packages/torch/__pycache__/*.pyc",
    ],
    ids=["unpacking", "linking", "compiling"],
)
def test_killed_while_uv_is_at_work_it_goes_on_and_goes_back(
    home: Home, tmp_path_factory: pytest.TempPathFactory, at_work: str
) -> None:
    wheels = make_stand_ins(tmp_path_factory.mktemp("wheels"), torch_size=100_000_000)
    before, venv = home.listing(), home.folder / "rocm52"
    with WheelIndex(wheels) as index:
        for goes_on in (False, True):
            with home.start(*apply(index, venv)) as run:
                wait_for(venv, at_work)
                os.killpg(run.pid, signal.SIGKILL)
                run.communicate()
            if goes_on:
                again = home.run(*apply(index, venv))
                assert again.returncode == 0, again.stdout + again.stderr
                assert not (venv / ".rdna1-setup-uv").exists()
            undone = home.run("rollback", "--yes")
            assert undone.returncode == 0, undone.stdout + undone.stderr
            assert home.listing() == before


def test_a_wheelhouse_needs_no_network(home: Home, tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    make_stand_ins(house)
    pip = (*DOWNLOAD, "--dest", house, "pip", "setuptools")
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)
    venv = home.folder / "rocm52"
    offline = Home(home.folder, home.path)
    done = subprocess.run(
        (
            *("unshare", "--user", "--map-root-user", "--net"),
            *(sys.executable, "-m", "wizard", "apply", "--stack", "rocm52", "--without-card"),
            *("--wheelhouse", house, "--venv", venv, "--yes"),
        ),
        env=offline.environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if "unshare: " in done.stderr:
        pytest.skip(f"no network namespace here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert (venv / "lib/python3.10/site-packages/torch/version.py").exists()
