"""Every start of the venv's Python sees the stack's variables, and none that it unsets."""

import json
import os
import subprocess
import sys
from pathlib import Path

from wizard.plan.new_environment import MODULE, PTH, launcher_text, module_text, pip_configuration

SETTINGS = (("HSA_OVERRIDE_GFX_VERSION", "10.3.0"), ("ODD", "a 'b' \"c\" $d\\"))
UNSET = ("LD_LIBRARY_PATH",)


def test_the_module_sets_and_removes_exactly_what_it_says(tmp_path: Path) -> None:
    (tmp_path / f"{MODULE}.py").write_text(module_text(SETTINGS, UNSET))
    (tmp_path / f"{MODULE}.pth").write_text(PTH)
    show = "import json, os; print(json.dumps(dict(os.environ)))"
    program = f"import site; site.addsitedir({str(tmp_path)!r}); {show}"
    given = {"PATH": os.environ["PATH"], "LD_LIBRARY_PATH": "/opt/rocm/lib", "KEPT": "yes"}
    done = subprocess.run(
        (sys.executable, "-c", program), env=given, capture_output=True, text=True, check=True
    )
    seen = json.loads(done.stdout)
    assert {name: seen[name] for name, _ in SETTINGS} == dict(SETTINGS)
    assert "LD_LIBRARY_PATH" not in seen
    assert seen["KEPT"] == "yes"


def test_the_launcher_settles_them_before_the_interpreter_starts(tmp_path: Path) -> None:
    venv = tmp_path / "a folder; with 'odd' letters"
    (venv / "bin").mkdir(parents=True)
    (venv / "bin/python").symlink_to("/usr/bin/env")
    launcher = venv / "bin/rdna1-python"
    launcher.write_text(launcher_text(str(venv), SETTINGS, UNSET))
    launcher.chmod(0o755)
    given = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": "/opt/rocm/lib"}
    done = subprocess.run((launcher,), env=given, capture_output=True, text=True, check=True)
    seen = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert {name: seen[name] for name, _ in SETTINGS} == dict(SETTINGS)
    assert "LD_LIBRARY_PATH" not in seen


def test_a_constraint_file_with_spaces_in_its_path_is_one_word_to_pip() -> None:
    assert pip_configuration("/a/b.txt") == "[install]\nconstraint = /a/b.txt\n"
    assert pip_configuration("/a b/ü.txt") == "[install]\nconstraint = file:///a%20b/%C3%BC.txt\n"
