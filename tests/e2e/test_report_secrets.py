"""``report`` on a machine full of secrets, as an ordinary user: none of them is in it."""

from __future__ import annotations

import hashlib
import json
import os
import pwd
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.commands.test_conv2d_lines import result
from tests.e2e.homes import SOURCE
from tests.e2e.test_record_secrets import (
    ENVIRON,
    HOME_FILES,
    LOGIN,
    PASSWORD,
    TOKEN,
    home,
    of_this_machine,
    person,
)
from tests.report.planted import KINDS, planted, told_of
from wizard.conv2d.shapes import square
from wizard.conv2d.verdicts import Verdict
from wizard.core.json_form import to_json

pytestmark = pytest.mark.e2e
__all__ = ["home", "person"]  # fixtures

GITHUB = "ghp_PlantedPlantedPlantedPlantedPlanted00"
OPENAI = "sk-proj-planted1planted2planted3"
MAIL, MAC, LONG_ADDRESS = "planted@mail.example.org", "52:54:00:fe:dc:ba", "2001:db8:77::beef"
SERIAL, MACHINE_ID = "PLANTED-SN-4711", "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
QUERY = "https://mirror.example/x.whl?X-Amz-Signature=plantedsignature"
KEY_LINE = "cGxhbnRlZHBsYW50ZWRwbGFudGVkcGxhbnRlZA=="
NEIGHBOUR = "/home/planted-neighbour/x"
SECRETS = (
    TOKEN, PASSWORD, "planted-login", "10.99.98.97", GITHUB, OPENAI, MAIL, MAC, LONG_ADDRESS,
    SERIAL, MACHINE_ID, "plantedsignature", KEY_LINE, "planted-neighbour", "planted-host",
)  # fmt: skip
STATE = ".local/state/rdna1-setup"


def log_of(name: str, folder: str) -> str:
    """A log in which every kind of secret stands, as programs print them."""
    return f"""\
[1/2] make {folder}/ai/venv
Looking in indexes: {LOGIN}, {QUERY}
  Downloading {LOGIN}/torch-1.13.1.whl
WARNING: {name}@planted-host:~/ai$ export HF_TOKEN={TOKEN} OPENAI_API_KEY="{OPENAI}"
Nov 22 10:00:00 planted-host kernel: amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout
Nov 22 10:00:01 planted-host sudo[1]: {name} : PWD={folder} ; USER=root
user.email={MAIL} git push https://{GITHUB}@github.com/x/y
Serial Number: {SERIAL}  machine-id: {MACHINE_ID}  link/ether {MAC}  inet6 {LONG_ADDRESS}/64
Authorization: Basic {KEY_LINE}
-----BEGIN OPENSSH PRIVATE KEY-----
{KEY_LINE}
-----END OPENSSH PRIVATE KEY-----
{{'password': '{PASSWORD}'}} proxy = http://10.99.98.97:3128 {NEIGHBOUR}
\x1b[31mHF_TOKEN\x1b[0m={TOKEN}
failed: {LOGIN} refused {TOKEN} for {MAIL}
it means: {folder} and {MAC}
next: ask {NEIGHBOUR}
"""


def journal_of(name: str, folder: str) -> str:
    """Verdicts with secrets in every text of them."""
    text = log_of(name, folder).replace("\n", " ")
    failed = to_json(result(Verdict.ERROR, square(16, 32, 44)))
    failed |= {"detail": text, "because": text, "log_line": f"MIOpen(HIP): Info [x] {text}"}
    failed["loaded"] |= {
        "libraries": [f"{folder}/ai/venv/lib/libMIOpen.so", NEIGHBOUR],
        "setting": [["MIOPEN_USER_DB_PATH", f"{folder}/db"], ["HF_TOKEN", TOKEN]],
    }
    lines = ({"journal": 1}, {"outcome": 0, "result": failed}, {"finished": True})
    return "".join(f"{json.dumps(line)}\n" for line in lines)


