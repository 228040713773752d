"""Which card a plan is for."""

from __future__ import annotations

from dataclasses import replace

from tests.handmade import card, clean_jammy, in_the_dark
from wizard.advice.card import chosen_card, target_of

RDNA2 = replace(card("gfx1031"), pci_address="0000:03:00.0")
RDNA1 = card("gfx1010")
NVIDIA = replace(card("gfx1010"), pci_id="10de:2684", rdna1=False)


def test_an_rdna1_card_goes_before_a_newer_one() -> None:
    assert chosen_card(clean_jammy(RDNA2, RDNA1)) == RDNA1


def test_a_card_in_a_slot_goes_before_the_processors_own_graphics() -> None:
    apu = replace(RDNA2, integrated=True, gfx="gfx90c")
    assert chosen_card(clean_jammy(apu, card("gfx1013"))) == card("gfx1013")


def test_a_card_that_is_free_goes_before_one_that_is_held_for_a_virtual_machine() -> None:
    held = replace(RDNA1, driver="vfio-pci")
    free = replace(RDNA1, pci_address="0000:04:00.0")
    assert chosen_card(clean_jammy(held, free)) == free
    assert chosen_card(clean_jammy(held, RDNA2)) == held


def test_the_card_at_an_address_is_taken_when_one_is_named() -> None:
    machine = clean_jammy(RDNA2, RDNA1)
    assert chosen_card(machine, "0000:03:00.0") == RDNA2
    assert chosen_card(machine, "0000:ff:00.0") is None


def test_another_makers_card_is_none_of_ours() -> None:
    assert chosen_card(clean_jammy(NVIDIA)) is None


def test_a_target_that_is_not_known_is_no_target() -> None:
    assert target_of(None) == ""
    assert target_of(in_the_dark(RDNA1)) == ""
    assert target_of(RDNA1) == "gfx1010"
