"""The corpus as containers, runners, mail and browsers would have handed it on: read the same."""

from __future__ import annotations

import html
from collections.abc import Callable
from functools import cache

import pytest

from tests.diagnose.reading import Case, load_corpus, read_bytes
from wizard.diagnose.explain import explain
from wizard.diagnose.lines import NotText

Dress = Callable[[bytes], bytes]


def before_each_line(prefix: str, after: str = "\n") -> Dress:
    def dressed(text: bytes) -> bytes:
        rows = (prefix.encode() + line + after.encode() for line in text.splitlines())
        return b"".join(rows)

    return dressed


DRESSES: dict[str, Dress] = {
    "docker compose": before_each_line("webui-1  | "),
    "docker compose, a name of its own": before_each_line("my-webui  | "),
    "docker build": before_each_line("#9 12.345 "),
    "the end of docker build": before_each_line("16.02 "),
    "a runner": before_each_line("2026-03-01T09:14:22.1190034Z "),
    "torchrun": before_each_line("[rank0]: "),
    "a tag": before_each_line("[pip] "),
    "the journal": before_each_line("Mar 01 09:14:22 buche python3[1234]: "),
    "the journal, ISO": before_each_line("2026-03-01T09:14:22+0100 buche docker[1234]: "),
    "ts": before_each_line("2026-03-01 09:14:22 "),
    "indented": before_each_line("    "),
    "quoted": before_each_line("> "),
    "Windows": before_each_line("", "\r\n"),
    "colours": before_each_line("\x1b[0;33m", "\x1b[0m\n"),
    "a browser": lambda text: html.escape(text.decode("utf-8", "replace")).encode(),
    "a fenced block": lambda text: b"Hi, this is my log:\n```\n" + text + b"\n```\nThanks!\n",
}


@cache
def causes(text: bytes) -> frozenset[str]:
    try:
        return frozenset(finding.cause for finding in explain(text).findings)
    except NotText:
        return frozenset({"no text"})


def dressable(case: Case) -> bool:
    """Mail that quotes is quoted first; Docker's own file holds no other program's prefix."""
    return not any(line.startswith(">") for line in case.text.splitlines())


@pytest.mark.parametrize("name", DRESSES)
def test_a_text_is_read_the_same_in_any_dress(name: str) -> None:
    every = [case for case in load_corpus() if dressable(case)]
    third = every[list(DRESSES).index(name) % 3 :: 3]
    texts = {case.file: read_bytes(case) for case in third}
    assert {file: causes(DRESSES[name](text)) for file, text in texts.items()} == {
        file: causes(text) for file, text in texts.items()
    }
