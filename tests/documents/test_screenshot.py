"""The pictures of README.md and SCREENS.md show the program of now."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import unescape

import pytest

from tests.documents.made import ROOT
from tests.documents.screenshot import FOLDER, drawn

NAMES = ("choose", "compare", "demo", "detect", "diagnose", "install", "measure")
ELEMENT = re.compile(r"<text[^>]*>([^<]*)</text>")
LARGEST_BYTES = 1_500_000


def kept(name: str) -> str:
    return (FOLDER / f"{name}.svg").read_text("utf-8")


def words_in(picture: str) -> list[str]:
    """The words of a picture, row by row."""
    return " ".join(unescape(text) for text in ELEMENT.findall(picture)).split()


async def test_the_pictures_show_what_the_program_shows() -> None:
    now = await drawn()

    assert tuple(sorted(now)) == NAMES
    old = [name for name in NAMES if words_in(kept(name)) != words_in(now[name])]
    assert not old, f"{old} are out of date: python -m tests.documents.screenshot"
    assert min(len(words_in(kept(name))) for name in NAMES) > 50


@pytest.mark.parametrize("name", NAMES)
def test_a_picture_is_small_runs_nothing_and_asks_the_network_for_nothing(name: str) -> None:
    text = kept(name)
    tags = {element.tag.partition("}")[2] for element in ET.fromstring(text).iter()}  # noqa: S314
    assert tags <= {"svg", "title", "style", "defs", "g", "rect", "circle", "text", "path", "use"}
    code = ELEMENT.sub("", text).replace("http://www.w3.org/2000/svg", "")
    assert re.findall("url|import|http", code) == []
    assert len(text.encode()) < LARGEST_BYTES
    assert "DEMO" in text or "DRY RUN" in text


def test_the_film_is_over_in_half_a_minute_and_can_stand_still() -> None:
    text = kept("demo")
    (seconds,) = re.findall(r"animation:film ([\d.]+)s", text)
    assert 20 < float(seconds) < 31
    assert "prefers-reduced-motion" in text


def test_every_picture_is_shown_somewhere() -> None:
    pages = "".join((ROOT / page).read_text("utf-8") for page in ("README.md", "SCREENS.md"))
    missing = [name for name in NAMES if f"(assets/screenshots/{name}.svg)" not in pages]
    assert missing == []
