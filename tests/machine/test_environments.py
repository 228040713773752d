"""Places that Python imports from, and the torch in each."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.environments import ENVIRONMENTS, read_environments
from wizard.machine.facts import Environment, TorchInstall
from wizard.machine.part import Found
from wizard.machine.pythons import CHILD_LIMIT, FOLDER_LIMIT, survey
from wizard.machine.recorded import RecordedHost

HOME = "/home/owner"
VENV = f"{HOME}/venv"
SITE = f"{VENV}/lib/python3.10/site-packages"


def environments_on(host: Host) -> Found[tuple[Environment, ...]]:
    return read_environments(host, survey(host))


def venv(folder: str = VENV, config: str = "version = 3.10.12\n") -> dict[str, str]:
    """The mark of a venv, and its empty site-packages."""
    return {f"{folder}/pyvenv.cfg": config, f"{folder}/lib/python3.10/site-packages/README": ""}


def torch(
    version: str, *, site: str = SITE, hip: str | None = None, cuda: str | None = None
) -> dict[str, str]:
    """The files of torch that are read."""
    text = (
        f"__version__ = {version!r}\ncuda: Optional[str] = {cuda!r}\nhip: Optional[str] = {hip!r}\n"
    )
    plain = version.partition("+")[0]
    return {
        f"{site}/torch/version.py": text,
        f"{site}/torch-{plain}.dist-info/METADATA": f"Name: torch\nVersion: {version}\n",
    }


def only(host: Host) -> Environment:
    """The only environment of a machine."""
    (environment,) = environments_on(host).value
    return environment


def installed(host: Host) -> TorchInstall:
    """The torch of the only environment."""
    found = only(host).torch
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("version", "hip", "cuda", "build", "rocm"),
    [
        ("1.13.1+rocm5.2", "5.2.21151-afdc89f8", None, "rocm", "5.2"),
        ("2.12.0+rocm7.14.0", "7.14.1", None, "rocm", "7.14.0"),
        ("2.9.1a0+git1234", "6.4.43482-0f2d60242", None, "rocm", "6.4"),
        ("2.5.1+cu124", None, "12.4", "cuda", None),
        ("2.5.1", None, "12.4", "cuda", None),
        ("2.13.0+cpu", None, None, "cpu", None),
        ("1.13.1", None, None, "cpu", None),
    ],
)
def test_the_build_of_torch_is_told_without_importing_it(
    version: str, hip: str | None, cuda: str | None, build: str, rocm: str | None, tmp_path: Path
) -> None:
    found = installed(make(tmp_path, venv() | torch(version, hip=hip, cuda=cuda)))

    assert (found.version, found.build, found.rocm) == (version, build, rocm)


def test_a_dist_info_alone_tells_version_and_release(tmp_path: Path) -> None:
    files = venv() | {f"{SITE}/torch-2.2.2+rocm5.7.dist-info/METADATA": ""}

    assert installed(make(tmp_path, files)) == TorchInstall(
        "2.2.2+rocm5.7", "rocm", "5.7", None, ()
    )


def test_a_folder_without_version_in_its_name_is_told_by_its_metadata(tmp_path: Path) -> None:
    files = venv() | {f"{SITE}/torch.dist-info/METADATA": "Name: torch\nVersion: 2.5.1+rocm6.2\n"}

    assert installed(make(tmp_path, files)).rocm == "6.2"


def test_packages_that_only_begin_like_torch_are_no_torch(tmp_path: Path) -> None:
    names = ("torchvision-0.17.2.dist-info", "torch_geometric-2.5.dist-info", "~orch-2.2.dist-info")
    files = venv() | {f"{SITE}/{name}/METADATA": "" for name in names}

    assert only(make(tmp_path, files)).torch is None


def test_native_wheels_are_told_by_their_device_packages(tmp_path: Path) -> None:
    device = {f"{SITE}/amd_torch_device_gfx1010-2.12.0+rocm7.14.0.dist-info/METADATA": ""}
    files = venv() | torch("2.12.0+rocm7.14.0", hip="7.14.1") | device

    assert installed(make(tmp_path, files)).native_gfx == ("gfx1010",)


def test_numpy_is_the_one_that_this_torch_imports(tmp_path: Path) -> None:
    system = {"/usr/lib/python3/dist-packages/numpy-1.26.4.egg-info/PKG-INFO": ""}
    shared = venv(config="version = 3.10.12\ninclude-system-site-packages = true\n")

    closed, system_one = environments_on(
        make(tmp_path / "a", venv() | torch("2.2.2") | system)
    ).value
    opened, _ = environments_on(make(tmp_path / "b", shared | torch("2.2.2") | system)).value

    assert closed.torch is not None
    assert closed.torch.numpy is None
    assert opened.torch is not None
    assert opened.torch.numpy == "1.26.4"
    assert system_one.kind == "dist-packages"


@pytest.mark.parametrize(
    ("config", "python"),
    [
        ("version = 3.11.2\n", "3.11.2"),
        ("version_info = 3.10.18\n", "3.10.18"),
        ("version_info = 3.9.2.final.0\n", "3.9.2"),
        ("home = /usr/bin\n", "3.10"),
        ("version = \x00\n", "3.10"),
    ],
)
def test_a_venv_tells_its_python(config: str, python: str, tmp_path: Path) -> None:
    assert only(make(tmp_path, venv(config=config))).python == python


def test_a_venv_that_tells_nothing_is_unknown_with_its_reason(tmp_path: Path) -> None:
    host = make(tmp_path, {f"{VENV}/pyvenv.cfg": ""})

    assert only(host).python == Unknown(f"{VENV} has an unknown Python")


def test_venvs_are_found_three_folders_deep_and_hidden_by_their_usual_names(
    tmp_path: Path,
) -> None:
    folders = (f"{HOME}/a/b/c", f"{HOME}/a/.venv", f"{HOME}/.virtualenvs/x")
    hidden = (f"{HOME}/a/b/c2/d", f"{HOME}/.cache/v", f"{HOME}/web/node_modules/v")
    files = {f"{folder}/pyvenv.cfg": "" for folder in (*folders, *hidden)}

    found = {one.path for one in environments_on(make(tmp_path, files)).value}

    assert found == set(folders)


def test_the_active_venv_is_found_wherever_it_is(tmp_path: Path) -> None:
    host = make(tmp_path, venv("/srv/deep/er/venv"), environ={"VIRTUAL_ENV": "/srv/deep/er/venv"})

    assert only(host).path == "/srv/deep/er/venv"


def test_conda_environments_are_told_by_conda_meta(tmp_path: Path) -> None:
    root = f"{HOME}/miniconda3"
    files = {
        f"{root}/conda-meta/python-3.12.4-h5148396_1.json": "",
        f"{root}/envs/ml/conda-meta/python-3.10.14-h955ad1f_1.json": "",
        f"{root}/envs/ml/lib/python3.10/site-packages/torch-1.13.1.dist-info/METADATA": "",
        f"{root}/envs/broken/README": "",
    }

    found = environments_on(make(tmp_path, files)).value

    assert [(one.path, one.kind, one.python) for one in found] == [
        (root, "conda", "3.12.4"),
        (f"{root}/envs/ml", "conda", "3.10.14"),
    ]
    assert found[1].torch is not None


def test_the_user_site_counts_since_it_reaches_every_python(tmp_path: Path) -> None:
    site = f"{HOME}/.local/lib/python3.12/site-packages"
    environment = only(make(tmp_path, torch("2.9.0+cu128", site=site, cuda="12.8")))

    assert (environment.kind, environment.python) == ("user-site", "3.12")
    assert environment.torch is not None


def test_a_folder_of_many_folders_is_not_searched_to_its_end_and_that_is_said(
    tmp_path: Path,
) -> None:
    files = {f"{HOME}/data/{number:04}/x": "" for number in range(CHILD_LIMIT + 1)}

    unread = environments_on(make(tmp_path, files)).unread

    assert unread == (Unknown(f"{HOME}/data has many folders: only {CHILD_LIMIT} were searched"),)


def test_a_home_of_endless_folders_is_searched_within_a_limit(tmp_path: Path) -> None:
    visits: list[str] = []

    class Endless(RecordedHost):
        def folders(self, folder: str) -> tuple[str, ...]:
            visits.append(folder)
            return tuple(f"f{number}" for number in range(CHILD_LIMIT))

    make(tmp_path, {f"{HOME}/x": ""})

    unread = environments_on(Endless(tmp_path)).unread

    assert unread[-1] == Unknown(f"{HOME} has many folders: only {FOLDER_LIMIT:,} were searched")
    assert len(visits) < FOLDER_LIMIT + 10


def test_a_home_that_may_not_be_read_is_said_to_be_unread(tmp_path: Path) -> None:
    host = make(tmp_path, {f"{HOME}/x": ""}, unreadable=[HOME])

    assert environments_on(host).unread == (Unknown(f"no permission to read {HOME}"),)


def test_an_application_is_searched_for_its_venv_however_deep_it_lies(tmp_path: Path) -> None:
    folder = f"{HOME}/ai/images/ComfyUI"
    files = {f"{folder}/main.py": "", f"{folder}/comfy/sd.py": "", **venv(f"{folder}/venv")}

    assert only(make(tmp_path, files)).path == f"{folder}/venv"


def test_what_is_out_of_the_ordinary_with_a_torch_is_told(tmp_path: Path) -> None:
    record = "torch/lib/libMIOpen.so,sha256=x,445599768\ntorch/lib/libhiprtc.so,sha256=x,9\n"
    files = venv() | torch("2.5.1+rocm6.2")
    info = f"{SITE}/torch-2.5.1.dist-info"
    lib = f"{SITE}/torch/lib"
    files |= {f"{info}/RECORD": record, f"{lib}/libMIOpen.so": "x"}
    files |= {f"{lib}/libMIOpen.so.original": ""}

    host = make(tmp_path, files)
    told = ENVIRONMENTS.tell(environments_on(host).value)[1]

    assert told == (
        f"{VENV} (venv, Python 3.10.12): torch 2.5.1+rocm6.2, no numpy",
        "  libMIOpen.so was replaced: it has 1 bytes, but the wheel's had 445,599,768; saved as "
        "libMIOpen.so.original",
        "  libhiprtc.so from the wheel is missing",
    )


def test_an_executable_stack_is_told() -> None:
    install = TorchInstall(
        "1.13.1+rocm5.2", "rocm", "5.2", None, (), executable_stack=("libamdhip64.so",)
    )
    _, lines = ENVIRONMENTS.tell((Environment(VENV, "venv", "3.10.12", install),))

    assert lines[1:] == (
        "  libamdhip64.so: asks for an executable stack, which glibc 2.41 and later refuse",
    )
