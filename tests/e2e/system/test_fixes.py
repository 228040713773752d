"""A finding of diagnose is mended by its plan, is gone at the next run, and comes back with it.

Real environments, real pip, real sudo and dpkg in Debian roots; torch and AMD's packages are
stand-ins. The card is one that was recorded.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from tests.e2e.system import debs
from tests.e2e.system.asking import packages
from tests.e2e.system.bases import BOOKWORM, OWNER, PASSWORD, PREFIX, TRIXIE, Suite
from tests.e2e.system.card import give_card
from tests.e2e.system.debs import Deb
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import Snapshot, differences, take, told
from tests.e2e.system.states import NOTHING, PIN_FILE, ROCM_57, SOURCE_57, Enter, State
from tests.e2e.system.test_removal import not_as_before
from tests.e2e.system.test_road import at_a_terminal
from tests.machine.test_elf import GNU_STACK, READ_WRITE_RUN, library
from tests.run.wheels import make_wheel

pytestmark = pytest.mark.e2e

HOME = f"/home/{OWNER}"
BASHRC = f"{HOME}/.bashrc"
VENV = f"{HOME}/ai/torch"
WHEELS = "/srv/wheels"
NO_ENV: Mapping[str, str] = {}
EXIT_S = 240
TORCH = "1.13.1+rocm5.2"
OVERRIDE = "export HSA_OVERRIDE_GFX_VERSION=10.3.0"


def machine(enter: Enter, state: State = NOTHING, suite: Suite = BOOKWORM) -> Root:
    """A root with an RX 5600 XT, whose owner may use it and may become root."""
    root = enter(state, suite)
    root.run("usermod", "-a", "-G", "render,video", OWNER)
    root.give_sudo("with password")
    give_card(root)
    return root


def environment(root: Root, wheels: Path, *names: str, venv: str = VENV) -> None:
    """A venv of the owner's, filled by its own pip."""
    if not root.path(WHEELS).exists():
        shutil.copytree(wheels, root.path(WHEELS))
    root.run("python3", "-m", "venv", venv, user=OWNER)
    pip = (f"{venv}/bin/python", "-m", "pip", "install", "--quiet", "--no-index")
    root.run(*pip, "--no-deps", "--find-links", WHEELS, *names, user=OWNER)


def site(root: Root, venv: str = VENV) -> str:
    return f"{venv}/lib/python{root.suite.python}/site-packages"


def findings(root: Root, env: Mapping[str, str] = NO_ENV) -> dict[str, dict[str, object]]:
    """What counts, by cause, as a run of its own finds it."""
    done = root.wizard("diagnose", "--json", env=env)
    assert done.returncode in (0, 1), done.stderr
    rows = json.loads(done.stdout)["findings"]
    return {row["cause"]: row for row in rows if row["status"] in ("fault", "warning")}


def fix(root: Root, cause: str, *more: str, env: Mapping[str, str] = NO_ENV) -> str:
    """The command that the finding itself names, where no root is needed."""
    command = str(findings(root, env)[cause]["command"])
    assert command.startswith(f"rdna1-setup diagnose --fix {cause}")
    done = root.wizard(*command.split()[1:], "--yes", *more, env=env)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "To undo it: rdna1-setup rollback" in done.stdout
    return " ".join(done.stdout.split())


def mend_as_root(root: Root, cause: str) -> str:
    """The same, with the password and the yes that root's part asks for."""
    assert findings(root)[cause]["plan"] is True
    return at_terminal(root, "diagnose", "--fix", cause, "--yes", says="Checked again")


def at_terminal(root: Root, *words: str, says: str) -> str:
    root.run("rm", "--recursive", "--force", "/run/sudo/ts")
    with at_a_terminal(root, *words) as terminal:
        terminal.wait_for("password for", EXIT_S)
        terminal.send(f"{PASSWORD}\n")
        terminal.wait_for("change nothing: ", EXIT_S)
        terminal.send("yes\n")
        terminal.wait_for(says, EXIT_S)
        assert terminal.exit_code(EXIT_S) == 0, terminal.text()
        return " ".join(terminal.text().split())


def take_back(root: Root, before: Snapshot, *, as_root: bool = False) -> None:
    """Rollback, and all is as it was, to the byte."""
    if as_root:
        at_terminal(root, "rollback", "--yes", says="Undone")
    else:
        done = root.wizard("rollback", "--yes")
        assert done.returncode == 0, done.stdout + done.stderr
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)


