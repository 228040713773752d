"""``report --record`` in a home full of secrets, as an ordinary user: none of them gets out."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.homes import SOURCE
from tests.machine.planting import betrayed, planted
from tests.machine.records import MACHINES, NAMES
from tests.machine.test_recorder import record
from wizard.core.journal import SCHEMA
from wizard.machine.recorded import RecordedHost
from wizard.machine.recording.recorder import differences
from wizard.redaction.names import COMMON

pytestmark = pytest.mark.e2e

TOKEN = "hf_PlantedPlantedPlantedPlanted"
PASSWORD = "pl4nted-p4ssw0rd"
LOGIN = f"https://planted-login:{PASSWORD}@10.99.98.97/simple"
FOLDER = "planted-customer-folder"
SECRETS = (TOKEN, PASSWORD, "planted-login", "10.99.98.97", FOLDER, "52:54:00:fe:dc:ba")
SITE = "ai/venv/lib/python3.11/site-packages"
PLAN = {
    "id": "r",
    "kind": "install",
    "stack": "rocm52",
    "cause": "",
    "takes_back": "",
    "venv": "/ai",
    "steps": [{"kind": "run", "argv": [LOGIN]}],
}
HOME_FILES = {
    ".bashrc": f"export HF_TOKEN={TOKEN}\nexport HSA_OVERRIDE_GFX_VERSION=10.3.0\n"
    f"export PIP_INDEX_URL={LOGIN} MIOPEN_LOG_LEVEL=5\n",
    ".profile": f"# {PASSWORD}\nalias login='echo {PASSWORD}'\n",
    ".netrc": f"machine pypi.example login planted-login password {PASSWORD}\n",
    ".ssh/id_ed25519": f"-----BEGIN OPENSSH PRIVATE KEY-----\n{TOKEN}\n",
    ".config/pip/pip.conf": f"[global]\nindex-url = {LOGIN}\n",
    ".config/environment.d/10-rocm.conf": f"HF_TOKEN={TOKEN}\nHSA_ENABLE_SDMA=0\n",
    ".config/fish/config.fish": f"set -gx HF_TOKEN {TOKEN}\nset -gx HSA_XNACK 0\n",
    ".config/fish/fish_variables": f"SETUVAR --export HF_TOKEN:{TOKEN}\n"
    "SETUVAR --export HSA_USE_SVM:0\n",
    ".config/systemd/user/comfyui.service": "[Service]\n"
    f'Environment="HF_TOKEN={TOKEN}" HIP_VISIBLE_DEVICES=0\n',
    ".config/systemd/user/vpn.service": f"[Service]\nEnvironment=VPN_PASSWORD={PASSWORD}\n",
    ".local/share/jupyter/kernels/k/kernel.json": json.dumps(
        {"argv": ["python"], "env": {"HF_TOKEN": TOKEN, "MIOPEN_FIND_MODE": "2"}}
    ),
    ".local/state/rdna1-setup/runs/r/journal.jsonl": json.dumps(
        {"event": "begin", "schema": SCHEMA, "time": "", "plan": PLAN}
    )
    + "\n",
    ".cache/miopen/2.17.0/gfx1030_18.ukdb": TOKEN,
    "ComfyUI/main.py": f"TOKEN = '{TOKEN}'\n",
    "ComfyUI/comfy/sd.py": "",
    "ComfyUI/.env": f"HF_TOKEN={TOKEN}\nHSA_OVERRIDE_GFX_VERSION=10.3.0\n",
    "ComfyUI/docker-compose.yml": "services:\n  a:\n    environment:\n"
    f"      - HF_TOKEN={TOKEN}\n      - HIP_VISIBLE_DEVICES=1\n",
    f"{FOLDER}/main.py": f"PASSWORD = '{PASSWORD}'\n",
    f"{FOLDER}/.env": f"DB={PASSWORD}\n",
    "ai/venv/pyvenv.cfg": f"home = /usr/bin\nversion = 3.11.2\ncommand = venv --token {TOKEN}\n",
    "ai/venv/bin/activate": f"export HF_TOKEN={TOKEN}\n",
    f"{SITE}/torch-2.2.2+rocm5.7.dist-info/METADATA": f"Name: torch\nVersion: 2.2.2\n{TOKEN}\n",
    f"{SITE}/torch/version.py": f"__version__ = '2.2.2+rocm5.7'\n# {LOGIN}\n",
    f"{SITE}/customer.pth": f"import planted\n/srv/{FOLDER}\n",
    f"{SITE}/planted.py": f"import os\nos.environ['HF_TOKEN'] = '{TOKEN}'\n"
    "os.environ['HSA_XNACK'] = '1'\n",
}
ENVIRON = {
    "HF_TOKEN": TOKEN,
    "PIP_INDEX_URL": LOGIN,
    "SSH_CONNECTION": "10.99.98.97 50000 10.99.98.97 22",
    "MIOPEN_USER_DB_PATH": LOGIN,
    "PATH": f"/home/{FOLDER}/bin:/usr/bin:/bin",
}


@pytest.fixture
def person() -> pwd.struct_passwd:
    """Ourselves, or an ordinary user when root runs the tests."""
    if os.getuid():
        return pwd.getpwuid(os.getuid())
    people = [one for one in pwd.getpwall() if 1000 <= one.pw_uid < 60_000]
    if not people or shutil.which("runuser") is None:
        pytest.skip("root runs the tests, and there is no ordinary user to become (or no runuser)")
    start = ("runuser", "-u", people[0].pw_name, "--", sys.executable, "-c", "")
    if subprocess.run(start, capture_output=True, check=False, cwd="/").returncode:
        pytest.skip(f"{people[0].pw_name} may not start {sys.executable}; run as an ordinary user")
    return people[0]


@pytest.fixture
def home(person: pwd.struct_passwd, tmp_path: Path) -> Path:
    """A home of that user, full of secrets, where that user can reach it."""
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and os.getuid() == 0 and folder.is_relative_to("/tmp/"):
            folder.chmod(folder.stat().st_mode | 0o755)
    folder = tmp_path / "homes" / person.pw_name
    for name, text in HOME_FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    if os.getuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, person.pw_uid, person.pw_gid)
    return folder


def report(person: pwd.struct_passwd, home: Path) -> subprocess.CompletedProcess[str]:
    """The command, run by that user in that home."""
    become = ("runuser", "-u", person.pw_name, "--") if os.getuid() == 0 else ()
    environ = {"HOME": str(home), "PYTHONPATH": str(SOURCE), "PYTHONDONTWRITEBYTECODE": "1"}
    variables = (f"{name}={value}" for name, value in {**environ, **ENVIRON}.items())
    command = (sys.executable, "-m", "wizard", "report", "--record", str(home / "record"))
    return subprocess.run(
        (*become, "/usr/bin/env", "-i", *variables, *command),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd="/",
    )


def of_this_machine(person: pwd.struct_passwd) -> set[str]:
    """What would name this machine or its user: names, hardware addresses, the machine's id."""
    words = {os.uname().nodename, person.pw_name, *person.pw_gecos.replace(",", " ").split()}
    files = [*Path("/sys/class/net").glob("*/address"), Path("/etc/machine-id")]
    files += Path("/sys/class/dmi/id").glob("*_serial")
    for file in files:
        if os.access(file, os.R_OK) and file.is_file():
            words.add(file.read_text(encoding="utf-8").strip())
    told = {word for word in words if len(word) > 2 and word.lower() not in COMMON}
    return told - {"00:00:00:00:00:00"}


