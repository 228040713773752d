"""The wizard itself at a terminal of 80x24: to a system ROCm, to a torch, and back, by keys alone.

sudo is real and asks for a password, which must then be nowhere: no file, no process has it.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import of_amd, packages
from tests.e2e.system.bases import BOOKWORM, OWNER, PASSWORD, PREFIX
from tests.e2e.system.card import give_card
from tests.e2e.system.roots import Root
from tests.e2e.system.snapshot import differences, take, told
from tests.e2e.system.states import NOTHING, ROCM_57, SOURCE_LIST, Enter
from tests.e2e.system.test_road import PYTHONS, WHEELS, carry_out, justified, prepared
from tests.e2e.terminal import Terminal
from tests.run.server import Manner, WheelIndex

pytestmark = pytest.mark.e2e

LONG_S = 400
LOOK_S = 0.5
PLACES = ("/home", "/var/lib", "/var/log", "/root", "/tmp", "/run", "/etc")
STATE = f"/home/{OWNER}/.local/state/rdna1-setup"
CPU_TORCH = "torch==2.13.0+cpu"
HELD = Manner(hold_at=0.4)
"""The download stands still at 40 % until the test lets go."""


@contextmanager
def wizard(root: Root, *sources: str, **variables: str) -> Iterator[Terminal]:
    """The wizard as its owner starts it."""
    path = f"{PYTHONS}/bin:/usr/local/bin:/usr/bin:/bin"
    env = {"PATH": path, "TERM": "xterm-256color", **variables}
    command = root.command(f"{PREFIX}/bin/rdna1-setup", *sources, user=OWNER, env=env)
    with Terminal(command, os.environ) as terminal:
        yield terminal


def of(archive: ArchiveServer) -> tuple[str, ...]:
    """What says that wheels are at hand and whose key signs the packages."""
    return ("--wheelhouse", WHEELS, "--rocm-key-fingerprint", archive.archive.fingerprint)


@pytest.fixture(scope="session")
def cpu_wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """The real torch for the processor with all that it needs, as pip is configured here."""
    folder = tmp_path_factory.mktemp("wheels")
    binary = ("--only-binary", ":all:", "--python-version", BOOKWORM.python)
    pip = (sys.executable, "-m", "pip", "download", "--quiet", *binary, "--dest", str(folder))
    done = subprocess.run(
        (*pip, CPU_TORCH, "numpy", "pip"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        pytest.skip(f"pip gets no {CPU_TORCH} (PIP_FIND_LINKS): {done.stderr.strip()[-300:]}")
    return tuple(folder.iterdir())


def give_rights(root: Root, terminal: Terminal) -> None:
    """Type the password for sudo, and yes for root's helper."""
    terminal.wait_for(f"password for {OWNER}: ", LONG_S)
    assert "the password, and nothing is done" in terminal.text()
    terminal.send(f"{PASSWORD}\n")
    terminal.wait_for("change nothing: ")
    terminal.send("yes\n")
    root.run("rm", "--recursive", "--force", "/run/sudo/ts")  # so that it asks the next time too


def install(root: Root, terminal: Terminal) -> None:
    """Welcome, Detect, Choose, Review, Apply."""
    terminal.wait_for("Set up PyTorch")
    terminal.send("\r")
    terminal.wait_for("Enter Choose")
    terminal.send("n")
    terminal.wait_for("What do you want to run?")
    terminal.send("\r")
    terminal.wait_for("native (suggested)")
    terminal.send("2")
    terminal.wait_for("rocm52 (PyTorch 1.13.1 with ROCm 5.2)")
    terminal.send("u")
    terminal.wait_for("ROCm 5.2.0 system packages")
    terminal.send("\r")
    terminal.wait_for("Enter installs", LONG_S)
    terminal.send("\r")
    give_rights(root, terminal)
    terminal.wait_for("Press Enter to measure", LONG_S)