def fake_python(name: str, folder: str) -> str:
    """A Python whose ``collect_env`` prints more than it should."""
    return f"""#!/bin/sh
cat <<'END'
Collecting environment information...
PyTorch version: 2.2.2+rocm5.7
OS: Ubuntu 22.04 on {name}@planted-host
Python platform: Linux-6.8-{TOKEN}
GPU models and configuration: AMD Radeon RX 5600 XT at {folder} {MAC}
HF_TOKEN={TOKEN}
Planted line: {PASSWORD}
[pip3] numpy==1.26.4
[pip3] torch @ {LOGIN}
END
"""


@pytest.fixture
def full_home(home: Path, person: pwd.struct_passwd) -> Path:
    """The home of the recorder's test, with runs, verdicts and an environment full of secrets."""
    name, folder = person.pw_name, str(home)
    begin = json.loads(HOME_FILES[f"{STATE}/runs/r/journal.jsonl"])
    begin["plan"] |= {"venv": f"{folder}/ai/venv"}
    begin["plan"]["steps"][0]["text"] = f"pip install --index-url {LOGIN} {TOKEN}"
    outcome = {"event": "outcome", "step": 1, "outcome": f"fetched with {TOKEN} for {MAIL}"}
    files = {
        f"{STATE}/runs/r/journal.jsonl": f"{json.dumps(begin)}\n{json.dumps(outcome)}\n",
        f"{STATE}/runs/r/log.txt": log_of(name, folder),
        f"{STATE}/conv2d/planted.jsonl": journal_of(name, folder),
        ".gitconfig": f"[user]\n  email = {MAIL}\n[http]\n  proxy = {LOGIN}\n",
        ".git-credentials": f"https://x:{GITHUB}@github.com\n",
        ".bash_history": log_of(name, folder),
        "ai/venv/bin/python": fake_python(name, folder),
    }
    for path, text in files.items():
        (home / path).parent.mkdir(parents=True, exist_ok=True)
        (home / path).write_text(text, encoding="utf-8")
    (home / "ai/venv/bin/python").chmod(0o755)
    if os.getuid() == 0:
        for one in home.rglob("*"):
            os.chown(one, person.pw_uid, person.pw_gid)
    return home