def test_a_home_full_of_secrets_is_recorded_without_one(
    person: pwd.struct_passwd, home: Path
) -> None:
    done = report(person, home)

    assert done.returncode == 0, done.stdout + done.stderr  # 1 when the record differs
    words = {*SECRETS, *of_this_machine(person), str(home)}
    files = [path for path in (home / "record").rglob("*") if path.is_file()]
    for path in files:
        text = f"{path.relative_to(home)}\n{path.read_text(encoding='utf-8', errors='replace')}"
        assert [word for word in words if word in text] == [], path
    assert len(files) > 10


def test_what_detection_needs_of_these_files_is_there(
    person: pwd.struct_passwd, home: Path
) -> None:
    report(person, home)

    kept = "".join(
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted((home / "record").rglob("*"))
        if path.is_file()
    )
    for name in (
        "HSA_OVERRIDE_GFX_VERSION", "MIOPEN_LOG_LEVEL", "HSA_ENABLE_SDMA", "HSA_XNACK",
        "HSA_USE_SVM", "HIP_VISIBLE_DEVICES", "MIOPEN_FIND_MODE", "2.2.2+rocm5.7", "rocm52",
    ):  # fmt: skip
        assert name in kept


@pytest.mark.parametrize("name", NAMES)
def test_every_recorded_machine_can_be_recorded_again(name: str, tmp_path: Path) -> None:
    made = record(RecordedHost(MACHINES / name), tmp_path / "record")

    assert differences(made.machine, tmp_path / "record", made.disguise) == ()
    assert made.left_out == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_machine_with_secrets_in_each_file_keeps_them(name: str, tmp_path: Path) -> None:
    made = record(planted(name, tmp_path / "live", everywhere=True), tmp_path / "record")

    assert betrayed(tmp_path / "record") == []
    assert made.left_out == set()
