"""What may import what, and what must stay unloaded until it is needed."""

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.run.earlier_runs import leave_runs

ROOT = Path(__file__).parents[1]

STARTS_PROGRAMS = {
    *("assets/root/apt_undo.py", "assets/root/processes.py", "assets/root/step.py"),
    "wizard/root/rights.py",
    "wizard/host/deadline.py",
    "wizard/core/process.py",
    "wizard/conv2d/worker/process.py",
    "wizard/conv2d/runs/runner.py",
    "assets/conv2d_worker.py",
    "assets/conv2d_repro.py",
}
"""The only modules that may start another program."""

CHANGES_FILES = {
    "wizard/run/rollback_folder.py",
    "wizard/run/journal.py",
    "wizard/run/executor.py",
    "wizard/run/log.py",
    "wizard/run/lock.py",
    "wizard/run/obstacles.py",
    "wizard/run/resume.py",
    "wizard/run/rollback.py",
    "wizard/run/preflight.py",
    "wizard/apt/debs.py",
    "wizard/root/line.py",
}
"""Modules that the executor of dry runs must not reach."""


def modules(package: str) -> Iterator[Path]:
    yield from (ROOT / package).rglob("*.py")


@cache
def imports(path: Path) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found


def test_the_core_knows_no_terminal_library() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules("wizard")
        for name in imports(path)
        if name.split(".")[0] in ("textual", "screens")
    ]
    assert wrong == []


def test_only_the_named_modules_start_programs() -> None:
    starting = {
        str(path.relative_to(ROOT))
        for package in ("wizard", "screens", "assets")
        for path in modules(package)
        if "subprocess" in imports(path) or "create_subprocess" in path.read_text("utf-8")
    }
    assert starting <= STARTS_PROGRAMS


def test_the_executor_of_dry_runs_reaches_nothing_that_changes_files() -> None:
    program = "import sys, wizard.run.rehearsal; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        (sys.executable, "-c", program), cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {f"{name.replace('.', '/')}.py" for name in done.stdout.split()}
    assert not loaded & CHANGES_FILES


CHANGING_CALLS = frozenset(
    {
        *("chmod", "chown", "copy", "copy2", "copyfile", "copytree", "fchmod", "hardlink_to"),
        *("lchmod", "makedirs", "mkdir", "mkfifo", "mknod", "move", "remove", "removedirs"),
        *("rename", "renames", "replace", "rmdir", "rmtree", "symlink", "symlink_to", "touch"),
        *("truncate", "unlink", "utime", "write_bytes", "write_text"),
    }
)
"""Names of calls of ``os``, ``shutil`` and paths that change a disk."""
MAKES_A_SYSTEM = {
    "wizard/run/executor.py",
    "wizard/run/preflight.py",
    "wizard/fetch/download.py",
}
"""Where plans are carried out, and what fills folders of our own."""


