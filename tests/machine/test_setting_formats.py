"""Assignments in files that are no shell scripts."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wizard.machine.assignments import (
    Assigned,
    Reader,
    compose_environment,
    fish_universals,
    imported_modules,
    json_variables,
    python_environ,
    unit_environment,
    unit_files,
)

KERNEL = """{
 "argv": ["python", "-m", "ipykernel_launcher"],
 "env": {
  "HF_TOKEN": "hf_secret",
  "HSA_XNACK": "1"
 }
}
"""
CONDA = '{"version": 1, "env_vars": {"HSA_OVERRIDE_GFX_VERSION": "10.3.0", "TOKEN": "secret"}}'
UNIT = """\
[Service]
ExecStart=/usr/bin/ollama serve
Environment="HSA_OVERRIDE_GFX_VERSION=10.3.0" TOKEN=secret
Environment=HSA_XNACK=0 "HIP_VISIBLE_DEVICES=0,1"
# Environment=HSA_USE_SVM=0
Environment=A=b \\
  HSA_ENABLE_SDMA=0
"""
COMPOSE = """\
services:
  comfy:
    image: x
    environment:
      - HSA_XNACK=0
      - "HSA_OVERRIDE_GFX_VERSION=10.3.0"
      - HF_TOKEN=secret
      - HIP_VISIBLE_DEVICES
    labels:
      - HSA_USE_SVM=0
  other:
    environment:
      HIP_VISIBLE_DEVICES: "0"  # first
      HSA_ENABLE_SDMA: 0
      # HSA_XNACK: 1
      'MIOPEN_LOG_LEVEL': '5'
      PASSWORD: secret
    build:
      args:
        PYTORCH_ROCM_ARCH: gfx1030
  flat:
    environment:
    - MIOPEN_FIND_MODE=2
    ports: []
"""
MODULE = """\
import os
os.environ["HSA_OVERRIDE_GFX_VERSION"] = "10.3.0"
os.environ['HF_TOKEN'] = 'secret'
os.environ.setdefault("HSA_XNACK", '1')
os.putenv("HSA_USE_SVM", "0")
os.environ.update({"HIP_VISIBLE_DEVICES": "0", "TOKEN": "secret"})
os.environ.update(MIOPEN_LOG_LEVEL="5", TOKEN="secret")
# os.environ["HSA_ENABLE_SDMA"] = "0"
os.environ.pop("HSA_ENABLE_INTERRUPT", None)
if os.environ.get("MIOPEN_FIND_MODE") == "2": pass
import os; os.environ["GPU_MAX_HW_QUEUES"] = "1"
"""


@pytest.mark.parametrize(
    ("read", "text", "expected"),
    [
        (
            fish_universals,
            "# VERSION: 3.0\nSETUVAR --export HSA_OVERRIDE_GFX_VERSION:10\\x2e3\\x2e0\n"
            "SETUVAR HSA_XNACK:1\nSETUVAR --export TOKEN:secret\n"
            "SETUVAR --export --path LD_LIBRARY_PATH:/opt/rocm/lib\\x1e/lib\n",
            [
                ("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 2),
                ("LD_LIBRARY_PATH", "/opt/rocm/lib:/lib", 5),
            ],
        ),
        (json_variables("env"), KERNEL, [("HSA_XNACK", "1", 5)]),
        (json_variables("env_vars"), CONDA, [("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 1)]),
        (json_variables("env"), '{"env": {"HSA_XNACK": 1}}', []),
        (json_variables("env"), '{"env": ["HSA_XNACK"]}', []),
        (json_variables("env"), '["HSA_XNACK"]', []),
        (json_variables("env"), "HSA_XNACK", []),
        (json_variables("env"), "[" * 100_000 + "HSA_XNACK", []),
        (
            unit_environment,
            UNIT,
            [
                ("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 3),
                ("HSA_XNACK", "0", 4),
                ("HIP_VISIBLE_DEVICES", "0,1", 4),
                ("HSA_ENABLE_SDMA", "0", 6),
            ],
        ),
        (unit_environment, 'Environment="HSA_XNACK=1', [("HSA_XNACK", "1", 1)]),
        (unit_environment, "Environment=HSA_XNACK=1 \\", [("HSA_XNACK", "1", 1)]),
        (
            compose_environment,
            COMPOSE,
            [
                ("HSA_XNACK", "0", 5),
                ("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 6),
                ("HIP_VISIBLE_DEVICES", "0", 13),
                ("HSA_ENABLE_SDMA", "0", 14),
                ("MIOPEN_LOG_LEVEL", "5", 16),
                ("MIOPEN_FIND_MODE", "2", 23),
            ],
        ),
        (compose_environment, "HSA_XNACK: 1\n", []),
        (
            python_environ,
            MODULE,
            [
                ("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 2),
                ("HSA_XNACK", "1", 4),
                ("HSA_USE_SVM", "0", 5),
                ("HIP_VISIBLE_DEVICES", "0", 6),
                ("MIOPEN_LOG_LEVEL", "5", 7),
                ("GPU_MAX_HW_QUEUES", "1", 11),
            ],
        ),
        (python_environ, 'HSA_XNACK = "1"\n', []),
    ],
)
def test_each_form_gives_the_wanted_variables_alone(
    read: Reader, text: str, expected: list[Assigned]
) -> None:
    assert read(text) == expected


def test_a_unit_names_the_files_that_it_takes_variables_from() -> None:
    text = (
        "EnvironmentFile=-/etc/default/ollama\n EnvironmentFile = /etc/a b\nEnvironmentFile=%h/x\n"
    )

    assert unit_files(text) == ("/etc/default/ollama",)


def test_a_pth_file_names_the_modules_that_it_imports() -> None:
    text = (
        "import rdna1_setup_environment\n/some/folder\nimport os; os.x\nimport a.b\nimport a as b\n"
    )

    assert imported_modules(text) == ("rdna1_setup_environment", "os")


READERS = (
    fish_universals,
    json_variables("env"),
    unit_environment,
    python_environ,
    compose_environment,
)
PIECES = st.sampled_from(
    ["HSA_XNACK", "=", ":", "'", '"', "\\", "\n", " ", "- ", "environment:", "Environment=", "{",
     "}", '{"env": {"HSA_XNACK": ', "os.environ[", "]", "(", "SETUVAR --export ", "\\x4", "\x1e"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join))
def test_any_text_gives_wanted_names_or_nothing(text: str) -> None:
    for read in READERS:
        assert all(name == "HSA_XNACK" or name.startswith("HSA_") for name, _, _ in read(text))


@pytest.mark.parametrize("piece", ["HSA_XNACK='", "a: HSA_ ", "\\\n HSA_", '"HSA_XNACK" : ', "\n "])
def test_long_texts_are_read_in_time(piece: str) -> None:
    text = f"os.environ environment:\n{piece * 20_000}"

    for read in (*READERS, unit_files):
        read(text)