def stop_after_one(root: Root, terminal: Terminal) -> None:
    """Waits until one shape has passed, stops; then Done, and to the start."""
    terminal.wait_until(lambda: '"pass"' in verdicts(root), "a shape passes")
    terminal.send("s")
    terminal.wait_for("Stopped after")
    terminal.wait_for("o Options")  # it has ended: keys count again
    terminal.send("n")
    terminal.wait_for("PyTorch is installed")
    terminal.send("w")
    terminal.wait_for("undo the last run")


def measure(root: Root, terminal: Terminal) -> None:
    """Conv2d on the new torch, until one shape has passed; then Done, and to the start."""
    terminal.send("\r")
    terminal.wait_for("Which Python do you want to measure with?")
    terminal.send("\r")
    terminal.wait_for("y I saved my work")
    terminal.send("y")
    stop_after_one(root, terminal)


def review_cpu(terminal: Terminal, begin: str) -> None:
    """Welcome, Detect, Choose, Review; a run that waits is not asked again what it is for."""
    terminal.wait_for(f"> {begin}")
    terminal.send("\r")
    terminal.wait_for("Enter Choose")
    terminal.send("\r")
    if begin != "Continue":
        terminal.wait_for("What do you want to run?")
        terminal.send("\r")
    terminal.wait_for("cpu (suggested)")
    terminal.send("\r")
    terminal.wait_for("Enter continues it" if begin == "Continue" else "Enter installs")


def measure_cpu(root: Root, terminal: Terminal) -> None:
    """Conv2d on the processor, until one shape has passed; then Done, and to the start."""
    terminal.send("\r")
    terminal.wait_for("on the CPU")
    terminal.send("\r")
    stop_after_one(root, terminal)


def roll_back_cpu(terminal: Terminal) -> None:
    """Roll back without root, and to the start."""
    terminal.send("r")
    terminal.wait_for("y rolls back")
    assert "as root" not in terminal.text()
    terminal.send("y")
    terminal.wait_for("Rolled back.", LONG_S)
    terminal.send("\r")
    terminal.wait_for("What do you want to do?")
    assert "undo the last run" not in terminal.text()


def begin_roll_back(root: Root, terminal: Terminal) -> None:
    """The way back is shown, and begun."""
    terminal.send("r")
    terminal.wait_for("y rolls back")
    assert "as root" in terminal.text()
    terminal.send("y")
    give_rights(root, terminal)


def roll_back(root: Root, terminal: Terminal) -> None:
    """Roll back, and to the start."""
    begin_roll_back(root, terminal)
    terminal.wait_for("Rolled back.", LONG_S)
    terminal.send("\r")
    terminal.wait_for("What do you want to do?")
    assert "undo the last run" not in terminal.text()


def processes(root: Root, *words: str) -> list[int]:
    """Numbers of the processes that have all these words in their command line."""
    return [one.pid for one in root.running() if all(w in " ".join(one.command) for w in words)]


def verdicts(root: Root) -> str:
    folder = root.folder / STATE.lstrip("/") / "conv2d"
    return "".join(path.read_text() for path in folder.glob("**/*.jsonl"))


class ProcessList:
    """Looks at the processes of a root again and again for a word in their command lines."""

    def __init__(self, root: Root, word: str) -> None:
        self.found: set[tuple[str, ...]] = set()
        self.looks = 0
        self._root, self._word = root, word
        self._over = Event()
        self._thread = Thread(target=self._look)

    def __enter__(self) -> ProcessList:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._over.wait(LOOK_S):
            commands = [one.command for one in self._root.running()]
            self.looks += 1
            self.found |= {one for one in commands if any(self._word in word for word in one)}


def files_with(root: Root, word: str) -> str:
    return root.run("grep", "-rlF", "--", word, *PLACES, check=False).stdout