def calls(path: Path) -> Iterator[tuple[str, str]]:
    """What is called, as the text before the last dot and the name after it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call):
            before, _, name = ast.unparse(node.func).rpartition(".")
            of_a_text = name == "replace" and len(node.args) == 2 and before not in ("os", "shutil")
            yield before, "" if of_a_text else name


KEEPS_OUR_OWN = "wizard/core/own_files.py"
"""Of what is below a plan the only one that changes files, and only ours: journals, results."""


@pytest.mark.parametrize("room", ["core", "host", "operations"])
def test_operations_and_what_is_below_change_nothing_but_through_the_system(room: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {before}.{name}"
        for path in modules(f"wizard/{room}")
        if str(path.relative_to(ROOT)) != KEEPS_OUR_OWN
        for before, name in calls(path)
        if before not in ("system", "dataclasses") and name in CHANGING_CALLS and before
    ]
    assert wrong == []


def test_operations_know_no_function_that_moves_or_writes_files_of_the_user() -> None:
    changing = {"clear", "move_aside", "move_back", "write_manifest", "write_whole"}
    wrong = [
        f"{path.relative_to(ROOT)}: {alias.name}"
        for path in modules("wizard/operations")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name in changing
    ]
    assert wrong == []


def test_a_system_is_made_only_where_something_is_carried_out() -> None:
    makes = {
        str(path.relative_to(ROOT))
        for package in ("wizard", "screens")
        for path in modules(package)
        for before, name in calls(path)
        if not before and name == "System" and "wizard.system.system" in imports(path)
    }
    assert makes == MAKES_A_SYSTEM


ROOMS = ("core", "host", "system", "apt", "operations")
"""From below: each imports only what is below itself."""


@pytest.mark.parametrize("room", ROOMS)
def test_each_room_imports_only_what_is_below_it(room: str) -> None:
    below = {f"wizard.{name}" for name in ROOMS[: ROOMS.index(room) + 1]}
    below |= {"assets", "assets.root"}  # root's part stands beside all rooms, and imports none
    if room == "apt":  # it makes good what a release lacks
        below.add("wizard.knowledge")
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in modules(f"wizard/{room}")
        for name in imports(path)
        if name.split(".")[0] in ("wizard", "screens", "assets")
        and ".".join(name.split(".")[:2]) not in below
    ]
    assert wrong == []


def test_roots_part_imports_the_standard_library_and_itself_before_it_reads_anything() -> None:
    """What lies in the user's folder may change while it waits for the yes."""
    wrong = [
        f"{path.name}: {name}"
        for path in modules("assets/root")
        for name in imports(path)
        if name.split(".")[0] not in sys.stdlib_module_names and not name.startswith("assets.root")
    ]
    later = [
        f"{path.name}: {ast.unparse(node)}"
        for path in modules("assets/root")
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert wrong == []
    assert later == ["__main__.py: from assets.root.serve import main"]


@pytest.mark.parametrize("arguments", ["--help", "--version", "detect --json"])
def test_headless_commands_never_load_the_terminal_library(arguments: str) -> None:
    program = (
        "import sys\n"
        "from wizard.__main__ import main\n"
        f"try: main({arguments.split()!r})\n"
        "except SystemExit: pass\n"
        "loaded = {name.split('.')[0] for name in sys.modules}\n"
        "print(*sorted(loaded & {'textual', 'rich', 'asyncio'}), file=sys.stderr)\n"
    )
    done = subprocess.run(
        (sys.executable, "-c", program), cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == ""


NOT_BEFORE_THE_FIRST_FRAME = {
    *("elftools", "psutil"),
    *(
        "screens.choose.screen",
        "screens.detect",
        "screens.report_preview",
        "screens.review.screen",
    ),
    *("wizard.conv2d", "wizard.diagnose.machine", "wizard.machine.detect"),
    *("wizard.plan.planner", "wizard.plan.steps", "wizard.report"),
    *("wizard.root.rights", "wizard.run.journal"),
    *("wizard.run.executor", "wizard.run.obstacles", "wizard.run.rehearsal", "wizard.run.rollback"),
}
"""What takes long to load, and what brings that along."""
FIRST_FRAME = """
import asyncio, sys
from screens.app import SetupApp
from screens.start import services_for
from wizard.cli.options import parser
from wizard.__main__ import way_in
def not_yet(on_part):
    raise OSError("the machine is read after the first frame")
async def show():
    services = services_for(arguments)
    services.knowledge.detect = not_yet
    async with SetupApp(services).run_test() as pilot:
        await pilot.pause()
        assert pilot.app.screen.NAME == "welcome"
        print(pilot.app.screen.check_action("go_on", ()))
arguments = parser().parse([])
way_in(arguments, {"TERM": "xterm"})
asyncio.run(show())
print(*sys.modules, sep="\\n")
"""


@pytest.mark.parametrize("ran_before", [False, True])
def test_the_first_frame_waits_for_nothing_that_it_does_not_show(
    tmp_path: Path, ran_before: bool
) -> None:
    if ran_before:
        leave_runs(tmp_path)
    done = subprocess.run(
        (sys.executable, "-c", FIRST_FRAME),
        cwd=ROOT,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    offers_to_go_on, *loaded = done.stdout.split()
    assert offers_to_go_on == str(ran_before)
    assert not set(loaded) & NOT_BEFORE_THE_FIRST_FRAME


MOST_LATE = 60
"""Imports inside functions: each is of something really slow, or would make a circle."""


def test_imports_stand_at_the_top_of_modules() -> None:
    late = {
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for package in ("wizard", "screens", "assets")
        for path in modules(package)
        if "machines" not in path.parts
        for function in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    }
    assert len(late) <= MOST_LATE, sorted(late)


def test_help_loads_no_command() -> None:
    program = (
        "import sys\n"
        "from wizard.__main__ import main\n"
        "try: main(['--help'])\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)\n"
    )
    done = subprocess.run(
        (sys.executable, "-c", program), cwd=ROOT, capture_output=True, text=True, check=True
    )
    loaded = {name for name in done.stderr.split() if name.startswith("wizard.cli.")}
    assert loaded == {"wizard.cli.console", "wizard.cli.options"}
