"""Before a card is measured: what a hang would hit is said, and a typed yes is asked for."""

from __future__ import annotations

import argparse
import os
import pty
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from wizard.commands.conv2d_asking import IN_USE, add_asking_arguments, refusal
from wizard.conv2d.caution import Circumstances

FREE = Circumstances(screen=False, in_use=False)
DESKTOP = Circumstances(screen=True, in_use=True)


def asked(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_asking_arguments(parser)
    return parser.parse_args(words)


@contextmanager
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Standard input is a terminal at which somebody types once the question stands there."""
    master, slave = pty.openpty()
    typed = ""
    real = sys.stderr.write

    def write(text: str) -> int:
        if text.startswith("Type"):
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
    ("typed", "code"), [("yes\n", None), ("y\n", 2), ("\n", 2), ("no\n", 2), ("\x04", 2)]
)
def test_only_a_typed_yes_starts(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    typed: str,
    code: int | None,
) -> None:
    with terminal(monkeypatch) as will_type:
        will_type(typed)
        assert refusal(asked(), FREE, 3) == code
    output, errors = capsys.readouterr()
    assert output == ""
    assert "may freeze the desktop" in errors
    assert "At most 3 hangs are allowed" in errors
    assert "Type yes to start: " in errors
    assert ("Nothing was started." in errors) == (code == 2)


def test_what_was_typed_before_the_question_is_no_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    master, slave = pty.openpty()
    os.write(master, b"yes\n")
    real = sys.stderr.write

    def write(text: str) -> int:
        if text.startswith("Type"):
            os.write(master, b"no\n")
        return real(text)

    with os.fdopen(slave) as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        monkeypatch.setattr(sys.stderr, "write", write)
        assert refusal(asked(), FREE, 1) == 2
    os.close(master)


def test_a_script_says_yes_beforehand_or_nothing_starts(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with open(os.devnull, encoding="utf-8") as nowhere:  # noqa: PTH123
        monkeypatch.setattr(sys, "stdin", nowhere)
        assert refusal(asked("--yes"), FREE, 1) is None
        assert "At most one hang is allowed" in capsys.readouterr().err
        assert refusal(asked(), FREE, 1) == 2
    assert "there is no terminal to ask at" in capsys.readouterr().err


def test_a_desktop_in_use_is_refused_even_with_yes(capsys: pytest.CaptureFixture[str]) -> None:
    assert refusal(asked("--yes"), DESKTOP, 1) == 2
    assert IN_USE in capsys.readouterr().err
    assert refusal(asked("--yes", "--even-if-in-use"), DESKTOP, 1) is None
