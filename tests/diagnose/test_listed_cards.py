"""Whole outputs of programs that list cards: exactly the cards that are there, each once.

The texts in ``listings`` were typed after what each program prints; none comes from a real machine.
"""

import textwrap
from pathlib import Path

import pytest

from wizard.diagnose.explain import explain
from wizard.report.findings import explanation_lines

LISTINGS = Path(__file__).parent / "listings"
XT = ("1002:731f", "gfx1010")
NO_IDS = ("", "gfx1010")
CARDS = {
    "clinfo-l": [NO_IDS],
    "glxinfo-B": [XT],
    "hwinfo": [XT],
    "hwinfo-short": [NO_IDS, ("", "")],
    "inxi-Fxx": [XT],
    "inxi-G": [NO_IDS, ("", "")],
    "kernel-log": [XT],
    "lshw": [NO_IDS],
    "lspci-mm": [("", ""), NO_IDS],
    "lspci-nn": [XT],
    "lspci-nn-intel-and-navi23": [("8086:3e92", ""), ("1002:73ff", "gfx1032")],
    "lspci-nnk": [("1002:7340", "gfx1012")],
    "lspci-nnmm": [XT],
    "lspci-v": [NO_IDS],
    "lspci-vmmnn": [XT],
    "nvidia-smi": [("", "")],
    "rocm-smi": [XT],
    "rocm-smi-showproductname": [NO_IDS, ("", "gfx1012")],
    "rocminfo-overridden": [XT],
    "vulkaninfo-summary": [XT],
}


def text_of(name: str) -> str:
    return (LISTINGS / f"{name}.txt").read_text()


def cards_in(text: str) -> list[tuple[str, str]]:
    return [(card.pci_id, card.gfx) for card in explain(text.encode()).cards]


def test_every_listing_is_asked() -> None:
    assert CARDS.keys() == {file.stem for file in LISTINGS.glob("*.txt")}


@pytest.mark.parametrize("name", CARDS)
def test_a_listing_shows_exactly_its_cards(name: str) -> None:
    assert cards_in(text_of(name)) == CARDS[name]


@pytest.mark.parametrize("name", CARDS)
def test_quoted_or_with_other_line_ends_it_shows_the_same(name: str) -> None:
    text = text_of(name)
    quoted = "".join(f"> {line}\n" for line in text.splitlines())
    assert cards_in(quoted) == CARDS[name]
    assert cards_in(text.replace("\n", "\r\n")) == CARDS[name]


@pytest.mark.parametrize("name", CARDS)
def test_printed_twice_it_shows_the_same(name: str) -> None:
    assert cards_in(f"{text_of(name)}\n{text_of(name)}") == CARDS[name]


def test_several_programs_name_the_same_card_once() -> None:
    names = [name for name, cards in CARDS.items() if cards in ([XT], [NO_IDS])]
    assert len(names) > 10
    # In each the slot is 0b:00.0, but for two that were typed with another one.
    texts = [text_of(name).replace("03:00.0", "0b:00.0") for name in names]
    assert cards_in("\n".join(texts)) == [XT]


def test_two_cards_of_one_kind_are_two() -> None:
    text = text_of("lspci-nn")
    card = next(line for line in text.splitlines() if "VGA" in line)
    agent = text_of("rocminfo-overridden").partition("Agent 2")[2]
    twice = f"{text}{card.replace('0b:', '1b:')}\n{text_of('rocminfo-overridden')}"
    assert cards_in(twice) == [XT, XT]
    other = agent.replace("2816", "6912")
    assert cards_in(f"{text_of('rocminfo-overridden')}Agent 3{other}") == [XT, XT]


@pytest.mark.parametrize("width", [72, 78])
def test_a_mail_program_that_breaks_lines_takes_no_card_and_adds_none(width: int) -> None:
    lines = text_of("lspci-nn").splitlines()
    parts = (textwrap.wrap(line, width, break_on_hyphens=False) for line in lines)
    assert cards_in("\n".join(part for line in parts for part in line)) == [XT]


def test_bridges_and_sound_of_a_card_are_no_cards() -> None:
    for line in text_of("lspci-nn").splitlines():
        assert bool(cards_in(line)) == ("VGA" in line), line


def test_an_override_in_force_is_told_beside_the_card() -> None:
    (card,) = explain(text_of("rocminfo-overridden").encode()).cards
    assert (card.gfx, card.reported, card.slot) == ("gfx1010", "gfx1030", "0b:00.0")
    told = "\n".join(explanation_lines(explain(text_of("rocminfo-overridden").encode())))
    assert "ROCm treats the card as gfx1030, because HSA_OVERRIDE_GFX_VERSION is set." in told
