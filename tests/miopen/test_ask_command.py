"""``conv2d --ask`` as a whole process: candidates from a libMIOpen that stands in for the real."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conv2d.test_command import Home

ONE = ("--sizes", "64", "--channels", "16-32")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def torch(torch_folder: Path) -> dict[str, str]:
    """For a command: the torch that has the stand-in."""
    return {"PYTHONPATH": str(torch_folder)}


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_each_shape_gets_its_candidates_and_none_is_said_to_run(
    home: Home, worker_python: str, torch: dict[str, str]
) -> None:
    arguments = ("--ask", "--python", worker_python, "--sizes", "32,64", "--channels", "16-32")
    code, output, errors = home.run(*arguments, **torch)

    assert (code, errors) == (0, "")
    first, _, rest = output.partition("\n\n")
    assert one_line(first) == (
        "These are the candidates of MIOpen 3.2.0 for gfx1010:xnack-, for 2 shapes: torch's "
        "search picks one of them by timing. Nothing was launched."
    )
    assert (
        "16->32 3x3 @64x64: GemmFwdRest (2.4 MB), ConvDirectNaiveConvFwd, "
        "ConvBinWinogradRxSf2x3g1 (no estimate), ConvBinWinogradRxSf3x2 (no estimate)"
    ) in one_line(rest)
    assert "16->32 3x3 @32x32: GemmFwdRest (590 kB), " in one_line(rest)
    assert max(map(len, output.splitlines())) <= 79


def test_as_json_each_row_has_its_candidates(
    home: Home, worker_python: str, torch: dict[str, str]
) -> None:
    arguments = ("--ask", "--json", "--python", worker_python, "--work", "forward,train", *ONE)
    code, output, _ = home.run(*arguments, **torch)

    document = json.loads(output)
    assert (code, document["schema"]) == (0, 1)
    forward, train = document["asked"]
    assert (forward["label"], forward["work"], forward["why"]) == (
        "16->32 3x3 @64x64",
        "forward",
        "",
    )
    candidates = forward["candidates"]
    assert candidates["library"]["version"] == "3.2.0"
    assert candidates["library"]["setting"] == {}
    (choice,) = candidates["choices"]
    assert [solver["name"] for solver in choice["solvers"]] == [
        "GemmFwdRest",
        "ConvDirectNaiveConvFwd",
    ]
    directions = [choice["direction"] for choice in train["candidates"]["choices"]]
    assert directions == ["forward", "backward_weights"]


def test_a_variable_of_the_shell_counts_unless_it_is_clean(
    home: Home, worker_python: str, torch: dict[str, str]
) -> None:
    arguments = ("--ask", "--python", worker_python, *ONE)
    off = {"MIOPEN_DEBUG_CONV_GEMM": "0", "MIOPEN_DEBUG_CONV_WINOGRAD": "0"}
    _, output, _ = home.run(*arguments, **torch, **off)
    assert "16->32 3x3 @64x64: ConvDirectNaiveConvFwd\n" in output
    _, output, _ = home.run(*arguments, "--clean", **torch, **off)
    assert "GemmFwdRest" in output


def test_with_a_search_for_settings_each_variable_is_asked_by_itself(
    home: Home, worker_python: str, torch: dict[str, str]
) -> None:
    arguments = ("--ask", "--find-setting", "--python", worker_python, *ONE)
    code, output, errors = home.run(*arguments, **torch)
    assert (code, errors) == (0, "")
    text = one_line(output)
    assert "with MIOPEN_DEBUG_CONV_GEMM=0: ConvDirectNaiveConvFwd, ConvBinWinograd" in text
    assert "with MIOPEN_DEBUG_CONV_FFT=0: the same 16->32" in text
    assert "with MIOPEN_FIND_MODE=NORMAL: the same, and maybe others" in text
    assert "for 1 shape under 10 settings:" in text
    assert "a variable changes what a search times" in text


def test_a_shape_without_any_candidate_is_exit_one(
    home: Home, worker_python: str, torch: dict[str, str]
) -> None:
    off = {f"MIOPEN_DEBUG_CONV_{name}": "0" for name in ("GEMM", "WINOGRAD", "DIRECT")}
    code, output, _ = home.run("--ask", "--python", worker_python, *ONE, **torch, **off)
    assert code == 1
    assert "none (MIOpen refuses it: miopenStatusNotImplemented)" in one_line(output)


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        ({"FAKE_NO_CARD": "1"}, "MIOpen found no card that it can use: No device."),
        ({"FAKE_CRASH": "64"}, "MIOpen did not answer: the process was killed by SIGABRT."),
    ],
)
def test_where_nobody_answers_one_sentence_says_why(
    home: Home,
    worker_python: str,
    torch: dict[str, str],
    extra: dict[str, str],
    words: str,
) -> None:
    code, output, errors = home.run("--ask", "--python", worker_python, *ONE, **torch, **extra)
    assert (code, output) == (2, "")
    assert errors.startswith(words)


def test_a_child_that_hangs_is_ended_at_its_deadline(
    home: Home, worker_python: str, torch: dict[str, str]
) -> None:
    arguments = ("--ask", "--python", worker_python, "--deadline", "2")
    sizes = ("--sizes", "32,64", "--channels", "16-32")
    code, output, errors = home.run(*arguments, *sizes, **torch, FAKE_HANG="64")
    assert (code, errors) == (1, "")
    text = one_line(output)
    assert "for 1 of 2 shapes:" in text
    assert "@64x64: not known. MIOpen did not answer within 2 s, so the process was ended." in text


def test_a_torch_without_miopen_is_exit_two_and_the_processor_too(
    home: Home, worker_python: str, tmp_path: Path
) -> None:
    (tmp_path / "torch.py").write_text(
        "__version__ = '2.4'\nclass version:\n    hip = None\n    cuda = '12.4'\n", "utf-8"
    )
    arguments = ("--ask", "--python", worker_python, *ONE)
    code, output, errors = home.run(*arguments, PYTHONPATH=str(tmp_path))
    assert (code, output) == (2, "")
    assert errors.splitlines()[0] == "This torch (2.4) is built for CUDA and has no MIOpen."
    code, _, errors = home.run(*arguments, "--device", "cpu")
    assert (code, errors) == (2, "The processor does not use MIOpen.\n")
    code, _, errors = home.run("--ask", "--python", "/nowhere/python", *ONE)
    assert code == 2
    assert errors.startswith("/nowhere/python could not be started: No such file")


def test_a_dry_run_shows_the_command_and_starts_nothing(home: Home) -> None:
    arguments = ("--ask", "--dry-run", "--python", "/nowhere/python", *ONE)
    code, output, _ = home.run(*arguments)
    assert code == 0
    assert output.startswith("Nothing is started. MIOpen would be asked about these shapes:")
    assert "/nowhere/python" in output
    assert output.rstrip().endswith("miopen_ask.py")
    assert list(home.folder.iterdir()) == []
    code, output, _ = home.run(*arguments, "--json")
    assert json.loads(output)["shapes"] == ["16->32 3x3 @64x64"]


@pytest.mark.parametrize("option", [("--find-limit", "size"), ("--workarounds",), ("--spawn",)])
def test_what_launches_cannot_be_asked_for_as_well(home: Home, option: tuple[str, ...]) -> None:
    code, _, errors = home.run("--ask", "--python", "/nowhere/python", *option, *ONE)
    assert code == 2
    assert f"--ask launches nothing, so it cannot be combined with {option[0]}." in errors