def append(root: Root, path: str, *lines: str) -> None:
    """Lines at the end of a file of the owner's, whose last line has no end as it were."""
    file = root.path(path)
    text = file.read_text() if file.exists() else ""
    root.write(path, text + "\n".join(lines), user=OWNER)


@pytest.fixture(scope="module")
def torches(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Path:
    """The stand-ins, a torch with libraries, and one built for the card itself."""
    folder = tmp_path_factory.mktemp("torches")
    for wheel in wheels.iterdir():
        if not wheel.name.startswith("torch-"):
            shutil.copy(wheel, folder)
    files: dict[str, str | bytes] = {
        "torch/__init__.py": "from torch.version import __version__ as __version__\n",
        "torch/version.py": f"__version__ = '{TORCH}'\nhip = '5.2.0'\n",
        "torch/lib/libamdhip64.so": library((GNU_STACK, READ_WRITE_RUN)) + b"code " * 100,
        "torch/lib/libMIOpen.so": b"as the wheel brought it " * 100,
    }
    make_wheel(folder, "torch", TORCH, files)
    native = {"torch/version.py": "__version__ = '2.9.1+rocm7.14.0'\nhip = '7.14'\n"}
    make_wheel(folder, "torch", "2.9.1+rocm7.14.0", {"torch/__init__.py": "", **native})
    make_wheel(folder, "amd-torch-device-gfx1010", "2.9.1", {"amd_torch_device.py": "x = 1\n"})
    folder.chmod(0o755)
    return folder


def test_a_stale_override_beside_native_wheels(enter: Enter, torches: Path) -> None:
    root = machine(enter)
    environment(root, torches, "torch==2.9.1+rocm7.14.0", "amd-torch-device-gfx1010")
    append(root, BASHRC, "# mine", OVERRIDE, "alias ll=ls")
    before = take(root.folder)
    said = fix(root, "stale-override")
    assert "Checked again: stale-override is fixed." in said
    assert "stale-override" not in findings(root)
    text = root.path(BASHRC).read_text()
    assert text.endswith("# mine\nalias ll=ls")
    take_back(root, before)
    assert "stale-override" in findings(root)


def test_an_override_that_the_terminal_still_has_is_pending(enter: Enter, torches: Path) -> None:
    root = machine(enter)
    environment(root, torches, "torch==2.9.1+rocm7.14.0", "amd-torch-device-gfx1010")
    append(root, BASHRC, OVERRIDE, "")
    said = fix(root, "stale-override", env={"HSA_OVERRIDE_GFX_VERSION": "10.3.0"})
    assert "this terminal still has the old settings" in said
    assert "stale-override" not in findings(root)


def test_variables_that_do_nothing_or_were_invented(enter: Enter) -> None:
    root = machine(enter)
    kept = "export MIOPEN_LOG_LEVEL=4"
    idle = ("export MIOPEN_DEBUG_CONV_IMPLICIT_GEMM=1", "export HIP_FORCE_COARSE_GRAIN=1")
    append(root, BASHRC, kept, *idle, "")
    profile = "/etc/profile.d/some.sh"
    block = f"if true; then\n    {idle[1]} HSA_ENABLE_SDMA=0\n    {idle[0]}\nfi\n"
    root.write(profile, f"umask 022\n{idle[1]}\n{block}")
    before = take(root.folder)
    said = mend_as_root(root, "noop-setting")
    assert "noop-setting is fixed" in said
    assert "noop-setting" not in findings(root)
    rest = "umask 022\nif true; then\n    export HSA_ENABLE_SDMA=0\nfi\n"
    assert root.path(profile).read_text() == rest
    text = root.path(BASHRC).read_text()
    assert kept in text
    assert not [line for line in idle if line in text]
    take_back(root, before, as_root=True)


def test_numpy_2_beside_torch_1_13(enter: Enter, torches: Path) -> None:
    root = machine(enter)
    environment(root, torches, f"torch=={TORCH}", "numpy==2.0.0", "typing-extensions")
    append(root, f"{VENV}/mine.txt", "of the owner")
    before = take(root.folder)
    said = fix(root, "numpy2-abi", "--wheelhouse", WHEELS)
    assert "numpy2-abi is fixed" in said
    assert "numpy2-abi" not in findings(root)
    asked = "import numpy; print(numpy.__version__)"
    got = root.run(f"{VENV}/bin/python", "-B", "-c", asked, user=OWNER).stdout
    assert got == "1.26.4\n"
    take_back(root, before)
    assert "numpy2-abi" in findings(root)


@pytest.mark.parametrize("step", [4, 5, 6])
def test_a_fix_that_was_killed_goes_on_and_comes_back(
    enter: Enter, torches: Path, step: int
) -> None:
    root = machine(enter)
    environment(root, torches, f"torch=={TORCH}", "numpy==2.0.0")
    before = take(root.folder)
    words = ("diagnose", "--fix", "numpy2-abi", "--yes", "--wheelhouse", WHEELS)
    with root.start(f"{PREFIX}/bin/rdna1-setup", *words, user=OWNER) as run:
        assert run.stdout is not None
        assert any(line.startswith(f"[{step}/6]") for line in run.stdout)
        for one in root.running():
            with suppress(ProcessLookupError):
                os.kill(one.pid, signal.SIGKILL)
    again = root.wizard(*words)
    assert again.returncode == 0, again.stdout + again.stderr
    assert "unfinished run. To start over" in again.stderr
    assert "numpy2-abi is fixed" in again.stdout
    assert "numpy2-abi" not in findings(root)
    take_back(root, before)


def test_with_two_environments_one_is_named(enter: Enter, torches: Path) -> None:
    root = machine(enter)
    other = f"{HOME}/ai/other"
    for venv in (VENV, other):
        environment(root, torches, f"torch=={TORCH}", "numpy==2.0.0", venv=venv)
    done = root.wizard("diagnose", "--fix", "numpy2-abi", "--yes")
    assert done.returncode == 2
    assert f"rdna1-setup diagnose --fix numpy2-abi --venv {other}" in done.stderr
    words = ("--venv", other, "--wheelhouse", WHEELS, "--yes")
    done = root.wizard("diagnose", "--fix", "numpy2-abi", *words)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "numpy2-abi" in findings(root)  # the first one, which nobody named
    assert (root.path(site(root)) / "numpy-2.0.0.dist-info").exists()
    assert (root.path(site(root, other)) / "numpy-1.26.4.dist-info").exists()


def test_an_executable_stack(enter: Enter, torches: Path) -> None:
    root = machine(enter, suite=TRIXIE)
    environment(root, torches, f"torch=={TORCH}")
    assert "glibc-execstack" in findings(root)
    done = root.wizard("diagnose", "--fix", "glibc-execstack", "--yes")
    assert done.returncode != 0
    assert "patchelf --clear-execstack" in done.stderr


def test_a_library_of_a_wheel_that_was_exchanged_by_hand(enter: Enter, torches: Path) -> None:
    root = machine(enter)
    environment(root, torches, f"torch=={TORCH}")
    name = f"{site(root)}/torch/lib/libMIOpen.so"
    right = root.path(name).read_bytes()
    root.run("mv", name, f"{name}.original", user=OWNER)
    root.write(name, "built by hand\n", user=OWNER)
    before = take(root.folder)
    said = fix(root, "wheel-library-replaced", "--wheelhouse", WHEELS)
    assert "wheel-library-replaced is fixed" in said
    assert root.path(name).read_bytes() == right
    assert "wheel-library-replaced" not in findings(root)
    take_back(root, before)
    assert "wheel-library-replaced" in findings(root)


def test_a_library_path_before_bundled_libraries(enter: Enter, torches: Path) -> None:
    root = machine(enter)
    environment(root, torches, f"torch=={TORCH}")
    append(root, BASHRC, "export LD_LIBRARY_PATH=/opt/rocm/lib:$LD_LIBRARY_PATH", OVERRIDE, "")
    before = take(root.folder)
    said = fix(root, "library-path-shadow")
    assert "library-path-shadow is fixed" in said
    assert "library-path-shadow" not in findings(root)
    assert OVERRIDE in root.path(BASHRC).read_text()
    take_back(root, before)


def test_a_missing_group_counts_from_the_next_login(enter: Enter) -> None:
    root = machine(enter)
    for group in ("render", "video"):
        root.run("gpasswd", "--delete", OWNER, group)
    before = take(root.folder)
    said = mend_as_root(root, "kfd-permission")
    assert "will be fixed at your next login" in said
    assert "kfd-permission" not in findings(root)  # every run in a root is a login of its own
    take_back(root, before, as_root=True)
    assert "kfd-permission" in findings(root)


def test_a_missing_pin(enter: Enter) -> None:
    root = machine(enter, SOURCE_57)
    root.path(PIN_FILE).unlink()
    before = take(root.folder)
    found = findings(root)["apt-distro-shadows-amd"]
    assert "no pin" in str(found["title"])
    mend_as_root(root, "apt-distro-shadows-amd")
    assert "apt-distro-shadows-amd" not in findings(root)
    policy = root.run("apt-cache", "policy").stdout
    assert " 600 https://repo.radeon.com" in policy
    take_back(root, before, as_root=True)
    assert "apt-distro-shadows-amd" in findings(root)


def test_packages_of_the_distribution_in_the_way_of_amds(enter: Enter) -> None:
    root = machine(enter, ROCM_57)
    root.path(PIN_FILE).unlink()
    before, theirs = take(root.folder), set(BOOKWORM.shared)
    assert theirs <= packages(root).keys()
    mend_as_root(root, "apt-distro-shadows-amd")
    assert "apt-distro-shadows-amd" not in findings(root)
    assert not theirs & {name for name, row in packages(root).items() if row.status == "ii"}
    take_back(root, before, as_root=True)
    assert "apt-distro-shadows-amd" in findings(root)


def test_a_package_that_dpkg_has_not_configured(enter: Enter) -> None:
    root = machine(enter)
    place = root.path("/srv/half-there.deb")
    place.parent.mkdir(exist_ok=True)
    scripts = {"postinst": "#!/bin/sh\ntest -e /srv/works\n"}
    debs.build(Deb("half-there", "1.0", scripts=scripts), place)
    root.run("dpkg", "--install", "/srv/half-there.deb", check=False)
    assert packages(root)["half-there"].status == "iF"
    assert "dpkg-interrupted" in findings(root)
    root.write("/srv/works", "")
    said = mend_as_root(root, "dpkg-interrupted")
    assert "dpkg-interrupted is fixed" in said
    assert packages(root)["half-there"].status == "ii"
    assert "dpkg-interrupted" not in findings(root)
    done = root.wizard("plan", "--clean-up")  # and nothing is left to finish
    assert "dpkg --configure" not in done.stdout
    back = root.wizard("rollback", "--yes")
    assert back.returncode == 0, back.stdout + back.stderr
    assert packages(root)["half-there"].status == "ii"  # as the plan said


def test_without_any_source_of_wheels_nothing_in_the_environment_changes(
    enter: Enter, torches: Path
) -> None:
    root = machine(enter)
    environment(root, torches, f"torch=={TORCH}", "numpy==2.0.0")
    before = take(root.folder)
    nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_RETRIES": "0"}
    done = root.wizard("diagnose", "--fix", "numpy2-abi", "--yes", env=nowhere)
    assert done.returncode == 1
    assert "Checked again" not in done.stdout
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)
    again = root.wizard("diagnose", "--fix", "numpy2-abi", "--yes", "--wheelhouse", WHEELS)
    assert again.returncode == 1, again.stdout  # it goes on with the plan that was begun
    assert "unfinished run. To start over" in again.stderr
    take_back(root, before)
    fix(root, "numpy2-abi", "--wheelhouse", WHEELS)


