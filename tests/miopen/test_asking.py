"""The script that asks MIOpen: what it makes of the library's answers, its log and its absence."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assets import FOLDER
from assets.miopen_ask import read_log

SCRIPT = FOLDER / "miopen_ask.py"
QUESTION = {
    "n": 1,
    "c": 16,
    "h": 64,
    "w": 64,
    "k": 32,
    "r": 3,
    "s": 3,
    "pad": [1, 1],
    "stride": [1, 1],
    "dilation": [1, 1],
    "groups": 1,
    "dtype": "float32",
    "direction": "forward",
}
# As MIOpen 2.17 and 2.20 write it (src/ocl/convolutionocl.cpp of ROCm 5.2.0 and 5.7.0).
LOG_OF_5 = """\
MIOpen(HIP): Info2 [GetSolutionsFallback] ConvBinWinogradRxSf2x3g1 Estimated WTI = -2
MIOpen(HIP): Info2 [GetSolutionsFallback] GemmFwdRest Estimated WTI = 0.8
MIOpen(HIP): Info2 [GetSolutionsFallback] maxSolutionCount = 78, available = 1
MIOpen(HIP): Info2 [GetSolutionsFallback] id: 91 algo: 0, time: 12.5 ms, ws: 2359296, name: GemmFwdRest
"""  # noqa: E501 - as it is printed
# As MIOpen 3.2 to 3.5 write it (ROCm 6.2.0, and the monorepo of 7.x).
LOG_OF_6 = """\
MIOpen(HIP): Info2 [GetSolutionsFallback] Using WTI Fallback
MIOpen(HIP): Info2 [GetSolutionsFallback] ConvBinWinogradRxSf2x3g1 Estimated WTI = -2
MIOpen(HIP): Info2 [GetSolutionsFallback] GemmFwdRest Estimated WTI = 0.8
MIOpen(HIP): Info2 [GetSolutionsFallback] maxSolutionCount = 78, available = 1
MIOpen(HIP): Info2 [GetSolutionsFallback] id: 91, algo: 0, time: 12.5, ws: 2359296, name: GemmFwdRest
"""  # noqa: E501


def ask(*questions: dict[str, Any], path: Path | None = None, **environ: str) -> list[Any]:
    """The lines that the script answers."""
    argv = [sys.executable, "-B", str(SCRIPT), *(("--library", str(path)) if path else ())]
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    environ = {"PATH": "/usr/bin:/bin", **environ}
    done = subprocess.run(
        argv, input=lines, capture_output=True, text=True, env=environ, timeout=60, check=False
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def names(answer: dict[str, Any]) -> list[str]:
    return [solver["name"] for solver in answer["solvers"]]


@pytest.mark.parametrize("log", [LOG_OF_5, LOG_OF_6])
def test_the_log_of_every_release_names_the_solvers(log: str) -> None:
    assert read_log(log + log) == ({91: "GemmFwdRest"}, ["ConvBinWinogradRxSf2x3g1"], "estimates")


def test_an_answer_from_a_database_is_known_by_its_log() -> None:
    log = "MIOpen(HIP): Info [GetSolutions] \n"
    assert read_log(log) == ({}, [], "find-db")


@pytest.mark.parametrize("form", ["5.2", "6.2"])
def test_solvers_come_in_the_order_of_the_library_with_what_they_need(
    library: Path, form: str
) -> None:
    about, answer = ask(QUESTION, path=library, FAKE_FORM=form)
    assert (about["version"], about["device"]) == ("3.2.0", "gfx1010:xnack-")
    assert about["real"] == str(library.resolve())
    gemm, naive = answer["solvers"]
    assert (gemm["name"], gemm["algorithm"]) == ("GemmFwdRest", "gemm")
    assert (gemm["workspace"], gemm["estimate_ms"]) == (16 * 9 * 64 * 64 * 4, 12.5)
    assert (naive["name"], naive["algorithm"]) == ("ConvDirectNaiveConvFwd", "direct")
    assert answer["also"] == ["ConvBinWinogradRxSf2x3g1", "ConvBinWinogradRxSf3x2"]
    assert answer["source"] == "estimates"


def test_both_backward_directions_are_asked_as_such(library: Path) -> None:
    data = {**QUESTION, "direction": "backward_data"}
    weights = {**QUESTION, "direction": "backward_weights"}
    _, first, second = ask(data, weights, path=library)
    assert names(first) == ["GemmBwdRest", "ConvDirectNaiveConvBwd"]
    assert names(second) == ["GemmWrwUniversal", "ConvDirectNaiveConvWrw"]


@pytest.mark.parametrize("form", ["5.2", "6.2"])
def test_solvers_from_a_database_have_names_too(library: Path, form: str) -> None:
    _, answer = ask(QUESTION, path=library, FAKE_FORM=form, FAKE_FIND_DB="1")
    assert names(answer) == ["GemmFwdRest", "ConvDirectNaiveConvFwd"]
    assert (answer["source"], answer["also"]) == ("find-db", [])


def test_all_that_apply_are_listed_and_not_only_what_a_model_prefers(library: Path) -> None:
    _, answer = ask(QUESTION, path=library, FAKE_MODEL="1")
    assert (answer["source"], len(answer["also"])) == ("estimates", 2)
    fast = {"MIOPEN_FIND_MODE": "FAST"}
    about, answer = ask(QUESTION, path=library, FAKE_MODEL="1", **fast)
    assert about["setting"] == fast
    assert (answer["source"], names(answer)) == ("prediction", ["ConvBinWinogradRxSf2x3g1"])


def test_what_is_refused_names_those_that_a_search_would_still_time(library: Path) -> None:
    off = {"MIOPEN_DEBUG_CONV_GEMM": "0", "MIOPEN_DEBUG_CONV_DIRECT": "0"}
    _, answer = ask(QUESTION, path=library, **off)
    assert answer["refused"] == "miopenStatusNotImplemented"
    assert answer["also"] == ["ConvBinWinogradRxSf2x3g1", "ConvBinWinogradRxSf3x2"]
    _, answer = ask(QUESTION, path=library, MIOPEN_DEBUG_CONV_WINOGRAD="0", **off)
    assert answer == {"event": "answer", "refused": "miopenStatusNotImplemented", "also": []}


def test_a_question_that_fails_does_not_keep_the_next_from_being_answered(library: Path) -> None:
    wrong = {**QUESTION, "groups": 3, "c": 4}
    double = {**QUESTION, "dtype": "float64"}
    _, first, second, third = ask(wrong, double, QUESTION, path=library)
    assert first["refused"] == "miopenStatusBadParm"
    assert "float64" in second["refused"]
    assert names(third) == ["GemmFwdRest", "ConvDirectNaiveConvFwd"]


def test_without_a_path_the_library_that_torch_has_loaded_is_asked(
    library: Path, torch_folder: Path
) -> None:
    about, answer = ask(QUESTION, PYTHONPATH=str(torch_folder))
    assert about["library"] == str(library)
    assert (about["torch"], about["hip"]) == ("2.4.1+rocm6.2", "6.2.41133")
    assert names(answer) == ["GemmFwdRest", "ConvDirectNaiveConvFwd"]


@pytest.mark.parametrize(
    ("hip", "cuda", "code"),
    [(None, None, "cpu-torch"), (None, "12.4", "cuda-torch"), ("6.2", None, "not-loaded")],
)
def test_a_torch_without_miopen_is_told_by_what_it_is_for(
    tmp_path: Path, hip: str | None, cuda: str | None, code: str
) -> None:
    text = f"__version__ = '2'\nclass version:\n    hip = {hip!r}\n    cuda = {cuda!r}\n"
    (tmp_path / "torch.py").write_text(text, "utf-8")
    assert ask(QUESTION, PYTHONPATH=str(tmp_path)) == [{"event": "none", "none": code, "text": "2"}]


def test_no_torch_and_a_torch_that_fails_are_told_apart(tmp_path: Path) -> None:
    (about,) = ask(QUESTION)
    assert about["none"] == "no-torch"
    (tmp_path / "torch.py").write_text("raise OSError('libamdhip64.so.5 is missing')", "utf-8")
    (about,) = ask(QUESTION, PYTHONPATH=str(tmp_path))
    assert (about["none"], about["text"]) == (
        "import-failed",
        "OSError: libamdhip64.so.5 is missing",
    )


def test_a_library_with_other_functions_is_not_guessed_at(tmp_path: Path) -> None:
    (about,) = ask(QUESTION, path=Path("/lib/x86_64-linux-gnu/libc.so.6"))
    assert (about["none"], about["text"]) == ("other-api", "miopenGetVersion")
    (about,) = ask(QUESTION, path=tmp_path / "libMIOpen.so.1")
    assert about["none"] == "cannot-load"


def test_no_card_is_told_with_what_the_library_says(library: Path) -> None:
    (about,) = ask(QUESTION, path=library, FAKE_NO_CARD="1")
    assert (about["none"], about["text"]) == ("no-handle", "No device")


def test_a_crash_ends_the_answers(library: Path) -> None:
    tall = {**QUESTION, "h": 65}
    lines = ask(QUESTION, tall, QUESTION, path=library, FAKE_CRASH="65")
    assert len(lines) == 2


def test_a_search_is_refused_without_a_stand_in(library: Path) -> None:
    argv = [sys.executable, "-B", str(SCRIPT), "--library", str(library), "--find"]
    done = subprocess.run(argv, input="", capture_output=True, text=True, env={}, check=True)
    assert json.loads(done.stdout)["none"] == "find-refused"


def test_it_runs_under_every_python_that_torch_for_these_cards_needs() -> None:
    ast.parse(SCRIPT.read_text("utf-8"), feature_version=(3, 8))
