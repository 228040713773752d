"""Pythons that can be the base of a venv, told without running one."""

from __future__ import annotations

from pathlib import Path

from tests.machine.records import make
from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.facts import Interpreter
from wizard.machine.pythons import read_interpreters, read_uv

HOME = "/home/owner"


def python(prefix: str, minor: str, *, lib: str = "lib", venvs: bool = True) -> dict[str, str]:
    """The files of one Python."""
    library = f"{prefix}/{lib}/python{minor}"
    files = {f"{prefix}/bin/python{minor}": "", f"{library}/os.py": ""}
    return files | {f"{library}/venv/__init__.py": ""} if venvs else files


def found(host: Host) -> tuple[Interpreter, ...]:
    """The interpreters of a machine."""
    return read_interpreters(host).value


def test_links_to_one_python_count_once(tmp_path: Path) -> None:
    links = {
        "/usr/bin/python3": "python3.12",
        "/bin": "/usr/bin",
        "/usr/local/bin/python3": "/bin/python3",
    }
    host = make(
        tmp_path,
        python("/usr", "3.12") | {"/usr/local/bin/x": ""},
        links=links,
        environ={"PATH": "/bin:/usr/bin"},
    )

    assert found(host) == (Interpreter("/usr/bin/python3.12", "3.12", makes_venvs=True),)


def test_debians_minimal_python_makes_no_environments(tmp_path: Path) -> None:
    host = make(tmp_path, python("/usr", "3.12", venvs=False))
    assert [one.makes_venvs for one in found(host)] == [False]


def test_fedora_keeps_its_library_in_lib64(tmp_path: Path) -> None:
    assert found(make(tmp_path, python("/usr", "3.13", lib="lib64")))[0].makes_venvs


def test_a_pyenv_version_is_told_by_its_folder_and_its_shim_is_none(tmp_path: Path) -> None:
    files = python(f"{HOME}/.pyenv/versions/3.10.13", "3.10") | {
        f"{HOME}/.pyenv/shims/python3.10": "#!/bin/sh\n",
        "/lib/python3.10/os.py": "",
    }
    host = make(tmp_path, files, environ={"PATH": f"{HOME}/.pyenv/shims"})

    assert [(one.version, one.path) for one in found(host)] == [
        ("3.10.13", f"{HOME}/.pyenv/versions/3.10.13/bin/python3.10")
    ]


def test_uv_and_our_own_folder_of_pythons_are_searched(tmp_path: Path) -> None:
    share = f"{HOME}/.local/share"
    files = python(f"{share}/uv/python/cpython-3.10.18-linux-x86_64-gnu", "3.10") | python(
        f"{share}/rdna1-setup/python/cpython-3.11.13-linux-x86_64-gnu", "3.11"
    )

    assert [one.version for one in found(make(tmp_path, files))] == ["3.11.13", "3.10.18"]


def test_a_header_tells_the_patch_release(tmp_path: Path) -> None:
    header = {"/usr/include/python3.11/patchlevel.h": '#define PY_VERSION\t"3.11.2"\n'}

    assert found(make(tmp_path, python("/usr", "3.11") | header))[0].version == "3.11.2"


def test_a_header_of_another_version_is_not_believed(tmp_path: Path) -> None:
    header = {"/usr/include/python3.11/patchlevel.h": '#define PY_VERSION\t"3.1.2"\n'}

    assert found(make(tmp_path, python("/usr", "3.11") | header))[0].version == "3.11"


def test_a_venv_on_the_path_stands_for_its_base_only(tmp_path: Path) -> None:
    files = python("/usr", "3.12") | {f"{HOME}/v/pyvenv.cfg": "", f"{HOME}/v/bin/activate": ""}
    links = {f"{HOME}/v/bin/python3": "/usr/bin/python3.12"}
    host = make(tmp_path, files, links=links, environ={"PATH": f"{HOME}/v/bin"})

    assert [one.path for one in found(host)] == ["/usr/bin/python3.12"]


def test_conda_is_found_in_its_usual_place(tmp_path: Path) -> None:
    files = python(f"{HOME}/miniforge3", "3.12") | {f"{HOME}/miniforge3/conda-meta/history": ""}

    assert [one.path for one in found(make(tmp_path, files))] == [
        f"{HOME}/miniforge3/bin/python3.12"
    ]


def test_pythons_older_than_3_8_are_left_out(tmp_path: Path) -> None:
    assert found(make(tmp_path, python("/usr", "3.7") | python("/usr/local", "3.8"))) == (
        Interpreter("/usr/local/bin/python3.8", "3.8", makes_venvs=True),
    )


def test_the_newest_python_comes_first_by_number(tmp_path: Path) -> None:
    host = make(tmp_path, python("/usr", "3.9") | python("/usr", "3.10"))

    assert [one.version for one in found(host)] == ["3.10", "3.9"]


def test_the_uv_that_came_with_the_wizard_is_preferred(tmp_path: Path) -> None:
    files = {"/opt/wizard/bin/uv": "", f"{HOME}/.local/bin/uv": ""}

    assert read_uv(make(tmp_path, files, prefix="/opt/wizard")).value == "/opt/wizard/bin/uv"
    assert read_uv(make(tmp_path, files)).value == f"{HOME}/.local/bin/uv"


def test_without_uv_that_is_said(tmp_path: Path) -> None:
    assert read_uv(make(tmp_path, {"/etc/hostname": ""})).value == Unknown("uv was not found")
