"""Makes machines full of secrets out of recorded ones, as if they were somebody's own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.machine.records import MACHINES
from wizard.machine.recorded import RecordedHost

USER, HOME, HOST_NAME = "zaphod", "/home/zaphod", "betelgeuse"
FULL_NAME = "Zaphod Beeblebrox"
NEIGHBOUR, NEIGHBOUR_NAME = "trillian", "Tricia McMillan"
SECRETS = (
    "hunter2-s3cr3t",
    "hf_QqWwEeRrTtYyUuIiOoPp",
    "52:54:00:ab:cd:ef",
    "10.20.30.40",
    "SN-4711-0815",
    "12345678901234567890",
    "zaphod.b@example.org",
)
NAMES_TOLD = (USER, HOST_NAME, "beeblebrox", NEIGHBOUR, "tricia", "mcmillan")
LINES = f"""
# {USER} on {HOST_NAME}: {" ".join(SECRETS)}
export HF_TOKEN=hf_QqWwEeRrTtYyUuIiOoPp AWS_SECRET_ACCESS_KEY="hunter2-s3cr3t"
unique_id 12345678901234567890
index-url = https://{USER}:hunter2-s3cr3t@10.20.30.40/simple
Serial: SN-4711-0815 for {FULL_NAME} <zaphod.b@example.org>, 52:54:00:ab:cd:ef
"""
VARIABLES = {
    "HF_TOKEN": "hf_QqWwEeRrTtYyUuIiOoPp",
    "GITHUB_TOKEN": "hunter2-s3cr3t",
    "PIP_INDEX_URL": f"https://{USER}:hunter2-s3cr3t@10.20.30.40/simple",
    "SSH_CONNECTION": "10.20.30.40 50022 10.20.30.41 22",
    "HOSTNAME": HOST_NAME,
    "LOGNAME": USER,
    "MAIL": f"/var/mail/{USER}",
    "MIOPEN_USER_DB_PATH": f"https://{USER}:hunter2-s3cr3t@10.20.30.40/{HOST_NAME}",
}
PASSWD = f"""\
root:x:0:0:root:/root:/bin/bash
{NEIGHBOUR}:x:1001:1001:{NEIGHBOUR_NAME},,,:/home/{NEIGHBOUR}:/bin/bash
"""


def planted(name: str, folder: Path, *, everywhere: bool) -> RecordedHost:
    """The machine of this name, moved to another owner, with secrets planted in its files.

    ``everywhere`` adds them also to files that hold one word, which then hold nonsense.
    """
    shutil.copytree(MACHINES / name, folder, symlinks=False)
    _rename(folder / "files" / "home" / "owner")
    for path in sorted((folder / "files").rglob("*")):
        if path.is_file():
            _plant(path, everywhere=everywhere)
    _add_names(folder / "files")
    text = (folder / "record.json").read_text(encoding="utf-8")
    record = json.loads(text.replace("owner", USER))
    record["environ"] = {**record.get("environ", {}), **VARIABLES}
    record.setdefault("answers", {}).setdefault("DPKG_PACKAGES", []).append(
        f"{HOST_NAME}-tools\t1.0\tii \t{FULL_NAME} <zaphod.b@example.org>"
    )
    (folder / "record.json").write_text(json.dumps(record), encoding="utf-8")
    return RecordedHost(folder)


def _rename(home: Path) -> None:
    if home.is_dir():
        home.rename(home.with_name(USER))


def _plant(path: Path, *, everywhere: bool) -> None:
    raw = path.read_bytes().replace(b"owner", USER.encode())
    raw = raw.replace(b'"env": {', b'"env": {"HF_TOKEN": "hf_QqWwEeRrTtYyUuIiOoPp", ')
    several = b"\0" not in raw and raw.count(b"\n") > 1 and path.suffix != ".json"
    path.write_bytes(raw + (LINES.encode() if several or everywhere else b""))


def _add_names(files: Path) -> None:
    (files / "etc").mkdir(exist_ok=True)
    passwd = files / "etc" / "passwd"
    own = passwd.read_text(encoding="utf-8") if passwd.exists() else ""
    named = own.replace("Owner of the card", f"{FULL_NAME},room 42,555-0100")
    passwd.write_text(PASSWD + named, encoding="utf-8")
    (files / "etc" / "hostname").write_text(f"{HOST_NAME}\n", encoding="utf-8")


def betrayed(folder: Path) -> list[str]:
    """Each secret or name in a record, with the place where it stands."""
    found = []
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        content = path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""
        text = f"{name}\n{content}".lower()
        found += [f"{word} in {name}" for word in (*SECRETS, *NAMES_TOLD) if word.lower() in text]
    return found
