"""A new ROCm release, a new card and a new application are a change of data files only.

A copy of ``assets`` gets rows for all three; the program, not a line of it changed, is started on
that copy and on a recorded machine with that card and that application.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.machine.records import MACHINES

ROOT = Path(__file__).parents[2]
CARD = '\n[[device]]\nid = "7399"\ngfx = "gfx1014"\nname = "Radeon RX 5999 XT"\n\n'
STACK = """
[[stack]]
id = "rocm99"
title = "ROCm 9.9 wheels, torch 9.9.0"
torch = "9.9.0+rocm9.9"
requirements = ["torch==9.9.0+rocm9.9", "torchvision==9.8.0+rocm9.9"]
constraints = ["torch==9.9.0+rocm9.9"]
index = "https://example.org/whl/rocm9.9"
index_replaces_pypi = true
index_source = "an example"
checked = "2026-11-22"
pythons = ["3.12", "3.10"]
gfx = ["gfx1014"]
environment = [["MIOPEN_FIND_MODE", "2"]]
unset = ["HSA_OVERRIDE_GFX_VERSION"]
system_release = "9.9.0"
hashes = []
download_bytes = 3_000_000_000
installed_bytes = 9_000_000_000
size_source = "an example"
executable_stack = false
glibc_floor = "2.34"
one_line = "an imaginary release"
cautions = ["It does not exist."]
"""
RELEASE = """
[release."9.9.0"]
directory = "9.9"
suites = ["jammy"]
caution = "It does not exist."
[release."9.9.0".sets]
smallest = ["rocm-core", "hsa-rocr", "rocminfo"]
full = ["rocm"]
"""
APPLICATION = """
[[application]]
id = "weaver"
title = "Weaver"
purpose = "images"
torch_floor = "9.0"
source = "the metadata of an example"
date = "2026-11-22"

"""
TRACE = """
[[trace]]
id = "weaver"
title = "Weaver"
files = ["weaver.py", "looms/warp.py"]
start = "cd {folder} && {python} weaver.py"
source = "an example"
date = "2026-11-22"
"""
CLAIM = """
[[claim]]
id = "r99-weaver"
text = "Weaver drew pictures all day on an RX 5999 XT."
stacks = ["rocm99"]
topic = "applications"
leaning = "for"
who = "somebody"
card = "RX 5999 XT"
gfx = ["gfx1014"]
versions = "torch 9.9.0+rocm9.9"
date = "2026-11-22"
checked = "2026-11-22"
method = "ran"
grade = "several users"
source = "https://example.org/thread"
"""
VERDICT = """
[[verdict]]
about = "images"
stack = "rocm99"
word = "likely"
why = "Weaver drew pictures all day for several people."
claims = ["r99-weaver"]
reviewed = "2026-11-22"
"""
ROAD = """
[[approach]]
id = "rocm99-wheels"
title = "ROCm 9.9 wheels, torch 9.9.0"
stack = "rocm99"
state = "installable"
because = "An imaginary release, for which the sources of this program were not touched."
by_hand = ["rdna1-setup plan --stack rocm99"]
claims = ["r99-weaver"]
source = "https://example.org/thread"
date = "2026-11-22"
"""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with our data and the new rows, and a machine with the new card."""
    folder = tmp_path_factory.mktemp("world")
    data = folder / "assets"
    shutil.copytree(ROOT / "assets", data, ignore=shutil.ignore_patterns("__pycache__", "demo"))
    for name, rows in (
        ("stacks", STACK),
        ("releases", RELEASE),
        ("claims", CLAIM),
        ("verdicts", VERDICT),
        ("approaches", ROAD),
        ("applications", TRACE),
    ):
        _append(data / f"{name}.toml", rows)
    _before(data / "applications.toml", "\n[[application]]\n", APPLICATION)
    _before(data / "cards.toml", "\n[[device]]\n", CARD)
    _replace(data / "cards.toml", '["gfx1010", ', '["gfx1014", "gfx1010", ')
    _machine(folder / "machine")
    return folder


def _machine(place: Path) -> None:
    """A recorded machine with that card instead of its own, and Weaver below its home."""
    shutil.copytree(MACHINES / "rx5700xt-jammy-clean", place)
    system = place / "files/sys"
    _replace(system / "bus/pci/devices/0000%3A03%3A00.0/device", "0x731f", "0x7399")
    node = system / "class/kfd/kfd/topology/nodes/1/properties"
    _replace(node, "gfx_target_version 100100", "gfx_target_version 100104")
    home = place / "files/home/owner/Weaver"
    (home / "looms").mkdir(parents=True)
    (home / "weaver.py").touch()
    (home / "looms/warp.py").touch()


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text("utf-8") + text, "utf-8")


def _before(path: Path, mark: str, text: str) -> None:
    _replace(path, mark, f"{text}{mark}")


def _replace(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text, path
    path.write_text(text.replace(old, new, 1), "utf-8")


def said(world: Path, *arguments: str) -> str:
    """What the program prints, as one line of words; our data is not in its reach."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    # The working folder comes first on the path of -m: there lies the other ``assets``.
    command = (sys.executable, "-m", "wizard", *arguments, "--machine", str(world / "machine"))
    done = subprocess.run(
        command, cwd=world, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return " ".join(done.stdout.split())


def test_a_new_card_is_recognised_as_one_of_ours(world: Path) -> None:
    text = said(world, "detect", "--json")

    assert '"name": "Radeon RX 5999 XT"' in text
    assert '"gfx": "gfx1014"' in text
    assert '"rdna1": true' in text


def test_a_new_release_is_advised_for_a_new_application_on_a_new_card(world: Path) -> None:
    text = said(world, "--plain")

    assert "For Weaver on your RX 5999 XT: ROCm 9.9 wheels, torch 9.9.0 (rocm99). Likely:" in text
    assert "Weaver drew pictures all day for several people." in text
    assert "Next best: torch for the processor" in text, "native is not for this card"


def test_a_new_release_can_be_planned_with_its_system_packages(world: Path) -> None:
    text = said(world, "plan", "--stack", "rocm99", "--footprint", "venv+system")

    assert "torch==9.9.0+rocm9.9" in text
    assert "https://example.org/whl/rocm9.9" in text
    assert "MIOPEN_FIND_MODE" in text
    assert "https://repo.radeon.com/rocm/apt/9.9" in text
    assert "It does not exist." in text


def test_the_comparison_and_the_other_approaches_hold_the_new_release(world: Path) -> None:
    program = """
from pathlib import Path
from wizard.advice.comparison import columns
from wizard.advice.recommend import recommend
from wizard.knowledge.claims import load_approaches
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost
machine = detect(RecordedHost(Path("machine")))
found = recommend(machine, ("weaver",))
print([each.title for each in load_approaches() if each.stack == found.stack])
for each in columns(machine, found)[0].aspects:
    print(each.title, each.word, *each.claims)
"""
    environment = {**os.environ, "PYTHONPATH": f"{world}:{ROOT}", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        (sys.executable, "-c", program),
        cwd=world,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    assert "['ROCm 9.9 wheels, torch 9.9.0']" in done.stdout
    assert "Weaver likely r99-weaver" in done.stdout
    assert "Disk 9.0 GB" in done.stdout
    assert re.search(r"^Download 3.0 GB", done.stdout, re.MULTILINE)
