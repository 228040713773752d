"""``plan --exact`` asks the index for its wheels; ``plan``, a dry run and a demo ask nobody."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, environment, wizard
from tests.plan.index_servers import Listener, Talk, drip_headers, never, status, stocked
from tests.run.server import WheelServer

CERTIFICATE = str(Path(__file__).parents[1] / "run" / "certificate.pem")
NAMES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "PIP_PROXY", "PIP_FIND_LINKS")
AROUND = {
    **dict.fromkeys((*NAMES, "PIP_EXTRA_INDEX_URL", "PIP_CERT", "REQUESTS_CA_BUNDLE"), ""),
    "SSL_CERT_FILE": CERTIFICATE,
    "PIP_INDEX_URL": "http://127.0.0.1:9/simple",  # nobody there: pip itself cannot ask anybody
}
CPU = ("plan", "--stack", "cpu")


def wheels(version: str) -> list[str]:
    tags = (f"cp3{minor}" for minor in range(10, 15))
    return [f"torch-{version}-{tag}-{tag}-linux_x86_64.whl" for tag in tags]


def test_what_is_listed_is_planned(tmp_path: Path) -> None:
    with WheelServer() as server:
        index = ("--torch-index", stocked(server, wheels("2.13.0+cpu")))
        done = wizard(tmp_path, *CPU, "--exact", "--json", *index, **AROUND)
        brief = wizard(tmp_path, *CPU, "--exact", "--json", "--brief", *index, **AROUND)
    assert done.returncode == 0, done.stderr
    asking, sizing, *said = done.stderr.splitlines()
    assert asking == "Checking whether the index still has the wheels ..."
    assert sizing == "Asking the index how much there is to download ..."
    assert " ".join(said).startswith("The size of the download is not known: ")
    document = json.loads(done.stdout)
    assert document["stack"] == "cpu"
    assert document["wheels"]["bytes"] is None
    assert document["wheels"]["because"]
    told = json.loads(brief.stdout)["wheels"]  # why may name a folder that is another one each time
    assert {**told, "because": ""} == {**document["wheels"], "because": ""}


def test_what_is_gone_is_refused_before_anything_is_printed(tmp_path: Path) -> None:
    with WheelServer() as server:
        index = ("--torch-index", stocked(server, wheels("2.12.0+cpu")))
        done = wizard(tmp_path, *CPU, "--exact", *index, **AROUND)
    assert (done.returncode, done.stdout) == (2, "")
    assert "127.0.0.1 has no torch==2.13.0 for Python 3." in done.stderr
    assert "Nothing was changed." in done.stderr


def test_who_cannot_be_asked_is_named_and_the_plan_shown(tmp_path: Path) -> None:
    with Listener(status("503 Service Unavailable")) as server:
        index = ("--torch-index", server.address)
        done = wizard(tmp_path, *CPU, "--exact", *index, **AROUND)
    assert done.returncode == 0, done.stderr
    assert "could not check whether 127.0.0.1 has the wheels" in done.stderr
    assert "cpu" in done.stdout
    assert "download and disk not known" in done.stdout


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
        (sys.executable, "-c", WATCHED, *options),
        env=environment(home, **AROUND),
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize(
    "options",
    [
        (*CPU, "--torch-index", "http://no-such-host.invalid/"),
        ("plan", "--stack", "rocm52", "--machine", MACHINE),
        ("plan", "--demo"),
        ("apply", "--stack", "cpu", "--dry-run", "--torch-index", "http://no-such-host.invalid/"),
    ],
    ids=("plan", "recorded machine", "demo", "dry run"),
)
def test_without_it_not_even_a_name_is_looked_up(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert watched(tmp_path, *options) == (0, "")


def test_that_would_be_seen(tmp_path: Path) -> None:
    index = ("--torch-index", "http://no-such-host.invalid/")
    code, said = watched(tmp_path, *CPU, "--exact", *index)
    assert code == 3
    assert "socket." in said


def test_a_folder_of_wheels_is_looked_into_without_any_network(tmp_path: Path) -> None:
    house = tmp_path / "house"
    house.mkdir()
    code, said = watched(tmp_path, *CPU, "--exact", "--wheelhouse", str(house))
    assert code == 2
    assert "Asking the index" not in said
    assert f"{house} has no torch==2.13.0" in said


@pytest.mark.parametrize("options", [("--dry-run",), ("--machine", MACHINE)])
def test_a_dry_run_and_a_recorded_machine_have_nobody_to_ask(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    done = wizard(tmp_path, "plan", "--stack", "rocm52", "--exact", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert "does not use the network" in done.stderr


ASKING = """
import sys
from tests.plan.wheels_asked import QUICK, answer_of, wheels_at
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
    assert (done.stdout, done.stderr) == ("could not be asked\n", "")
