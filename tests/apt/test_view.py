"""The user's own apt sees the system as the steps of a plan will leave it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from assets.root.packages import APT_OPTIONS
from tests.apt.asked import Scripted, asking, said
from tests.run.places import tree
from wizard.apt.sources import KEYRING, PIN, SOURCE
from wizard.apt.view import CHANGE, AptView
from wizard.operations.packages import AptChange
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.package_resolution import view_after
from wizard.plan.steps import Step

STATUS = """\
Package: comgr
Status: install ok installed
Version: 2.5.0

Package: comgr-dev
Status: install ok installed
Version: 2.5.0

Package: zlib1g
Status: install ok installed
Version: 1.2
"""
LINE = f"deb [signed-by={KEYRING}] https://repo.radeon.com/rocm/apt/5.2 ubuntu main\n"
WRITING: tuple[Step, ...] = (
    WriteSystemFile("", KEYRING, "the key\n"),
    WriteSystemFile("", SOURCE, LINE),
    WriteSystemFile("", PIN, "Package: *\n"),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A system with two sources, a pin, a list and three packages."""
    files = {
        "etc/apt/sources.list": "deb http://archive.example/ubuntu jammy main\n",
        "etc/apt/sources.list.d/rocm.list": "deb https://repo.radeon.com/rocm/apt/5.7.1 x main\n",
        "etc/apt/sources.list.d/x.sources": "Types: deb\n",
        "etc/apt/sources.list.d/rocm.list.save": "deb old\n",
        "etc/apt/preferences.d/rocm-pin-600": "Package: *\n",
        "var/lib/apt/lists/archive.example_Packages": "Package: hello\n",
        "var/lib/apt/lists/lock": "",
        "var/lib/dpkg/status": STATUS,
    }
    for name, text in files.items():
        path = tmp_path / "root" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "root"


def view(tmp_path: Path, root: Path, *steps: Step) -> AptView:
    return view_after(steps, replace(asking(tmp_path, lambda argv: said()), root=root))


def asked(view: AptView) -> tuple[str, ...]:
    assert isinstance(view.programs, Scripted)
    return view.programs.asked[-1]


def test_sources_pins_and_lists_are_there_as_they_are(tmp_path: Path, root: Path) -> None:
    before = tree(root)
    folder = view(tmp_path, root).folder
    assert sorted(path.name for path in (folder / "sources.list.d").iterdir()) == [
        "rocm.list",
        "x.sources",
    ]
    assert (folder / "sources.list").read_text().startswith("deb http://archive.example")
    assert (folder / "preferences.d/rocm-pin-600").is_file()
    assert (folder / "lists/archive.example_Packages").read_text() == "Package: hello\n"
    assert not (folder / "lists/lock").exists()
    assert (folder / "status").read_text() == STATUS
    assert tree(root) == before


def test_what_a_plan_moves_aside_removes_or_writes_is_seen_that_way(
    tmp_path: Path, root: Path
) -> None:
    folder = view(
        tmp_path,
        root,
        AptChange("", remove=("comgr",), expect_remove=("comgr",)),
        SetSystemPathAside("", "/etc/apt/sources.list.d/rocm.list"),
        SetSystemPathAside("", "/etc/apt/preferences.d/rocm-pin-600"),
        WriteSystemFile("", "/etc/apt/sources.list", "# nothing\n", "0" * 64),
        *WRITING,
    ).folder
    names = {path.name for path in (folder / "sources.list.d").iterdir()}
    assert names == {"x.sources", "rdna1-setup-rocm.list"}
    assert [path.name for path in (folder / "preferences.d").iterdir()] == ["rdna1-setup-rocm"]
    assert (folder / "sources.list").read_text() == "# nothing\n"
    status = (folder / "status").read_text()
    assert "Package: comgr\n" not in status
    assert "Package: comgr-dev\n" in status


def test_of_two_packages_of_one_name_only_the_architecture_that_is_named_goes(
    tmp_path: Path, root: Path
) -> None:
    rows = (f"Package: comgr\nArchitecture: {one}\nVersion: 1\n" for one in ("amd64", "i386"))
    (root / "var/lib/dpkg/status").write_text("\n".join(rows))
    for gone, left in (("comgr", "i386"), ("comgr:i386", "amd64")):
        change = AptChange("", remove=(gone,), expect_remove=(gone,))
        status = (view(tmp_path, root, change).folder / "status").read_text()
        assert status.count("Package: comgr\n") == 1
        assert f"Architecture: {left}\n" in status


def test_our_source_is_checked_by_the_key_that_lies_in_the_view(tmp_path: Path, root: Path) -> None:
    folder = view(tmp_path, root, *WRITING).folder
    assert (folder / "key.asc").read_text() == "the key\n"
    line = (folder / "sources.list.d/rdna1-setup-rocm.list").read_text()
    assert f"signed-by={folder}/key.asc]" in line


def test_a_key_that_is_in_its_place_already_is_used_there(tmp_path: Path, root: Path) -> None:
    folder = view(tmp_path, root, WRITING[1]).folder
    line = (folder / "sources.list.d/rdna1-setup-rocm.list").read_text()
    assert f"signed-by={KEYRING}]" in line


def test_lists_that_were_fetched_stay_and_links_follow_the_system(
    tmp_path: Path, root: Path
) -> None:
    lists = view(tmp_path, root).folder / "lists"
    (lists / "repo.radeon.com_Packages").write_text("fetched")
    (root / "var/lib/apt/lists/archive.example_Packages").unlink()
    (root / "var/lib/apt/lists/new_Packages").write_text("new")
    view(tmp_path, root)
    assert sorted(path.name for path in lists.iterdir()) == [
        "new_Packages",
        "partial",
        "repo.radeon.com_Packages",
    ]


async def test_a_transaction_is_simulated_in_the_words_of_the_helper(
    tmp_path: Path, root: Path
) -> None:
    apt, deb = view(tmp_path, root), "/home/ada/x.deb"
    await apt.simulate((("a", "1"), ("b", "")), (deb,), ("c",), purge=True)
    argv = asked(apt)
    assert argv[:2] == ("apt-get", "-s")
    assert argv[argv.index("install") :] == ("install", "a=1", "b", deb, "c-")
    assert "APT::Get::Purge=true" in argv
    assert "--no-install-recommends" in argv


async def test_only_our_source_is_updated_and_no_other_list_is_dropped(
    tmp_path: Path, root: Path
) -> None:
    apt = view(tmp_path, root, *WRITING)
    await apt.update()
    argv = asked(apt)
    assert f"Dir::Etc::sourcelist={tmp_path}/view/sources.list.d/rdna1-setup-rocm.list" in argv
    assert "Dir::Etc::sourceparts=/dev/null" in argv
    assert "APT::Get::List-Cleanup=0" in argv
    assert "APT::Update::Error-Mode=any" in argv
    assert argv[-1] == "update"


def test_every_option_that_decides_on_a_transaction_is_the_helpers_too() -> None:
    assert set(CHANGE) <= set(APT_OPTIONS)
    deciding = {word for word in APT_OPTIONS if word.startswith(("APT::", "--"))}
    assert deciding <= set(CHANGE)
