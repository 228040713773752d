"""The table of graphics chips."""

from __future__ import annotations

import pytest

from wizard.knowledge.cards import look_up
from wizard.knowledge.tables import read_table

NAVI10 = ("7310", "7312", "7318", "7319", "731a", "731b", "731e", "731f")
NAVI14 = ("7340", "7341", "7347", "734f")
NAVI12 = ("7360", "7362")
CYAN_SKILLFISH = ("13db", "13f9", "13fa", "13fb", "13fc", "13fe", "143f")


@pytest.mark.parametrize(
    ("devices", "gfx"), [(NAVI10, "gfx1010"), (NAVI14, "gfx1012"), (NAVI12, "gfx1011")]
)
def test_every_rdna1_id_is_in_the_table(devices: tuple[str, ...], gfx: str) -> None:
    cards = [look_up(f"1002:{device}", "00") for device in devices]

    assert {card.gfx for card in cards} == {gfx}
    assert all(card.rdna1 and not card.integrated for card in cards)


def test_the_table_holds_no_other_rdna1_card() -> None:
    rows = read_table("cards.toml")["device"]
    ours = {row["id"] for row in rows if look_up(f"1002:{row['id']}", "").rdna1}

    assert ours == {*NAVI10, *NAVI14, *NAVI12}


def test_relatives_carry_a_note_and_are_not_rdna1() -> None:
    cards = [look_up(f"1002:{device}", "00") for device in CYAN_SKILLFISH]

    assert {card.gfx for card in cards} == {"gfx1013"}
    assert all(
        card.note.startswith("This chip is similar to RDNA1") and not card.rdna1 for card in cards
    )


def test_no_id_stands_twice_and_all_are_lower_case() -> None:
    ids = [row["id"] for row in read_table("cards.toml")["device"]]

    assert len(ids) == len(set(ids))
    assert all(len(one) == 4 and one == one.lower() for one in ids)


def test_the_usb_port_of_navi_10_is_not_taken_for_a_card() -> None:
    assert not look_up("1002:7314", "00").rdna1


def test_an_id_of_another_vendor_is_never_looked_up() -> None:
    card = look_up("10de:731f", "ca")

    assert (card.name, card.gfx, card.rdna1) == ("NVIDIA GPU 10de:731f", "", False)
