"""What an environment holds is read from its files, whatever lies in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.json_form import to_json
from wizard.host.contents import BEFORE, LIST, read_contents

ROOT = "/home/owner/venv"
SITE = f"{ROOT}/lib/python3.10/site-packages"
VENV = {f"{ROOT}/pyvenv.cfg": "home = /usr/bin\nversion = 3.10.12\n", f"{ROOT}/bin/python": ""}


def dist(name: str, version: str, site: str = SITE, **files: str) -> dict[str, str]:
    info = f"{site}/{name.replace('-', '_')}-{version}.dist-info"
    requires = files.pop("requires", "")
    header = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{requires}\nLong text\n"
    return {f"{info}/METADATA": header, **{f"{info}/{each}": text for each, text in files.items()}}


def test_a_folder_that_is_no_environment_has_no_contents(tmp_path: Path) -> None:
    host = make(tmp_path, {f"{ROOT}/notes.txt": "mine"})
    assert read_contents(host, ROOT) is None
    assert read_contents(host, "/nowhere") is None


def test_a_venv_tells_its_python_its_packages_and_its_settings(tmp_path: Path) -> None:
    torch = dist(
        "torch",
        "2.1.0+cu118",
        requires="Requires-Dist: triton==2.1.0\nRequires-Dist: numpy ; extra == 'all'\n",
        RECORD="torch/__init__.py,,\n",
        REQUESTED="",
        INSTALLER="pip\n",
    )
    own = dist("My.Tool", "1", **{"direct_url.json": '{"url": "file:///home/owner/tool"}'})
    files = {**VENV, **torch, **own, f"{ROOT}/pip.conf": "[x]\n"}
    found = read_contents(make(tmp_path, files), f"{ROOT}/")
    assert found is not None
    assert (found.path, found.kind, found.python, found.site) == (ROOT, "venv", "3.10", SITE)
    assert (found.starts, found.closed, found.pip_conf) == (True, False, "[x]\n")
    tool, second = sorted(found.distributions, key=lambda each: each.name)
    assert (tool.name, tool.source, tool.recorded) == ("my-tool", "file:///home/owner/tool", False)
    assert second.requires == ("triton==2.1.0", "numpy ; extra == 'all'")
    assert (second.requested, second.installer, second.recorded) == (True, "pip", True)


@pytest.mark.parametrize(
    ("files", "version"),
    [
        (
            {f"{SITE}/torch-2.1.0-py3.10.egg-info/PKG-INFO": "Name: torch\nVersion: 2.1.0\n"},
            "2.1.0",
        ),
        ({f"{SITE}/torch.egg-link": "/home/owner/pytorch\n."}, "?"),
        ({f"{SITE}/torch/__init__.py": ""}, "?"),
    ],
)
def test_a_torch_without_a_list_of_its_files_is_seen_all_the_same(
    tmp_path: Path, files: dict[str, str], version: str
) -> None:
    found = read_contents(make(tmp_path, {**VENV, **dist("einops", "1"), **files}), ROOT)
    assert found is not None
    (torch,) = (each for each in found.distributions if each.name == "torch")
    assert (torch.version, torch.recorded) == (version, False)


def test_what_was_left_of_a_torch_that_is_gone_is_no_torch(tmp_path: Path) -> None:
    files = {**VENV, f"{SITE}/torch/lib/libMIOpen.so.original": ""}
    found = read_contents(make(tmp_path, files), ROOT)
    assert found is not None
    assert found.distributions == ()


def test_what_an_interrupted_pip_has_left_is_not_installed(tmp_path: Path) -> None:
    torch, remnant = dist("torch", "2.1.0"), dist("torch", "1.12.0")
    left = {path.replace("/torch-", "/~orch-"): text for path, text in remnant.items()}
    found = read_contents(make(tmp_path, {**VENV, **torch, **left}), ROOT)
    assert found is not None
    assert [(each.name, each.version) for each in found.distributions] == [("torch", "2.1.0")]


def test_a_conda_environment_names_what_conda_installed_and_sees_the_user_s_packages_first(
    tmp_path: Path,
) -> None:
    site = "/home/owner/.local/lib/python3.10/site-packages"
    files = {
        f"{ROOT}/conda-meta/pytorch-2.1.0-py3.10_cuda11.8_0.json": "{}",
        f"{ROOT}/conda-meta/history": "",
        **dist("torch", "2.1.0"),
        **dist("torch", "1.13.1", site),
    }
    found = read_contents(make(tmp_path, files), ROOT)
    assert found is not None
    assert (found.kind, found.conda, found.python) == ("conda", ("pytorch",), "3.10")
    assert (found.user_site, found.user_first) == (site, True)
    assert [each.version for each in found.user_distributions] == ["1.13.1"]


@pytest.mark.parametrize("kind", ["conda", "venv"])
def test_a_file_that_closes_a_python_to_pip_counts_in_a_conda_environment_alone(
    tmp_path: Path, kind: str
) -> None:
    mark = {f"{ROOT}/conda-meta/history": ""} if kind == "conda" else VENV
    files = {**mark, **dist("torch", "2.1.0"), f"{ROOT}/lib/python3.10/EXTERNALLY-MANAGED": ""}
    found = read_contents(make(tmp_path, files), ROOT)
    assert found is not None
    assert found.closed is (kind == "conda")


@pytest.mark.parametrize(("shared", "seen"), [("true", True), ("false", False)])
def test_a_venv_sees_the_user_s_packages_only_when_it_shares_the_system_s(
    tmp_path: Path, shared: str, seen: bool
) -> None:
    site = "/home/owner/.local/lib/python3.10/site-packages"
    config = f"version = 3.10.12\ninclude-system-site-packages = {shared}\n"
    files = {f"{ROOT}/pyvenv.cfg": config, **dist("a", "1"), **dist("torch", "1", site)}
    found = read_contents(make(tmp_path, files), ROOT)
    assert found is not None
    assert bool(found.user_site) is seen
    assert not found.user_first


@pytest.mark.parametrize(
    "broken",
    [
        {f"{SITE}/torch-1.dist-info/METADATA": b"\xff\xfe\x00"},
        {f"{SITE}/torch-1.dist-info/METADATA": ""},
        dist("torch", "1", **{"direct_url.json": "{"}),
        dist("torch", "1", **{"direct_url.json": "[]"}),
        dist("torch", "1", **{"direct_url.json": '{"url": 5}'}),
        {f"{ROOT}/{BEFORE}": "{"},
        {f"{ROOT}/{BEFORE}": '{"path": 5}'},
        {f"{ROOT}/{BEFORE}": "[" * 5000},
    ],
)
def test_damaged_files_raise_nothing(tmp_path: Path, broken: dict[str, str | bytes]) -> None:
    files: dict[str, str | bytes] = {**VENV, f"{SITE}/x.py": "", **broken}
    found = read_contents(make(tmp_path, files), ROOT)
    assert found is not None
    assert found.path == ROOT


def test_while_a_run_of_ours_stands_it_tells_what_was_there_before(tmp_path: Path) -> None:
    before = read_contents(make(tmp_path / "a", {**VENV, **dist("torch", "2.1.0")}), ROOT)
    assert before is not None
    text = json.dumps(to_json(before))
    files = {**VENV, **dist("torch", "1.13.1"), f"{ROOT}/{BEFORE}": text}
    standing = make(tmp_path / "b", {**files, f"{ROOT}/{LIST}": ""})
    assert read_contents(standing, ROOT) == before
    nothing_moved = make(tmp_path / "c", files)
    found = read_contents(nothing_moved, ROOT)
    assert found is not None
    assert [each.version for each in found.distributions] == ["1.13.1"]


def test_what_another_environment_held_before_is_never_told_of_a_copy_of_it(
    tmp_path: Path,
) -> None:
    before = read_contents(make(tmp_path / "a", {**VENV, **dist("torch", "2.1.0")}), ROOT)
    text = json.dumps(to_json(before))
    copy = "/home/owner/copy"
    files = {**VENV, **dist("torch", "1.13.1"), f"{ROOT}/{BEFORE}": text, f"{ROOT}/{LIST}": ""}
    copied = {path.replace(ROOT, copy): content for path, content in files.items()}
    found = read_contents(make(tmp_path / "b", copied), copy)
    assert found is not None
    assert (found.path, found.distributions[0].version) == (copy, "1.13.1")


@pytest.mark.parametrize(("installer", "asked_for"), [("pip", True), ("uv", False)])
def test_uv_says_of_every_package_that_it_was_asked_for(
    tmp_path: Path, installer: str, asked_for: bool
) -> None:
    files = dist("sympy", "1.13.1", REQUESTED="", RECORD="", INSTALLER=f"{installer}\n")
    found = read_contents(make(tmp_path, {**VENV, **files}), ROOT)
    assert found is not None
    assert [each.requested for each in found.distributions] == [asked_for]
