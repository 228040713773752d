"""What .ci/run and the scripts of ``tests/e2e`` hand on of the environment they are started in."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT / "tests" / "e2e" / "environment.sh"
SCRIPTS = (".ci/run", ".ci/release", "tests/e2e/fresh_root.sh", "tests/e2e/readme_commands.sh")
NEEDED = {
    "HOME": "/home/ada",
    "PATH": "/usr/bin:/bin",
    "SSL_CERT_FILE": "/etc/ssl/a certificate.pem",
    "https_proxy": "http://proxy:3128",
    "PIP_INDEX_URL": "https://index.invalid/simple",
    "UV_DEFAULT_INDEX": "https://index.invalid/simple",
    "RDNA1_SETUP_KILLS": "3",
}
OTHERS = {
    "CI": "true",
    "LC_ALL": "de_DE.UTF-8",
    "PIP_USER": "1",
    "PYTEST_ADDOPTS": "-x",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "TERM": "xterm",
    "BASH_FUNC_grep%%": "() { false; }",
}
BY_BASH = {"PWD", "OLDPWD", "SHLVL", "_"}


@pytest.mark.parametrize("others", [{}, OTHERS], ids=["clean", "full"])
def test_only_what_the_machine_needs_is_handed_on(tmp_path: Path, others: dict[str, str]) -> None:
    script = tmp_path / "script"
    script.write_text(f'set -eu\n. "{SHARED}"\nenv -0\necho "$@" >&2\necho "${{reaches[@]}}" >&2\n')
    done = subprocess.run(
        ("/bin/bash", str(script), "one word", "another"),
        env={**NEEDED, **others, "LANG": "de_DE.UTF-8"},
        capture_output=True,
        text=True,
        check=True,
    )
    found = dict(setting.split("=", 1) for setting in done.stdout.split("\0") if setting)
    assert {n: v for n, v in found.items() if n not in BY_BASH} == {**NEEDED, "LANG": "C.UTF-8"}
    arguments, reaches = done.stderr.splitlines()[-2:]  # bash complains of a language before
    assert arguments == "one word another"
    assert all(f"{n}={NEEDED[n]}" in reaches for n in ("SSL_CERT_FILE", "PIP_INDEX_URL"))
    assert "HOME" not in reaches


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_script_begins_with_it(script: str) -> None:
    lines = (ROOT / script).read_text("utf-8").splitlines()
    code = [line for line in lines if line and not line.startswith("#")]
    assert code[0].startswith("set -")
    assert code[1] == f'. "$(dirname "$0")/{os.path.relpath(SHARED, (ROOT / script).parent)}"'
