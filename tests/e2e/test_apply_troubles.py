"""What goes wrong while an environment is made: each has its text, and nothing is lost.

The index is a server of the test's own; disks, signals, certificates and permissions are real.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.e2e.homes import Home, wait_for
from tests.e2e.small_torch import make_small_torch
from tests.e2e.test_fetch_troubles import FILL, on_a_small_disk
from tests.run.server import Manner, WheelIndex, WheelServer
from tests.run.wheels import make_wheel, sha256_of

pytestmark = pytest.mark.e2e

TORCH = "torch-2.13.0-py3-none-any.whl"
NUMPY = "numpy-2.4.6-py3-none-any.whl"
PAGE = "/simple/torch/"
NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")


@dataclass(frozen=True)
class Scene:
    """A home without an environment, and an index that has all that one needs."""

    home: Home
    index: WheelIndex
    before: dict[str, str]

    @property
    def venv(self) -> Path:
        """Where the environment is to be."""
        return self.home.folder / "venv"

    def words(self, index: str = "", venv: Path | None = None) -> tuple[str, ...]:
        """The command that makes it."""
        source = ("--torch-index", index or self.index.simple, "--without-card", "--yes")
        return ("apply", "--stack", "cpu", *source, "--venv", str(venv or self.venv))

    def fails(self, *told: str, index: str = "") -> str:
        """What is said by a run that ends with these words."""
        done = self.home.run(*self.words(index))
        said = done.stdout + done.stderr
        assert done.returncode == 1, said
        for words in told:
            assert words in said
        assert "Not finished. Fix the problem, then run the same command again" in said
        return said

    def ends_well(self) -> None:
        """Carry it out, and roll all of it back."""
        done = self.home.run(*self.words())
        assert done.returncode == 0, done.stdout + done.stderr
        assert (self.venv / "bin/rdna1-python").exists()
        self.goes_back()

    def goes_back(self) -> None:
        """Roll back: nothing of the run stays."""
        undone = self.home.run("rollback", "--yes")
        assert undone.returncode == 0, undone.stdout + undone.stderr
        assert self.home.listing() == self.before

    def staged(self, name: str) -> Path:
        """A wheel in the folder of downloads."""
        (found,) = self.home.folder.glob(f".cache/rdna1-setup/*/wheels/{name}")
        return found

    def kill_at(self, words: str) -> None:
        """Run it until the step begins that shows these words, then kill it with all it started."""
        with self.home.start(*self.words()) as run:
            assert run.stdout is not None
            for line in run.stdout:
                if line.startswith("[") and words in line:
                    os.killpg(run.pid, signal.SIGKILL)
                    break
            run.communicate()
        assert run.returncode == -signal.SIGKILL, f"{words} was never reached"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    folder = tmp_path_factory.mktemp("wheels")
    seeds = (make_wheel(folder, name, "80.0", {}) for name in ("pip", "setuptools"))
    return (*make_small_torch(folder, 2_000_000), *seeds)


@pytest.fixture
def scene(
    tmp_path: Path, wheels: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Scene]:
    for name in tuple(os.environ):
        if name.startswith("PIP_"):
            monkeypatch.delenv(name)
    home = Home(tmp_path / "home")
    home.folder.mkdir()
    (home.folder / "photo.txt").write_text("mine")
    with WheelIndex(wheels, metadata=True) as index:
        monkeypatch.setenv("PIP_INDEX_URL", index.simple)
        monkeypatch.setenv("PIP_RETRIES", "0")
        yield Scene(home, index, home.listing())


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (401, "127.0.0.1 answered HTTP 401 for {page}."),
        (403, "127.0.0.1 answered HTTP 403 for {page}."),
        (404, "torch was not found on the package index."),
    ],
)
def test_an_index_that_refuses_is_told_and_the_same_command_goes_on(
    scene: Scene, status: int, told: str
) -> None:
    page, manner = scene.index.served.files[PAGE]
    scene.index.put(PAGE, b"", Manner(status=status))
    scene.fails(f"FAILED: {told.format(page=scene.index.url(PAGE))}")
    scene.index.put(PAGE, page, manner)
    scene.ends_well()


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_file_that_is_refused_is_told_and_what_had_come_is_gone_on_with(
    scene: Scene, wheels: tuple[Path, ...], status: int
) -> None:
    path, torch = f"/files/{TORCH}", wheels[0].read_bytes()
    scene.index.put(path, torch, Manner(hold_at=0.5))
    with scene.home.start(*scene.words()) as run:
        assert scene.index.held.wait(60)
        wait_for(scene.home.folder, f".cache/rdna1-setup/*/wheels/{TORCH}.part")
        os.killpg(run.pid, signal.SIGKILL)
        run.communicate()
    scene.index.put(path, b"", Manner(status=status))
    scene.fails(f"FAILED: 127.0.0.1 answered HTTP {status} for {scene.index.url(path)}.")
    arrived = scene.staged(f"{TORCH}.part").stat().st_size
    assert arrived
    scene.index.put(path, torch)
    scene.ends_well()
    assert scene.index.ranges_asked(path)[-1] == f"bytes={arrived}-"


def test_other_bytes_than_the_index_promised_are_thrown_away(
    scene: Scene, wheels: tuple[Path, ...]
) -> None:
    path, torch = f"/files/{TORCH}", wheels[0].read_bytes()
    scene.index.put(path, torch[:-9] + bytes(9))
    promised = sha256_of(wheels[0])
    scene.fails(f"FAILED: {TORCH} has the wrong SHA-256: expected {promised}, got ")
    assert not list(scene.home.folder.glob(f".cache/rdna1-setup/*/wheels/{TORCH}*"))
    scene.index.put(path, torch)
    scene.ends_well()


def test_a_wheel_that_changed_after_its_download_is_not_installed(
    scene: Scene, wheels: tuple[Path, ...]
) -> None:
    scene.kill_at("/uv pip install ")
    damaged = scene.staged(TORCH)
    damaged.write_bytes(damaged.read_bytes()[:-9] + bytes(9))
    told = f"FAILED: {TORCH} changed after the download."
    assert "What was deleted is downloaded again." in scene.fails(told)
    assert not damaged.exists()
    assert scene.staged(NUMPY).exists()
    scene.ends_well()


@pytest.fixture
def in_tls(scene: Scene, tmp_path: Path) -> Iterator[str]:
    """The index once more, with a certificate that nobody vouches for; its address."""
    if shutil.which("openssl") is None:
        pytest.skip("there is no openssl to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    argv = f"openssl req -x509 -newkey rsa:2048 -nodes -keyout {key} -out {certificate} -days 2"
    names = ("-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost")
    subprocess.run((*argv.split(), *names), check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with WheelServer() as server:
        server.served.files.update(scene.index.served.files)
        server.wrap(context)
        yield server.url("").replace("http://127.0.0.1", "https://localhost")


def test_an_index_whose_certificate_is_not_accepted_is_told(scene: Scene, in_tls: str) -> None:
    told = "FAILED: The certificate of localhost was not accepted."
    assert "Do not turn off certificate checks." in scene.fails(told, index=f"{in_tls}/simple/")
    scene.goes_back()


def test_a_file_that_a_server_with_another_certificate_has_is_not_fetched(
    scene: Scene, in_tls: str
) -> None:
    path = f"/files/{TORCH}"
    file, manner = scene.index.served.files[path]
    scene.index.put(path, b"", Manner(status=302, location=f"{in_tls}{path}"))
    scene.fails("FAILED: The TLS certificate of localhost was not accepted: ")
    scene.index.put(path, file, manner)
    scene.ends_well()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_told(scene: Scene) -> None:
    closed = scene.home.folder / "closed"
    closed.mkdir(mode=0o500)
    done = scene.home.run(*scene.words(venv=closed / "venv"))
    assert done.returncode == 1
    assert f"{closed}/venv cannot be created: Permission denied." in done.stdout
    assert "Choose a folder of your own with --venv DIR." in done.stdout
    closed.rmdir()
    scene.ends_well()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_downloads_that_may_not_be_written_are_told(scene: Scene) -> None:
    cache = scene.home.folder / ".cache"
    cache.mkdir(mode=0o500)
    scene.fails(f"FAILED: {cache}/rdna1-setup could not be changed: Permission denied.")
    cache.chmod(0o700)
    replace(scene, before={**scene.before, ".cache": "folder"}).ends_well()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_packages_that_may_not_be_written_are_told(scene: Scene) -> None:
    scene.kill_at("/uv pip install ")
    (site,) = scene.venv.glob("lib/python3.*/site-packages")
    site.chmod(0o500)
    scene.fails("FAILED: A file or folder could not be created or changed.")
    site.chmod(0o755)
    scene.ends_well()


def many_small_files(folder: Path, kind: str) -> Path:
    """A torch of thousands of tiny files, each of which takes a whole block of the disk."""

    def make(folder: Path, name: str, version: str, files: dict[str, str], size: int = 0) -> Path:
        more = {f"torch/many/_{number}.{kind}": "1" for number in range(4000 if size else 0)}
        return make_wheel(folder, name, version, {**files, **more})

    return make_small_torch(folder, 1, make)[0]


GO = """
    {fill}
    echo FIRST; {apply}; echo CODE $?
    echo BYTECODE $(find {place} -name '*.pyc' | wc -l)
    rm {place}/ballast
    echo SECOND; {apply}; echo CODE $?
    env -u PYTHONDONTWRITEBYTECODE {place}/venv/bin/python -c 'import torch; print("RUNS")'
    {wizard} rollback --yes; echo BACK $?
    echo LEFT $(ls -A {place})
