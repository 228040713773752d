"""``available`` on the command line: it asks when it is told to, and a dry run asks nobody."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.available.asked import WHEELS
from tests.available.servers import Listener, Talk, drip_headers, never, portal, stocked
from tests.commands.running import MACHINE, environment, wizard
from tests.run.server import WheelServer

CERTIFICATE = str(Path(__file__).parents[1] / "run" / "certificate.pem")
PLAIN = dict.fromkeys(("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "PIP_PROXY"), "")
AROUND = {**PLAIN, "SSL_CERT_FILE": CERTIFICATE, "PIP_CERT": "", "REQUESTS_CA_BUNDLE": ""}


def kept(home: Path) -> Path:
    return home / ".local" / "state" / "rdna1-setup" / "available.json"


def test_what_is_there_is_told_and_kept_with_its_date(tmp_path: Path) -> None:
    with WheelServer() as server:
        pythons = ("cp310", "cp39", "cp38")
        wheels = [wheel.replace("cp310", tag) for wheel in WHEELS for tag in pythons]
        index = ("--stack", "rocm52", "--torch-index", stocked(server, wheels))
        first = wizard(tmp_path, "available", *index, **AROUND)
    assert (first.returncode, first.stderr) == (0, "")
    assert "rocm52      there  " in first.stdout
    assert kept(tmp_path).is_file()
    gone = wizard(tmp_path, "available", *index, **AROUND)
    assert gone.returncode == 1
    assert "rocm52      no connection               20" in gone.stdout


def test_for_programs_each_place_has_what_is_known_of_it(tmp_path: Path) -> None:
    with Listener(portal) as server:
        options = ("--stack", "rocm52", "--torch-index", server.address, "--json")
        done = wizard(tmp_path, "available", *options, **AROUND)
    document = json.loads(done.stdout)
    assert (document["schema"], document["asked"], done.returncode) == (1, True, 1)
    (place,) = document["places"]
    assert place["now"]["standing"] == "something else answered"
    assert place["last_there"] is None
    assert not kept(tmp_path).exists()


@pytest.mark.parametrize(
    ("options", "word"),
    [(("--dry-run",), "a dry run opens no connection"), (("--machine", MACHINE), "recorded one")],
    ids=("dry run", "recorded machine"),
)
def test_a_dry_run_and_a_recorded_machine_open_no_connection(
    tmp_path: Path, options: tuple[str, ...], word: str
) -> None:
    with Listener(never) as server:
        sources = ("--torch-index", server.address, "--rocm-repo", f"{server.address}/apt")
        done = wizard(tmp_path, "available", *options, *sources, **AROUND)
        assert server.connections == 0
    assert (done.returncode, done.stderr) == (0, "")
    assert word in done.stdout
    assert "not asked" in done.stdout
    assert list(tmp_path.iterdir()) == []


WATCHED = """
import os, sys
def watch(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"):
        os.write(2, event.encode())
        os._exit(3)
sys.addaudithook(watch)
from wizard.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def watched(home: Path, *options: str) -> tuple[int, str]:
    """Exit code and stderr of a command that ends at its first connection or name look-up."""
    done = subprocess.run(
        (sys.executable, "-c", WATCHED, "available", *options),
        env=environment(home, **AROUND),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "options", [("--dry-run",), ("--machine", MACHINE), ("--dry-run", "--rocm-repo", "http://a/b")]
)
def test_a_dry_run_does_not_even_look_a_name_up(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert watched(tmp_path, *options) == (0, "")


def test_that_would_be_seen(tmp_path: Path) -> None:
    code, said = watched(tmp_path, "--torch-index", "http://no-such-host.invalid/")
    assert code == 3
    assert said.startswith("socket.")


ASKING = """
import sys
from tests.available.asked import QUICK, answer_of, wheels_at
print(answer_of(wheels_at(sys.argv[1]), QUICK).standing.value)
"""


@pytest.mark.parametrize("talk", [never, drip_headers], ids=("never answers", "drips headers"))
def test_a_server_without_end_does_not_keep_a_program_from_ending(
    tmp_path: Path, talk: Talk
) -> None:
    with Listener(talk) as server:
        done = subprocess.run(
            (sys.executable, "-c", ASKING, server.address),
            env=environment(tmp_path, **AROUND),
            capture_output=True,
            text=True,
            check=False,
            timeout=20,
        )
    assert (done.stdout, done.stderr) == ("too slow\n", "")


def test_a_stack_that_there_is_not_is_refused(tmp_path: Path) -> None:
    done = wizard(tmp_path, "available", "--stack", "rocm99")
    assert (done.returncode, done.stdout) == (2, "")
    assert "rocm99" in done.stderr


def test_a_folder_of_wheels_is_looked_into(tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    options = ("--stack", "cpu", "--wheelhouse", str(house))
    done = wizard(tmp_path, "available", *options, **AROUND)
    assert done.returncode == 1
    assert "not there" in done.stdout
