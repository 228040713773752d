"""The README's picture shows the program of now."""

from __future__ import annotations

import re
from html import unescape

from tests.documents.made import ROOT
from tests.documents.screenshot import PICTURE, drawn

ELEMENT = re.compile(r'<text class="[^"]+" [^>]*y="([\d.]+)"[^>]*>([^<]*)</text>')


def words_in(picture: str) -> list[str]:
    """The words of an SVG picture, in the order of its rows."""
    return " ".join(unescape(text) for _, text in ELEMENT.findall(picture)).split()


async def test_the_picture_in_the_readme_shows_what_the_demo_shows() -> None:
    picture, text = await drawn()
    kept = PICTURE.read_text("utf-8")

    told = "the picture is out of date: python -m tests.documents.screenshot"
    assert words_in(kept) == words_in(picture), told
    shown = set(words_in(kept))
    rows = [word for word in text.split() if word.isalnum()]
    assert [word for word in rows if word not in shown] == []
    assert len(rows) > 100
    assert f"({PICTURE.relative_to(ROOT)})" in (ROOT / "README.md").read_text("utf-8")