def report(
    person: pwd.struct_passwd,
    home: Path,
    *arguments: str,
) -> subprocess.CompletedProcess[str]:
    """The command, run by that user in that home."""
    become = ("runuser", "-u", person.pw_name, "--") if os.getuid() == 0 else ()
    environ = {"HOME": str(home), "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
    more = {"OPENAI_API_KEY": OPENAI, "HOSTNAME": "planted-host", "EMAIL": MAIL}
    variables = (f"{name}={value}" for name, value in {**environ, **ENVIRON, **more}.items())
    return subprocess.run(
        (*become, "/usr/bin/env", "-i", *variables, sys.executable, "-m", "wizard", *arguments),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd="/",
    )


def betrayed(person: pwd.struct_passwd, home: Path, text: str) -> list[str]:
    """What of the planted secrets, and of this very machine, a text holds."""
    words = {*SECRETS, *of_this_machine(person), str(home)}
    return [word for word in words if word.lower() in text.lower()]


@pytest.mark.parametrize("form", ["md", "json"])
def test_what_is_printed_holds_no_secret(
    person: pwd.struct_passwd,
    full_home: Path,
    form: str,
) -> None:
    done = report(person, full_home, "report", "--format", form)

    assert done.returncode == 0, done.stderr
    assert betrayed(person, full_home, done.stdout + done.stderr) == []
    assert "SECRET" in done.stdout
    assert "16->32" in done.stdout or '"c_in": 16' in done.stdout


def test_no_file_of_the_folder_holds_a_secret(
    person: pwd.struct_passwd,
    full_home: Path,
) -> None:
    folder = full_home / "report"
    asked = ("--folder", str(folder), "--zip", "--collect-env", "--yes")
    done = report(person, full_home, "report", *asked)

    assert done.returncode == 0, done.stdout + done.stderr
    files = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    assert set(files) == {
        "MANIFEST.txt", "report.md", "machine.json", "findings.json", "conv2d.json",
        "collect_env.txt", "logs/last-run.txt", "logs/miopen.txt",
    }  # fmt: skip
    for name, path in files.items():
        assert betrayed(person, full_home, path.read_text("utf-8")) == [], name
    preview = done.stdout.replace(str(full_home), "")  # it names the folder that is written
    assert betrayed(person, full_home, preview) == []
    with zipfile.ZipFile(f"{folder}.zip") as packed:
        told = {name.partition("/")[2]: packed.read(name) for name in packed.namelist()}
    assert told == {name: path.read_bytes() for name, path in files.items()}


MANY = planted(seed=71, count=2 * len(KINDS))


@pytest.mark.parametrize("way", ["md", "json", "folder", "record"])
def test_none_of_many_planted_secrets_leaves(
    person: pwd.struct_passwd, full_home: Path, way: str
) -> None:
    folder = full_home / "out"
    values = [one for one in MANY if one.is_setting]
    lines = [f"export HIP_OWN_{number}='{one.value}'" for number, one in enumerate(values)]
    with (full_home / ".bashrc").open("a") as file:
        file.writelines(f"{line}\n" for line in lines)
    with (full_home / STATE / "runs/r/log.txt").open("a") as file:
        file.writelines(f"{one.line}\n" for one in MANY)
    failed = to_json(result(Verdict.ERROR, square(16, 32, 44)))
    results = [{**failed, "detail": one.line, "log_line": one.line} for one in MANY]
    with (full_home / STATE / "conv2d/planted.jsonl").open("w") as file:
        file.write('{"journal": 1}\n')
        for number, each in enumerate(results):
            file.write(f"{json.dumps({'outcome': number, 'result': each})}\n")
    arguments = {
        "folder": ("--folder", str(folder), "--zip", "--yes"),
        "record": ("--record", str(folder)),
    }
    done = report(person, full_home, "report", *arguments.get(way, ("--format", way)))

    assert done.returncode == 0, done.stdout + done.stderr
    texts = [path.read_bytes().decode("utf-8", "replace") for path in files_below(folder)]
    assert told_of(MANY, "\n".join((done.stdout, *texts))) == []
    assert (len(texts) > 4) == (way in arguments)


def files_below(folder: Path) -> list[Path]:
    """All files of a folder, which may be none."""
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_helpers_need_is_still_there(
    person: pwd.struct_passwd,
    full_home: Path,
) -> None:
    folder = full_home / "report"
    report(person, full_home, "report", "--folder", str(folder), "--collect-env", "--yes")

    log = (folder / "logs/last-run.txt").read_text("utf-8")
    assert "HOST kernel: amdgpu 0000:03:00.0: amdgpu: ring gfx_0.0.0 timeout" in log
    assert "/torch-1.13.1.whl" in log
    collected = (folder / "collect_env.txt").read_text("utf-8").splitlines()
    assert collected[0] == "PyTorch version: 2.2.2+rocm5.7"
    assert collected[-1] == "[pip3] numpy==1.26.4"
    assert len(collected) == 5
    machine = json.loads((folder / "machine.json").read_text("utf-8"))["machine"]
    settings = {one["name"]: one["value"] for one in machine["settings"]}
    assert settings["HSA_OVERRIDE_GFX_VERSION"] == "10.3.0"
    assert json.loads((folder / "conv2d.json").read_text("utf-8"))["last"]["results"]


def test_the_manifest_tells_size_and_hash_of_each_file(
    person: pwd.struct_passwd,
    full_home: Path,
) -> None:
    folder = full_home / "report"
    report(person, full_home, "report", "--folder", str(folder), "--yes")

    manifest = (folder / "MANIFEST.txt").read_text("utf-8")
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != "MANIFEST.txt"]
    for path in files:
        raw = path.read_bytes()
        assert f"{path.relative_to(folder)}  {len(raw)} bytes" in manifest
        assert hashlib.sha256(raw).hexdigest() in manifest
        assert path.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert "collect_env.txt  not here: not requested" in manifest
