"""Of a log those lines leave with which helpers can do something; how many others there were."""

from __future__ import annotations

import pytest

from tests.diagnose.reading import load_corpus
from tests.diagnose.scoring import ORDINARY
from wizard.core.lines import clean_lines
from wizard.diagnose.explain import explain
from wizard.report.issue import told_lines

NOT_OF_A_LOG = {
    "apt-distro-shadows-amd/policy.txt",
    "kfd-permission/python-root-works.txt",
    "wheel-library-replaced/record-hash.txt",
}
"""What somebody asked at a prompt: it is in no log of ours."""


def test_what_is_left_of_a_text_is_diagnosed_as_the_whole() -> None:
    differ, count = set(), 0
    for case in load_corpus():
        text = clean_lines(case.text)
        before, after = explain(text.encode()), explain(told_lines(text).encode())
        count += 1
        causes = [{one.cause for one in each.findings} - ORDINARY for each in (before, after)]
        if causes[0] != causes[1]:
            differ.add(case.file)
    assert differ <= NOT_OF_A_LOG
    assert count > 250


@pytest.mark.parametrize(
    "line",
    [
        "[3/7] make ~/venv",
        "ok (12.5 s): it is there",
        "Collecting torch==2.2.2",
        "  Downloading https://download.pytorch.org/whl/rocm5.7/torch-2.2.2.whl (1.9 GB)",
        "Setting up rocm-core (5.7.1.50701-98~22.04) ...",
        "E: Unable to correct problems, you have held broken packages.",
        "dpkg: error processing package rocm-dev (--configure):",
        "ModuleNotFoundError: No module named 'torch'",
        "[   12.3] amdgpu 0000:0b:00.0: amdgpu: SMU is initialized successfully!",
        " amdgpu_device_gpu_recover+0x1a5/0xfe0 [amdgpu]",
        "/opt/rocm-5.3.3/lib/libMIOpen.so.1.0.50303",
        "MIOpen(HIP): Warning [SQLiteBase] Missing system database file",
        "HSA_OVERRIDE_GFX_VERSION=10.3.0",
    ],
)
def test_a_line_of_a_known_form_leaves(line: str) -> None:
    assert told_lines(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "me@pc:~/clients/acme$ less notes.txt",
        "Dear Mr Smith, the order is on its way",
        "Nov 22 10:00:00 pc sshd[1]: Accepted publickey for me from 10.0.0.7 port 50022",
        "  GNU nano 7.2    todo.txt",
        "ford@heart-of-gold:~$ ls",
        "Linux heart 6.8.0-45-generic #45 SMP x86_64 GNU/Linux",
        " Static hostname: heart",
        "https://intranet.acme.example/wiki/Budget",
    ],
)
def test_a_line_of_no_known_form_stays(line: str) -> None:
    assert told_lines(line) == "[1 line left out]"


def test_what_begins_something_brings_what_belongs_to_it() -> None:
    text = "one\ntwo\nfailed: x\nit means y\nnext: z\nthree\n\n[1/2] a"
    left = "[2 lines left out]\nfailed: x\nit means y\nnext: z\n[1 line left out]\n\n[1/2] a"
    assert told_lines(text) == left
    traced = 'Traceback (most recent call last):\n  File "a.py", line 3\n    run(model)\nother'
    assert told_lines(traced) == traced.replace("other", "[1 line left out]")