"""


@pytest.mark.parametrize(
    ("kind", "leave", "first"),
    [
        ("txt", 6_000_000, "FAILED: The disk is full."),
        # uv says nothing of it, and it does not matter: Python compiles what it imports.
        ("py", 24_000_000, "CODE 0"),
    ],
    ids=["unpacking", "compiling"],
)
def test_a_disk_that_fills_up_while_uv_installs_is_told_or_does_no_harm(
    scene: Scene, tmp_path: Path, kind: str, leave: int, first: str
) -> None:
    torch, place = many_small_files(tmp_path / "many", kind), scene.home.folder / "disk"
    with WheelIndex((torch,), metadata=True) as index:
        scene.index.served.files.update(index.served.files)
    wizard = shlex.join((sys.executable, "-m", "wizard"))
    apply = f"{wizard} {shlex.join(scene.words(venv=place / 'venv'))}"
    fill = FILL.format(place=place, leave=leave)
    script = GO.format(fill=fill, place=place, apply=apply, wizard=wizard)
    said = on_a_small_disk(scene.home, place, script)
    before, after = said.partition("FIRST")[2].split("SECOND")
    assert first in before, said
    bytecode = re.search(r"^BYTECODE (\d+)$", before, re.MULTILINE)
    assert bytecode
    assert int(bytecode[1]) < 4000
    for words in ("\nCODE 0\n", "\nRUNS\n", "\nBACK 0\n", "\nLEFT\n"):
        assert words in after, said


def test_downloads_whose_disk_fills_up_are_kept_and_gone_on_with(scene: Scene) -> None:
    """The server tells no size, so that nobody can know beforehand."""
    place, path = scene.home.folder / ".cache", f"/files/{TORCH}"
    scene.index.put(path, scene.index.served.files[path][0], Manner(head=False))
    apply = shlex.join((sys.executable, "-m", "wizard", *scene.words()))
    script = f"""
        {FILL.format(place=place, leave=1_000_000)}
        echo FIRST; {apply}; echo CODE $?
        rm {place}/ballast
        echo SECOND; {apply}; echo CODE $?
    """
    said = on_a_small_disk(scene.home, place, script)
    first, second = said.partition("FIRST")[2].split("SECOND")
    assert f"FAILED: The file system {place} is full" in first, said
    assert "Anything already downloaded is kept." in first
    assert "\nCODE 1\n" in first
    assert f"{TORCH}: unknown size from 127.0.0.1, resuming after " in second, said
    assert "\nCODE 0\n" in second
