"""Variables in force and in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import machine, make
from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.assignments import assignments
from wizard.machine.facts import Setting
from wizard.machine.part import Found
from wizard.machine.pythons import survey
from wizard.machine.recorded import RecordedHost
from wizard.machine.settings import has_empty_element, read_near_settings, read_settings

BASHRC = "/home/owner/.bashrc"


def near_settings_on(host: Host) -> Found[tuple[Setting, ...]]:
    return read_near_settings(host, survey(host))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("export HSA_OVERRIDE_GFX_VERSION=10.3.0", [("HSA_OVERRIDE_GFX_VERSION", "10.3.0")]),
        ("HSA_XNACK=0", [("HSA_XNACK", "0")]),
        ('  export HIP_VISIBLE_DEVICES="0"  # my card', [("HIP_VISIBLE_DEVICES", "0")]),
        ("export HSA_XNACK=0 HSA_USE_SVM='0'", [("HSA_XNACK", "0"), ("HSA_USE_SVM", "0")]),
        ("if true; then export HSA_XNACK=1; fi", [("HSA_XNACK", "1")]),
        ("[ -e /dev/kfd ] && export HSA_XNACK=1", [("HSA_XNACK", "1")]),
        ("declare -x MIOPEN_LOG_LEVEL=7", [("MIOPEN_LOG_LEVEL", "7")]),
        ("set -gx HSA_XNACK 1", [("HSA_XNACK", "1")]),
        ("set -e HSA_XNACK", []),
        ("# export HSA_XNACK=1", []),
        ("export PATH=/opt/rocm/bin:$PATH # HSA_XNACK=1", []),
        ("HSA_XNACK=1 python train.py", []),
        ("alias sd='HSA_XNACK=1 python sd.py'", []),
        ("echo 'export HSA_XNACK=1' >> ~/.bashrc", []),
        ("unset HSA_XNACK", []),
        ("export HSA_XNACK", []),
        ("export MY_HSA_XNACK=1", []),
        ("export ROCM_PATH=/opt/rocm-5.2.0 it's", [("ROCM_PATH", "/opt/rocm-5.2.0")]),
    ],
)
def test_a_line_sets_what_later_programs_will_see(
    line: str, expected: list[tuple[str, str]]
) -> None:
    assert [(name, value) for name, value, _ in assignments(line)] == expected


def test_line_numbers_are_those_of_an_editor() -> None:
    assert assignments("# first\n\nexport HSA_XNACK=1\n") == [("HSA_XNACK", "1", 3)]


def test_other_variables_beside_ours_are_never_shown(tmp_path: Path) -> None:
    host = make(
        tmp_path,
        {BASHRC: "export HF_TOKEN=hf_secret HSA_XNACK=0 AWS_KEY=secret\n"},
        environ={"HF_TOKEN": "hf_secret", "HIP_VISIBLE_DEVICES": "0"},
    )

    settings = read_settings(host).value

    assert [(one.name, one.value) for one in settings] == [
        ("HIP_VISIBLE_DEVICES", "0"),
        ("HSA_XNACK", "0"),
    ]
    assert "secret" not in repr(settings)


@pytest.mark.parametrize(
    "path",
    ["/etc/environment", "/etc/profile", "/etc/bash.bashrc", "/etc/profile.d/rocm.sh",
     "/home/owner/.bashrc", "/home/owner/.bash_profile", "/home/owner/.bash_login",
     "/home/owner/.profile", "/home/owner/.zshrc", "/home/owner/.zshenv", "/home/owner/.zprofile",
     "/home/owner/.config/fish/config.fish", "/home/owner/.config/environment.d/10-rocm.conf"],
)  # fmt: skip
def test_every_file_that_a_login_reads_is_read(path: str, tmp_path: Path) -> None:
    (setting,) = read_settings(make(tmp_path, {path: "HSA_XNACK=0\n"})).value

    assert (setting.file, setting.line) == (path, 1)


def test_files_that_no_login_reads_are_not_read(tmp_path: Path) -> None:
    files = {"/etc/profile.d/rocm.sh.bak": "HSA_XNACK=0\n", "/home/owner/notes": "HSA_XNACK=0\n"}

    assert read_settings(make(tmp_path, files)).value == ()


def test_a_profile_without_permission_is_unread_and_said_so(tmp_path: Path) -> None:
    host = make(tmp_path, {BASHRC: "HSA_XNACK=0\n"}, unreadable=[BASHRC])

    found = read_settings(host)

    assert found.value == ()
    assert found.unread == (Unknown(f"no permission to read {BASHRC}"),)


@pytest.mark.parametrize(
    ("value", "empty"),
    [
        ("/opt/rocm/lib:", True),
        (":/opt/rocm/lib", True),
        ("/a::/b", True),
        ("/opt/rocm/lib:$LD_LIBRARY_PATH", True),
        ("/opt/rocm/lib:${LD_LIBRARY_PATH:-}", True),
        ("/opt/rocm/lib:${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", True),
        ("/opt/rocm/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", False),
        ("/opt/rocm/lib", False),
        ("$LD_LIBRARY_PATH", False),
        ("", False),
    ],
)
def test_an_empty_element_is_seen_where_the_loader_would(value: str, empty: bool) -> None:
    assert has_empty_element(value) is empty


def test_a_library_path_is_only_told_when_it_is_faulty_or_names_rocm(tmp_path: Path) -> None:
    values = ("/usr/local/cuda/lib64", "/opt/rocm/lib", "/home/owner/lib:")
    found = [
        read_settings(
            make(tmp_path / str(number), {"/x": ""}, environ={"LD_LIBRARY_PATH": value})
        ).value
        for number, value in enumerate(values)
    ]

    assert [len(settings) for settings in found] == [0, 1, 1]
    assert "current folder" not in found[1][0].effect
    assert "current folder" in found[2][0].effect


def test_the_demo_machine_says_which_of_its_settings_do_nothing() -> None:
    settings = read_settings(machine("rx5600xt-noble-rocm57")).value
    kinds = {one.name: one.effect.partition(":")[0] for one in settings if not one.file}

    assert kinds["MIOPEN_DEBUG_CONV_GEMM"] == "no-op"
    assert kinds["MIOPEN_DEBUG_CONV_WINOGRAD"] == "effective"
    assert kinds["HIP_FORCE_COARSE_GRAIN"] == "invented"
    assert kinds["PYTORCH_ROCM_ARCH"] == "build-time"
    assert all(one.effect for one in settings)


SITE = "/home/owner/venv/lib/python3.10/site-packages"
VENV = {"/home/owner/venv/pyvenv.cfg": "", f"{SITE}/README": ""}
COMFY = {"/home/owner/ComfyUI/main.py": "", "/home/owner/ComfyUI/comfy/sd.py": ""}
EXPORT = "export HSA_XNACK=0\n"
PYTHON = 'import os; os.environ["HSA_XNACK"] = "0"\n'


def near(host: RecordedHost) -> list[tuple[str, int, str]]:
    """File, line and owner of the settings near environments and applications."""
    return [(one.file, one.line, one.within) for one in near_settings_on(host).value]


@pytest.mark.parametrize(
    ("path", "text", "within"),
    [
        ("/etc/systemd/system/ollama.service", "Environment=HSA_XNACK=0\n", "ollama.service"),
        (
            "/etc/systemd/system/ollama.service.d/override.conf",
            "Environment=HSA_XNACK=0\n",
            "ollama.service",
        ),
        ("/home/owner/.config/systemd/user/sd.service", "Environment=HSA_XNACK=0\n", "sd.service"),
        ("/home/owner/.config/fish/conf.d/rocm.fish", "set -Ux HSA_XNACK 0\n", ""),
        ("/home/owner/.config/fish/fish_variables", "SETUVAR --export HSA_XNACK:0\n", ""),
    ],
)
def test_services_and_fish_are_read_as_a_login_is(
    path: str, text: str, within: str, tmp_path: Path
) -> None:
    (setting,) = read_settings(make(tmp_path, {path: text})).value

    assert (setting.name, setting.value, setting.file) == ("HSA_XNACK", "0", path)
    assert (setting.line, setting.within) == (1, within)


def test_a_file_that_a_service_names_is_read_for_it(tmp_path: Path) -> None:
    unit = "/etc/systemd/system/ollama.service"
    files = {unit: "EnvironmentFile=-/etc/default/ollama\n", "/etc/default/ollama": "HSA_XNACK=0\n"}

    (setting,) = read_settings(make(tmp_path, files)).value

    assert (setting.file, setting.within) == ("/etc/default/ollama", "ollama.service")


def test_a_masked_service_is_nothing_to_tell(tmp_path: Path) -> None:
    unit = "/etc/systemd/system/ollama.service"
    host = make(tmp_path, {"/etc/systemd/system/x": ""}, links={unit: "/dev/null"})

    assert read_settings(host) == Found(())


@pytest.mark.parametrize(
    ("path", "text", "within"),
    [
        ("/home/owner/venv/bin/activate", EXPORT, "/home/owner/venv"),
        ("/home/owner/venv/bin/activate.fish", "set -gx HSA_XNACK 0\n", "/home/owner/venv"),
        (f"{SITE}/sitecustomize.py", PYTHON, "/home/owner/venv"),
        (f"{SITE}/rocm.pth", PYTHON, "/home/owner/venv"),
        (
            "/home/owner/venv/share/jupyter/kernels/python3/kernel.json",
            '{"env": {"HSA_XNACK": "0"}}',
            "/home/owner/venv/share/jupyter/kernels/python3",
        ),
        (
            "/home/owner/.local/share/jupyter/kernels/rocm/kernel.json",
            '{"env": {"HSA_XNACK": "0"}}',
            "/home/owner/.local/share/jupyter/kernels/rocm",
        ),
        (
            "/home/owner/.local/lib/python3.12/site-packages/usercustomize.py",
            PYTHON,
            "/home/owner/.local/lib/python3.12/site-packages",
        ),
        ("/usr/lib/python3/dist-packages/sitecustomize.py", PYTHON, ""),
        ("/home/owner/ComfyUI/run.sh", EXPORT, "/home/owner/ComfyUI"),
        ("/home/owner/ComfyUI/.env", "HSA_XNACK=0\n", "/home/owner/ComfyUI"),
        (
            "/home/owner/ComfyUI/compose.yaml",
            "environment:\n  HSA_XNACK: 0\n",
            "/home/owner/ComfyUI",
        ),
    ],
)
def test_what_only_one_environment_or_application_sees_says_so(
    path: str, text: str, within: str, tmp_path: Path
) -> None:
    (found,) = near(make(tmp_path, {**VENV, **COMFY, path: text}))

    assert (found[0], found[2]) == (path, within)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("etc/conda/activate.d/rocm.sh", EXPORT),
        ("conda-meta/state", '{"env_vars": {"HSA_XNACK": "0"}}'),
    ],
)
def test_a_conda_environment_has_settings_of_its_own(path: str, text: str, tmp_path: Path) -> None:
    folder = "/home/owner/miniconda3/envs/ml"
    root = {"/home/owner/miniconda3/conda-meta/x": "", f"{folder}/conda-meta/x": ""}

    assert near(make(tmp_path, {**root, f"{folder}/{path}": text})) == [
        (f"{folder}/{path}", 1, folder)
    ]


def test_a_module_that_a_pth_file_imports_is_read_as_python_runs_it(tmp_path: Path) -> None:
    files = {
        f"{SITE}/rdna1_setup_environment.pth": "import rdna1_setup_environment\n",
        f"{SITE}/rdna1_setup_environment.py": "import os\n\n" + PYTHON.removeprefix("import os; "),
    }

    assert near(make(tmp_path, {**VENV, **files})) == [
        (f"{SITE}/rdna1_setup_environment.py", 3, "/home/owner/venv")
    ]


def test_files_of_applications_are_looked_at_only_where_one_is(tmp_path: Path) -> None:
    files = {"/home/owner/work/.env": "HSA_XNACK=0\n", "/home/owner/work/main.py": ""}

    assert near(make(tmp_path, files)) == []


def test_secrets_beside_settings_are_never_kept(tmp_path: Path) -> None:
    secret = "HF_TOKEN=hf_secret\nHSA_XNACK=0\nPASSWORD=hf_secret\n"
    files = {**COMFY, "/home/owner/ComfyUI/.env": secret, "/home/owner/ComfyUI/run.sh": secret}

    found = near_settings_on(make(tmp_path, files)).value

    assert len(found) == 2
    assert "hf_secret" not in repr(found)


def test_xnack_is_judged_by_what_is_in_force_with_it(tmp_path: Path) -> None:
    files = {
        BASHRC: "export HSA_OVERRIDE_GFX_VERSION=10.3.0\n",
        "/etc/environment": "HSA_XNACK=0\n",
    }
    service = {"/etc/systemd/system/a.service": "Environment=HSA_XNACK=0\n"}

    beside = read_settings(make(tmp_path / "a", files)).value
    alone = read_settings(make(tmp_path / "b", service)).value

    assert [one.effect[:5] for one in beside if one.name == "HSA_XNACK"] == ["no-op"]
    assert [one.effect[:9] for one in alone] == ["effective"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("set -Ux HSA_XNACK 1", [("HSA_XNACK", "1")]),
        ("set --universal --export HSA_XNACK 1", [("HSA_XNACK", "1")]),
        ("set -x HSA_XNACK 1", [("HSA_XNACK", "1")]),
        ("set -g HSA_XNACK 1", []),
        ("set -q HSA_XNACK; or set -gx HSA_XNACK 1", [("HSA_XNACK", "1")]),
        ("set -gx LD_LIBRARY_PATH /opt/rocm/lib /lib", [("LD_LIBRARY_PATH", "/opt/rocm/lib:/lib")]),
    ],
)
def test_fish_hands_on_what_it_exports(line: str, expected: list[tuple[str, str]]) -> None:
    assert [(name, value) for name, value, _ in assignments(line)] == expected


def test_a_file_is_searched_to_its_first_quarter_of_a_megabyte(tmp_path: Path) -> None:
    early, late = "export HSA_XNACK=1\n", "export HSA_XNACK=0\n"
    host = make(tmp_path, {"/home/owner/.bashrc": early + "\n" * 256 * 1024 + late})

    assert [one.value for one in read_settings(host).value] == ["1"]
