"""Which way in: screens, the plain road, or an overview."""

from __future__ import annotations

import os
import pty
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import pytest

from tests.machine.records import make
from wizard.__main__ import OVERVIEW, PLAIN, SCREENS, way_in
from wizard.cli.options import parser
from wizard.host.host import Host

XTERM = {"TERM": "xterm-256color"}
SPOKEN = {"/proc/4242/comm": "orca\n"}


@dataclass(frozen=True, slots=True)
class Seat:
    """Somebody at a terminal."""

    terminal: int
    streams: tuple[TextIO, TextIO]
    folder: Path
    patch: pytest.MonkeyPatch

    def way(
        self,
        *words: str,
        environ: dict[str, str] = XTERM,
        answer: str = "",
        runs: dict[str, str] | None = None,
    ) -> tuple[str, str]:
        """The way that these options, variables, answers and programs lead to."""
        host: Host = make(self.folder, runs or {})
        os.write(self.terminal, answer.encode())
        with self.patch.context() as patch:
            for name, stream in zip(("stdin", "stdout"), self.streams, strict=True):
                patch.setattr(sys, name, stream)
            return way_in(parser().parse_args(words), environ, lambda: host)

    def told(self) -> str:
        """What was said and typed there."""
        text = b""
        while select.select([self.terminal], [], [], 0)[0]:
            text += os.read(self.terminal, 65_536)
        return text.decode()


@pytest.fixture
def seat(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Seat]:
    ours, theirs = pty.openpty()
    with (
        open(theirs, encoding="utf-8") as stdin,  # noqa: PTH123
        open(os.dup(theirs), "w", encoding="utf-8") as stdout,  # noqa: PTH123
    ):
        yield Seat(ours, (stdin, stdout), tmp_path, monkeypatch)
    os.close(ours)


@contextmanager
def nobody(monkeypatch: pytest.MonkeyPatch, path: Path) -> Iterator[None]:
    with path.open() as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield


def test_screens_are_the_usual_way(seat: Seat) -> None:
    assert seat.way() == (SCREENS, "")
    assert seat.way("--demo") == (SCREENS, "")


@pytest.mark.parametrize("term", ["dumb", ""])
def test_a_terminal_without_screens_gets_the_plain_road_and_is_told_why(
    seat: Seat, term: str
) -> None:
    for words in ((), ("--screens",)):
        way, why = seat.way(*words, environ={"TERM": term})
        assert way == PLAIN
        assert f"TERM={term}" in why
    assert seat.way(environ={})[0] == PLAIN


@pytest.mark.parametrize(
    ("answer", "way"), [("\n", PLAIN), ("1\n", PLAIN), ("x\n2\n", SCREENS), ("\x04", PLAIN)]
)
def test_where_a_screen_reader_runs_the_plain_road_is_offered_first(
    seat: Seat, answer: str, way: str
) -> None:
    assert seat.way(runs=SPOKEN, answer=answer) == (way, "")
    told = seat.told()
    assert "The screen reader Orca is running." in told
    assert "\x1b" not in told


@pytest.mark.parametrize(("option", "way"), [("--plain", PLAIN), ("--screens", SCREENS)])
def test_who_has_said_it_is_not_asked(seat: Seat, option: str, way: str) -> None:
    assert seat.way(option, runs=SPOKEN) == (way, "")
    assert seat.told() == ""


def test_without_anybody_to_answer_there_is_an_overview(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with nobody(monkeypatch, Path(os.devnull)):
        for words in ((), ("--plain",), ("--screens",)):
            assert way_in(parser().parse_args(words), XTERM) == (OVERVIEW, "")
    answers = tmp_path / "answers"
    answers.write_text("0\n")
    with nobody(monkeypatch, answers):
        assert way_in(parser().parse_args(["--plain"]), XTERM) == (PLAIN, "")
        assert way_in(parser().parse_args([]), XTERM) == (OVERVIEW, "")
