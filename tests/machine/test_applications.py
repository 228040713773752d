"""Applications that are there, the environment of each, and the line that starts it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.host.host import Host
from wizard.knowledge.applications import load_applications, load_traces
from wizard.machine.applications import APPLICATIONS, read_applications
from wizard.machine.facts import FoundApplication
from wizard.machine.part import Found
from wizard.machine.pythons import survey

HOME = "/home/owner"
COMFY = f"{HOME}/ai/ComfyUI"
VENV = f"{HOME}/venv"
SITE = f"{VENV}/lib/python3.11/site-packages"


def applications_on(host: Host) -> Found[tuple[FoundApplication, ...]]:
    return read_applications(host, survey(host))


def comfy(folder: str = COMFY) -> dict[str, str]:
    """The files by which ComfyUI is recognised."""
    return {f"{folder}/main.py": "", f"{folder}/comfy/sd.py": ""}


def test_comfyui_starts_with_the_python_of_its_own_venv(tmp_path: Path) -> None:
    files = comfy() | {f"{COMFY}/venv/pyvenv.cfg": ""}

    assert applications_on(make(tmp_path, files)).value == (
        FoundApplication(
            "comfyui", COMFY, f"{COMFY}/venv", f"cd {COMFY} && venv/bin/python main.py"
        ),
    )


@pytest.mark.parametrize("name", [".venv", "env", "fooocus_env"])
def test_a_venv_may_have_any_of_the_usual_names(name: str, tmp_path: Path) -> None:
    files = comfy() | {f"{COMFY}/{name}/pyvenv.cfg": ""}

    assert applications_on(make(tmp_path, files)).value[0].environment == f"{COMFY}/{name}"


def test_a_venv_beside_the_application_counts_where_it_has_none(tmp_path: Path) -> None:
    files = comfy() | {f"{HOME}/ai/venv/pyvenv.cfg": ""}

    (found,) = applications_on(make(tmp_path, files)).value

    assert found.environment == f"{HOME}/ai/venv"
    assert found.start == f"cd {COMFY} && {HOME}/ai/venv/bin/python main.py"


def test_an_application_without_a_venv_says_so_and_takes_python3(tmp_path: Path) -> None:
    (found,) = applications_on(make(tmp_path, comfy())).value

    assert (found.environment, found.start) == ("", f"cd {COMFY} && python3 main.py")


@pytest.mark.parametrize("name", ["my ai", "it's", "a;rm -rf x", "$HOME", "a\nb", "[bold]", "{x}"])
def test_a_folder_of_any_name_is_one_word_for_the_shell(name: str, tmp_path: Path) -> None:
    folder = f"{HOME}/{name}"
    (found,) = applications_on(make(tmp_path, comfy(folder))).value

    words = found.start.replace("cd ", "printf %s ", 1).partition(" && ")[0]
    shown = subprocess.run(("/bin/sh", "-c", words), capture_output=True, check=True).stdout
    assert shown.decode() == folder


@pytest.mark.parametrize(
    ("files", "name", "start"),
    [
        (("webui.sh", "modules/sd_models.py"), "a1111", "./webui.sh"),
        (
            ("entry_with_update.py", "fooocus_version.py"),
            "fooocus",
            "venv/bin/python entry_with_update.py",
        ),
    ],
)
def test_each_application_starts_as_its_own_documents_say(
    files: tuple[str, ...], name: str, start: str, tmp_path: Path
) -> None:
    folder = f"{HOME}/app"
    marks = (*files, "venv/pyvenv.cfg")

    (found,) = applications_on(make(tmp_path, {f"{folder}/{mark}": "" for mark in marks})).value

    assert (found.id, found.start) == (name, f"cd {folder} && {start}")


@pytest.mark.parametrize("missing", ["main.py", "comfy/sd.py"])
def test_half_of_the_marks_is_no_application(missing: str, tmp_path: Path) -> None:
    files = comfy()
    del files[f"{COMFY}/{missing}"]

    assert applications_on(make(tmp_path, {"/x": "", **files})).value == ()


def package(*names: str) -> dict[str, str]:
    """A venv with these distributions."""
    return {f"{VENV}/pyvenv.cfg": ""} | {f"{SITE}/{name}.dist-info/METADATA": "" for name in names}


def test_packages_are_found_in_environments_by_their_dist_info(tmp_path: Path) -> None:
    names = ("ultralytics-8.4.190", "timm-1.0.31", "diffusers-0.42.1", "transformers-5.23.0")
    files = package(*names, "transformers_stream-1.0", "numpy-2.0.0")

    found = applications_on(make(tmp_path, files)).value

    assert [one.id for one in found] == ["yolo", "timm", "diffusers", "transformers"]
    assert {(one.path, one.environment, one.start) for one in found} == {(VENV, VENV, "")}


@pytest.mark.parametrize(
    ("name", "program", "start"),
    [
        ("ultralytics-8.4.190", "yolo", f"{VENV}/bin/yolo"),
        ("jupyterlab-4.4.0", "jupyter", f"{VENV}/bin/jupyter lab"),
        ("notebook-7.4.0", "jupyter", f"{VENV}/bin/jupyter notebook"),
        ("InvokeAI-6.14.2", "invokeai-web", f"{VENV}/bin/invokeai-web"),
    ],
)
def test_a_package_with_a_program_is_started_by_it(
    name: str, program: str, start: str, tmp_path: Path
) -> None:
    files = package(name) | {f"{VENV}/bin/{program}": ""}

    assert applications_on(make(tmp_path, files)).value[0].start == start


def test_invokeai_is_told_by_its_root_folder(tmp_path: Path) -> None:
    root = f"{HOME}/my invoke"
    site = f"{root}/.venv/lib/python3.12/site-packages"
    files = {
        f"{root}/invokeai.yaml": "",
        f"{root}/.venv/pyvenv.cfg": "",
        f"{root}/.venv/bin/invokeai-web": "",
        f"{site}/invokeai-6.14.2.dist-info/METADATA": "",
    }

    (found,) = applications_on(make(tmp_path, files)).value

    assert (found.path, found.environment) == (root, f"{root}/.venv")
    assert found.start == f"'{root}/.venv/bin/invokeai-web' --root '{root}'"


def test_a_program_of_the_user_site_lies_in_its_own_bin(tmp_path: Path) -> None:
    site = f"{HOME}/.local/lib/python3.12/site-packages"
    files = {f"{site}/ultralytics-8.4.190.dist-info/METADATA": "", f"{HOME}/.local/bin/yolo": ""}

    (found,) = applications_on(make(tmp_path, files)).value

    assert (found.environment, found.start) == (site, f"{HOME}/.local/bin/yolo")


def test_applications_are_told_with_the_line_that_starts_them(tmp_path: Path) -> None:
    host = make(tmp_path, comfy())

    assert APPLICATIONS.tell(APPLICATIONS.read(host, survey(host)).value) == (
        "comfyui",
        (
            f"comfyui: {COMFY} with no environment of its own",
            f"  start it: cd {COMFY} && python3 main.py",
        ),
    )


def test_every_trace_has_a_mark_a_dated_source_and_known_blanks() -> None:
    for trace in load_traces():
        assert bool(trace.files) != bool(trace.packages)
        assert trace.source
        assert trace.date[:2] == "20"
        trace.start.format(folder="", python="", program="")


def test_what_can_be_chosen_for_is_recognised_where_it_leaves_traces() -> None:
    known = {trace.id for trace in load_traces()}
    plain = {"small-cnn", "own", "llm-chat", "linear-algebra"}
    forks = {"forge"}  # found as A1111, whose files it kept

    assert {application.id for application in load_applications()} - plain - forks <= known