def test_by_keys_alone_to_a_system_rocm_and_back(
    enter: Enter, archive: ArchiveServer, card_wheels: Path
) -> None:
    root = enter(ROCM_57)
    prepared(root, archive, card_wheels)
    give_card(root)
    before = take(root.folder)
    with ProcessList(root, PASSWORD) as seen, wizard(root, *of(archive)) as terminal:
        install(root, terminal)
        rows = packages(root)
        assert rows["rocm-core"].version.startswith("5.2.0.50200")
        assert not {name for name in of_amd(root) if ".50200" not in rows[name].version}
        assert not (root.folder / f"home/{OWNER}/.cache/rdna1-setup/preflight").exists()
        measure(root, terminal)
        roll_back(root, terminal)
        terminal.send("q")
        assert terminal.exit_code() == 0
    found = differences(before, take(root.folder))
    left = tuple(each for each in found if not justified(each))
    assert not left, told(left)
    assert seen.looks > 10
    assert seen.found == set()
    assert files_with(root, PASSWORD) == ""
    assert PASSWORD not in root.wizard("report").stdout


def test_by_keys_alone_to_the_cpu_stack_stopped_half_way_gone_on_with_and_back(
    enter: Enter, cpu_wheels: tuple[Path, ...]
) -> None:
    root = enter(NOTHING)
    before = take(root.folder)
    with WheelIndex(cpu_wheels, metadata=True) as index:
        (torch,) = (wheel for wheel in cpu_wheels if wheel.name.startswith("torch-"))
        path, size = f"/files/{torch.name}", torch.stat().st_size
        index.put(path, torch.read_bytes(), HELD)
        from_index = ("--torch-index", index.simple)
        pip = {"PIP_INDEX_URL": index.simple}  # it is brought up to date from there too
        with wizard(root, *from_index, **pip) as terminal:
            review_cpu(terminal, "Set up PyTorch")
            terminal.send("\r")
            terminal.wait_until(index.held.is_set, "torch is on its way")
            terminal.send("c")
            terminal.wait_for("Stop safely?")
            terminal.send("y")
            index.served.released.set()
            terminal.wait_for("Stopped as you asked")
            terminal.send("q")
            assert terminal.exit_code() == 130  # as after Ctrl+C
        assert not processes(root, "pip")
        with wizard(root, *from_index, **pip) as terminal:
            review_cpu(terminal, "Continue")
            terminal.send("\r")
            terminal.wait_for("Press Enter to measure", LONG_S)
            assert index.sent(path) < 1.25 * size
            measure_cpu(root, terminal)
            roll_back_cpu(terminal)
            terminal.send("q")
            assert terminal.exit_code() == 0
    left = tuple(e for e in differences(before, take(root.folder)) if not justified(e))
    assert not left, told(left)


def test_a_wizard_that_is_killed_while_it_takes_back_offers_to_go_on_with_it(
    enter: Enter, archive: ArchiveServer, card_wheels: Path
) -> None:
    root = enter(ROCM_57)
    words = prepared(root, archive, card_wheels)
    before = take(root.folder)
    carry_out(root, "apply", *words, "--yes", says="Finished.")
    root.run("rm", "--recursive", "--force", "/run/sudo/ts")
    source = root.folder / SOURCE_LIST.lstrip("/")
    with wizard(root, *of(archive)) as terminal:
        terminal.wait_for("undo the last run")
        begin_roll_back(root, terminal)
        terminal.wait_until(source.exists, "AMD's source is back")
        for number in processes(root, "-m wizard"):
            os.kill(number, signal.SIGKILL)
        terminal.wait_until(lambda: not processes(root, "assets/root"), "root's helper ends")
    with wizard(root, *of(archive)) as terminal:
        terminal.wait_for("is not finished.")
        roll_back(root, terminal)
        terminal.send("q")
        assert terminal.exit_code() == 0
    left = tuple(e for e in differences(before, take(root.folder)) if not justified(e))
    assert not left, told(left)


def test_the_search_for_the_password_would_find_it(enter: Enter) -> None:
    root = enter(ROCM_57)
    root.write("/var/log/leak", f"x{PASSWORD}y\n")
    assert files_with(root, PASSWORD) == "/var/log/leak\n"
    with ProcessList(root, PASSWORD) as seen, root.start("sh", "-c", "read x", PASSWORD) as leak:
        while not seen.found:
            assert leak.poll() is None
            assert seen.looks < 100
            Event().wait(LOOK_S)
        leak.communicate("\n")
    assert PASSWORD in next(iter(seen.found))