def test_without_sudo_it_is_said_what_root_would_have_to_do(enter: Enter) -> None:
    root = machine(enter)
    root.give_sudo("no sudo at all")
    root.run("gpasswd", "--delete", OWNER, "render")
    before = take(root.folder)
    done = root.wizard("diagnose", "--fix", "kfd-permission", "--yes")
    assert done.returncode in (1, 2), done.stdout
    assert "Traceback" not in done.stderr
    assert "sudo" in done.stdout + done.stderr
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)


def test_root_s_no_leaves_the_finding_and_says_so(enter: Enter) -> None:
    root = machine(enter, SOURCE_57)
    root.path(PIN_FILE).unlink()
    before = take(root.folder)
    with at_a_terminal(root, "diagnose", "--fix", "apt-distro-shadows-amd", "--yes") as terminal:
        terminal.wait_for("password for", EXIT_S)
        terminal.send(f"{PASSWORD}\n")
        terminal.wait_for("change nothing: ", EXIT_S)
        terminal.send("no\n")
        assert terminal.exit_code(EXIT_S) == 1
        assert "Checked again" not in terminal.text()
    left = not_as_before(differences(before, take(root.folder)))
    assert not left, told(left)
    assert "apt-distro-shadows-amd" in findings(root)


def test_programs_are_told_what_became_of_the_finding(enter: Enter) -> None:
    root = machine(enter)
    append(root, BASHRC, "export HIP_FORCE_COARSE_GRAIN=1", "")
    done = root.wizard("diagnose", "--fix", "noop-setting", "--yes", "--json")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["event"] for each in events[-2:]] == ["PlanFinished", "Diagnosed"]
    assert (events[-1]["cause"], events[-1]["outcome"]) == ("noop-setting", "gone")
    assert done.returncode == 0
