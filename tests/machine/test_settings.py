"""Variables in force and in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import machine, make
from wizard.machine.facts import Unknown
from wizard.machine.settings import has_empty_element, read_settings
from wizard.machine.shell import assignments

BASHRC = "/home/owner/.bashrc"


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
    assert "current directory" not in found[1][0].effect
    assert "current directory" in found[2][0].effect


def test_the_demo_machine_says_which_of_its_settings_do_nothing() -> None:
    settings = read_settings(machine("rx5600xt-noble-rocm57")).value
    kinds = {one.name: one.effect.partition(":")[0] for one in settings if not one.file}

    assert kinds["MIOPEN_DEBUG_CONV_GEMM"] == "no-op"
    assert kinds["MIOPEN_DEBUG_CONV_WINOGRAD"] == "effective"
    assert kinds["HIP_FORCE_COARSE_GRAIN"] == "invented"
    assert kinds["PYTORCH_ROCM_ARCH"] == "build-time"
    assert all(one.effect for one in settings)
