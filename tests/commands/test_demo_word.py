"""``--demo`` and ``--dry-run`` go before a command and behind it."""

from __future__ import annotations

import pytest

from wizard.__main__ import COMMANDS, parser

MORE = {
    "explain": ("-",),
    "fetch": ("--stack", "cpu", "DIR"),
    "fleet": ("CARD",),
    "keep": ("--venv", "DIR", "A=B"),
    "rehearse": ("--stack", "cpu"),
}
"""What a command cannot do without."""


@pytest.mark.parametrize("command", COMMANDS)
def test_the_words_for_a_look_alone_stand_on_either_side_of_a_command(command: str) -> None:
    known = parser((command,))
    words = (command, *MORE.get(command, ()))
    for word, field in (("--demo", "demo"), ("--dry-run", "dry_run")):
        assert getattr(known.parse_args((word, *words)), field)
        assert getattr(known.parse_args((*words, word)), field)
        assert not getattr(known.parse_args(words), field)
