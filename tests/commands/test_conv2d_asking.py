"""Before a card is measured: what a hang would hit is said, and a key is asked for."""

from __future__ import annotations

import argparse
import os
import pty
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from wizard.cli.conv2d_runs import EVEN_SO, refusal
from wizard.cli.options import parser
from wizard.conv2d.caution import IN_USE, Circumstances
from wizard.conv2d.shapes import Row, operation_rows, square
from wizard.conv2d.sweep import Deadlines, Sweep

FREE = Circumstances(screen=False, in_use=False)
DESKTOP = Circumstances(screen=True, in_use=True)

SWEEP = Sweep("/v/bin/python", (Row(square(16, 32, 64)),))


def asked(*words: str) -> argparse.Namespace:
    return parser().parse(["conv2d", *words])


def words_of(capsys: pytest.CaptureFixture[str]) -> str:
    """What was said on stderr, however its lines are broken; stdout stays empty."""
    output, errors = capsys.readouterr()
    assert output == ""
    return " ".join(errors.split())


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Standard input is a terminal at which somebody types once the question stands there."""
    master, slave = pty.openpty()
    typed = ""
    real = sys.stderr.write

    def write(text: str) -> int:
        if text.startswith("Start it?"):
            os.write(master, typed.encode())
        return real(text)

    def will_type(text: str) -> None:
        nonlocal typed
        typed = text

    with os.fdopen(slave) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        monkeypatch.setattr(sys.stderr, "write", write)
        yield will_type
    os.close(master)


@pytest.mark.parametrize(
    ("typed", "code"),
    [("y\n", None), ("Y\n", None), ("\n", 2), ("n\n", 2), ("maybe\n", 2), ("\x04", 2)],
)
def test_only_the_key_that_agrees_starts(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    code: int | None,
) -> None:
    with terminal(monkeypatch) as will_type:
        will_type(typed)
        assert refusal(asked(), SWEEP, FREE, 3) == code
    errors = words_of(capsys)
    assert "may freeze the desktop" in errors
    assert "The measurement stops after 3 hangs" in errors
    assert "Start it? [y/N]" in errors
    assert ("Nothing was started." in errors) == (code == 2)


def test_what_was_typed_before_the_question_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    master, slave = pty.openpty()
    os.write(master, b"y\n")
    real = sys.stderr.write

    def write(text: str) -> int:
        if text.startswith("Start it?"):
            os.write(master, b"n\n")
        return real(text)

    with os.fdopen(slave) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        monkeypatch.setattr(sys.stderr, "write", write)
        assert refusal(asked(), SWEEP, FREE, 1) == 2
    os.close(master)


def test_a_script_says_yes_beforehand_or_nothing_starts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open(os.devnull, encoding="utf-8") as nowhere:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", nowhere)
        assert refusal(asked("--yes"), SWEEP, FREE, 1) is None
        assert "The measurement stops after the first hang" in words_of(capsys)
        assert refusal(asked(), SWEEP, FREE, 1) == 2
    assert "there is no terminal in which to prompt" in words_of(capsys)


def test_a_desktop_in_use_is_refused_even_with_yes(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(asked("--yes"), SWEEP, DESKTOP, 1) == 2
    assert IN_USE.format(EVEN_SO) in words_of(capsys)
    assert refusal(asked("--yes", "--even-if-in-use"), SWEEP, DESKTOP, 1) is None


def test_the_warning_says_what_is_really_run(capsys: pytest.CaptureFixture[str]) -> None:
    def warned(*rows: Row) -> str:
        refusal(asked("--yes"), replace(SWEEP, rows=rows), FREE, 1)
        return words_of(capsys)

    one = Row(square(16, 32, 64))
    backward, train = replace(one, work="backward"), replace(one, work="train")
    assert "This runs convolutions on the GPU." in warned(one)
    assert "This runs convolutions and their gradients on the GPU." in warned(one, backward)
    assert "This runs training steps on the GPU." in warned(train)
    assert "This runs torch operations (Linear 128->64) on" in warned(*operation_rows(["linear"]))
    everything = operation_rows()
    text = warned(*everything)
    assert f"This runs {len(everything)} torch operations, each in its own process" in text
    assert "convolutions" not in text


def test_the_warning_says_what_a_hang_costs(capsys: pytest.CaptureFixture[str]) -> None:
    refusal(asked("--yes"), SWEEP, FREE, 1)
    assert (
        "(30 s, or 60 s for the first shape of a process), and then it takes up to 50 s"
        in words_of(capsys)
    )
    refusal(asked("--yes"), replace(SWEEP, deadlines=Deadlines(first=20, later=20)), FREE, 1)
    assert "its deadline (20 s), and then it takes up to 50 s to end its process" in words_of(
        capsys
    )
