"""What is an error by its form is never "nothing wrong", and what only speaks of one is silent."""

import json
from pathlib import Path

import pytest

from screens.diagnose.text import Shown, details
from wizard.__main__ import main
from wizard.diagnose.explain import Answer, explain
from wizard.diagnose.finding import Status
from wizard.report.findings import explanation_lines, whole_lines
from wizard.services.machine import explained_file

TRACEBACK = """Traceback (most recent call last):
  File "/home/a/app/main.py", line 12, in <module>
    load()
  File "/home/a/app/main.py", line 5, in load
    raise RepositoryNotFound("x")
hub.errors.RepositoryNotFound: 401 Client Error
"""
ERRORS = [
    ("error: the world has ended", 1),
    ("E: Something else went wrong", 1),
    ("terminate called after throwing an instance of 'c10::Error'", 1),
    ("main.cpp:3:10: fatal error: too many errors emitted", 1),
    ("RuntimeError: the loader has gone away", 1),
    (TRACEBACK, 6),
    ("fatal: not a git repository (or any of the parent directories): .git", 1),
    ("docker: Error response from daemon: pull access denied for x.", 1),
    ("CMake Error at CMakeLists.txt:12 (find_package):", 1),
    ("FAILED: src/a.o\nninja: build stopped: subcommand failed.", 1),
    ("make[2]: *** [Makefile:12: all] Error 2", 1),
    ("dpkg: error processing package x (--configure):", 1),
    ("[ 12.345678] foo 0000:00:1f.3: probe\n[ 13.345678] bar: BUG: unable to handle page", 2),
    ("[ 13.345678] drm:dc_link [nouveau]] *ERROR* no answer from the panel", 1),
    ("./run.sh: line 3:  4711 Aborted                 (core dumped) ./solve", 1),
    ("!!! Exception during processing !!! list index out of range", 1),
    ("subprocess.CalledProcessError: Command '['x']' returned non-zero exit status 1.", 1),
    ("ERROR:root:could not open the model", 1),
]
ORDINARY = [
    ("RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x768 and 5x2048)", "own-numbers"),
    ("ModuleNotFoundError: No module named 'torch'", "module-missing"),
    ("error: externally-managed-environment", "externally-managed"),
    ("ERROR: No matching distribution found for foo==9", "no-distribution"),
    ("ERROR: ResolutionImpossible: for help visit https://pip.pypa.io", "conflict"),
    ("error: subprocess-exited-with-error", "wheel-build"),
    ("E: Unable to correct problems, you have held broken packages.", "apt-unmet"),
    ("E: Unable to acquire the dpkg frontend lock, are you root?", "needs-root"),
    ("Error! Bad return status for module build on kernel: 6.8.0-31 (x86_64)", "module-build"),
    ("a.sh: line 9: 12 Illegal instruction     (core dumped) python a.py", "processor-instruction"),
    ("terminate called after throwing an instance of 'std::bad_alloc'", "main-memory"),
    ("main.cpp:3:10: fatal error: nlohmann/json.hpp: No such file or directory", "header-missing"),
    ("ImportError: libGL.so.1: cannot open shared object file: No such file", "library-missing"),
    ("OSError: libcudart.so.12: cannot open shared object file", "nvidia-build"),
    ("AssertionError: Torch not compiled with CUDA enabled", "processor-torch"),
    ("modules.devices.NansException: A tensor with all NaNs was produced", "not-a-number"),
    ("safetensors_rust.SafetensorError: Error: MetadataIncompleteBuffer", "download-damaged"),
    ("touch: cannot touch 'x': Read-only file system", "read-only"),
    ("[ 1.234567] EXT4-fs error (device sdb1): ext4_find_entry:1684: inode #2", "read-only"),
    ("bash: rocminfo: command not found", "no-command"),
    ("The virtual environment was not created successfully because of x", "no-venv"),
    ("torch._inductor.exc.InductorError: RuntimeError: failed", "compiler-of-torch"),
    ("ImportError: libc.so.6: version `GLIBC_2.38' not found (required by x)", "old-glibc"),
    ("ImportError: libstdc++.so.6: version `GLIBCXX_3.4.32' not found", "old-libstdc"),
    ("ImportError: x.so: undefined symbol: _ZN3foo3barEv", "other-version"),
    ("PermissionError: [Errno 13] Permission denied: '/srv/out'", "not-permitted"),
    ("requests.exceptions.SSLError: CERTIFICATE_VERIFY_FAILED", "certificate"),
    ("requests.exceptions.ProxyError: Cannot connect to proxy.", "proxy"),
    ("fatal: unable to access 'https://x/': Could not resolve host: x", "network"),
]
SILENT = [
    "0 errors, 3 warnings",
    "Build finished without errors.",
    "errors: 0",
    "-rw-r--r-- 1 a a 12 Nov 26 error.log",
    "1a2b3c4 Fix RuntimeError: wrong shape in the loader",
    "# RuntimeError: this comment speaks of it",
    "If you see RuntimeError: HIP error, restart.",
    "[    0.412345] ACPI BIOS Error (bug): Could not resolve symbol [_SB.PCI0], AE_NOT_FOUND",
    "[    0.412345] ACPI Error: Aborting method _SB.PCI0 due to previous error",
    "[    4.412345] amdgpu 0000:0b:00.0: amdgpu: SMU is initialized successfully!",
    "WARNING: Retrying (Retry(total=4)) after connection broken by 'ReadTimeoutError'",
    "the process ended with exit code 0",
    "raise RuntimeError('no device')",
    "KeyboardInterrupt",
]


