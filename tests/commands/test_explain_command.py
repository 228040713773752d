"""``explain`` and ``diagnose`` as commands: exit codes, JSON, and files that cannot be read."""

import gzip
import json
import os
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, ROOT, wizard

FAULT = "E: dpkg was interrupted, you must manually run 'sudo dpkg --configure -a' to correct it.\n"
LISTED = (
    "0b:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10"
    " [Radeon RX 5600 OEM/5600 XT / 5700/5700 XT] [1002:731f] (rev c1)\n"
)


def written(folder: Path, text: bytes) -> str:
    path = folder / "log.txt"
    path.write_bytes(text)
    return str(path)


@pytest.mark.parametrize(("text", "code"), [(FAULT, 1), ("all is well\n", 0), ("", 0)])
def test_explain_says_by_its_exit_code_whether_it_found_something(
    tmp_path: Path, text: str, code: int
) -> None:
    done = wizard(tmp_path, "explain", written(tmp_path, text.encode()))
    assert (done.returncode, done.stderr) == (code, "")
    assert done.stdout.strip()


def test_explain_prints_findings_and_cards_as_json(tmp_path: Path) -> None:
    done = wizard(tmp_path, "explain", "--json", written(tmp_path, (FAULT + LISTED).encode()))
    form = json.loads(done.stdout)
    assert form["schema"] == 1
    assert form["findings"][0]["cause"] == "dpkg-interrupted"
    assert form["gpus"][0]["pci_id"] == "1002:731f"
    assert form["gpus"][0]["rdna1"] is True


def test_explain_puts_several_files_into_one_answer(tmp_path: Path) -> None:
    one = written(tmp_path, FAULT.encode())
    form = json.loads(wizard(tmp_path, "explain", "--json", one, one).stdout)
    assert [each["file"] for each in form["files"]] == [one, one]
    assert len(form["findings"]) == 2


def test_a_packed_file_is_refused_with_what_to_do(tmp_path: Path) -> None:
    done = wizard(tmp_path, "explain", written(tmp_path, gzip.compress(FAULT.encode())))
    assert done.returncode == 2
    assert "Decompress it first" in done.stderr


@pytest.mark.parametrize(
    ("name", "said"), [("nowhere.txt", "does not exist"), (".", "is a folder")]
)
def test_what_is_no_file_is_refused_by_name(tmp_path: Path, name: str, said: str) -> None:
    done = wizard(tmp_path, "explain", str(tmp_path / name))
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_told_so(tmp_path: Path) -> None:
    path = written(tmp_path, b"x")
    Path(path).chmod(0)
    done = wizard(tmp_path, "explain", path)
    assert done.returncode == 2
    assert "no permission to read" in done.stderr


def test_diagnose_shows_what_was_found_and_what_was_not(tmp_path: Path) -> None:
    done = wizard(tmp_path, "diagnose", "--machine", MACHINE)
    assert done.returncode == 1
    assert "[kfd-permission]" in done.stdout
    assert "OK: The slot supports PCIe atomics" in done.stdout
    lines = [line for line in done.stdout.splitlines() if "http" not in line]
    assert max(map(len, lines)) <= 79


def test_diagnose_says_where_there_is_no_such_card(tmp_path: Path) -> None:
    other = str(ROOT / "tests" / "machines" / "rx6700xt-noble")
    done = wizard(tmp_path, "diagnose", "--machine", other)
    assert done.returncode == 0
    assert "No RDNA1 card" in done.stdout


def test_diagnose_prints_every_check_as_json(tmp_path: Path) -> None:
    form = json.loads(wizard(tmp_path, "diagnose", "--json", "--machine", MACHINE).stdout)
    assert (form["schema"], form["rdna1"]) == (1, True)
    assert {"fault", "ok"} <= {finding["status"] for finding in form["findings"]}