@pytest.mark.parametrize(("text", "number"), ERRORS)
def test_an_unknown_error_is_shown_with_its_place(text: str, number: int) -> None:
    explained = explain(f"{text}\n".encode())
    assert explained.answer is Answer.UNRECOGNISED
    assert explained.unrecognised[0].where == f"line {number}"
    told = "\n".join(explanation_lines(explained))
    assert explained.unrecognised[0].text[:40] in told
    assert "No known problem" not in told


@pytest.mark.parametrize(("text", "kind"), ORDINARY)
def test_an_ordinary_error_of_this_field_is_told_with_what_to_do(text: str, kind: str) -> None:
    explained = explain(f"{text}\n".encode())
    (finding,) = explained.findings
    assert (finding.cause, explained.answer) == (kind, Answer.FOUND)
    assert finding.fix
    assert finding.links
    assert explained.unrecognised == ()


def test_no_version_found_without_a_network_is_told_as_the_network() -> None:
    text = (
        "WARNING: Retrying (Retry(total=0, connect=None)) after connection broken by "
        "'NewConnectionError(': Temporary failure in name resolution')': /whl/torch/\n"
        "ERROR: No matching distribution found for torch\n"
    )
    assert [finding.cause for finding in explain(text.encode()).findings] == ["network"]


@pytest.mark.parametrize("text", SILENT)
def test_what_only_speaks_of_errors_is_silent(text: str) -> None:
    assert explain(f"{text}\n".encode()).unrecognised == ()


STOPPED = """^CTraceback (most recent call last):
  File "/home/a/train.py", line 40, in <module>
    out = net(x)
  File "/v/site-packages/torch/nn/modules/{module}.py", line 459, in forward
    return F.{call}(input, weight)
KeyboardInterrupt
"""


def test_a_run_that_was_stopped_in_a_convolution_may_have_hung() -> None:
    (finding,) = explain(STOPPED.format(module="conv", call="conv2d").encode()).findings
    assert (finding.cause, finding.status) == ("stopped", Status.WARNING)
    elsewhere = explain(STOPPED.format(module="linear", call="linear").encode())
    assert (elsewhere.findings, elsewhere.unrecognised) == ((), ())


def test_the_middle_of_a_traceback_is_no_error_of_its_own() -> None:
    assert len(explain(TRACEBACK.encode()).unrecognised) == 1


def test_an_error_that_a_cause_explains_is_not_told_again() -> None:
    text = "E: dpkg was interrupted, you must manually run 'dpkg --configure -a' to fix it.\n"
    explained = explain(text.encode())
    assert explained.answer is Answer.FOUND
    assert explained.unrecognised == ()


def test_an_unknown_error_ends_the_command_with_1_and_stands_in_its_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "log").write_text(TRACEBACK)
    assert main(["explain", "--json", str(tmp_path / "log")]) == 1
    form = json.loads(capsys.readouterr().out)
    assert form["answer"] == "unrecognised errors"
    assert form["findings"] == []
    assert form["unrecognised"] == [
        {"line": 6, "text": "hub.errors.RepositoryNotFound: 401 Client Error"}
    ]
    assert explained_file(str(tmp_path / "log")).unrecognised[0].where == "line 6"


def test_an_unknown_error_is_not_hidden_behind_many_known_ones() -> None:
    known = [f"ModuleNotFoundError: No module named 'package{number}'" for number in range(300)]
    alike = [f"[ {number}.345678] x: BUG: unable to handle page" for number in range(300)]
    text = "\n\n".join((*known, *alike, "error: the world has ended"))
    explained = explain(text.encode())
    assert "the world has ended" in explained.unrecognised[-1].text


def test_an_error_that_a_mail_program_broke_is_known_by_its_whole() -> None:
    text = (
        "RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: can't\n"
        "allocate memory: you tried to allocate 68719476736 bytes.\n"
    )
    explained = explain(text.encode())
    assert [finding.cause for finding in explained.findings] == ["main-memory"]
    assert explained.unrecognised == ()


def test_of_very_many_unknown_errors_it_is_told_how_many_there_are() -> None:
    words = [f"{one}{other}" for one in "abcdef" for other in "ghijkl"]
    explained = explain("\n".join(f"error: {word} has ended" for word in words).encode())
    assert "  | and 33 more" in list(explanation_lines(explained))
    whole = list(whole_lines(explained.told[-1]))
    assert whole[-2:] == ["  | line 20: error: dh has ended", "  | and 16 more"]
    shown = Shown(text="log", result=explained)
    page = [line.plain.strip() for line in details(explained.told[-1], shown, 78)]
    assert "and 16 more" in page
