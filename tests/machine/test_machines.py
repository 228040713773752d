"""The recorded machines, each against its reviewed JSON."""

from __future__ import annotations

import json

import pytest

from tests.conftest import GOLDEN, Golden
from tests.machine.records import MACHINES, NAMES, machine
from wizard.core.fact import Unknown
from wizard.core.json_form import to_json
from wizard.machine.detect import detect
from wizard.machine.part import PartDone


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_machine_gives_its_golden_facts(name: str, golden: Golden) -> None:
    facts = to_json(detect(machine(name)))

    golden.check(f"machines/{name}.json", json.dumps(facts, indent=1) + "\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_machine_leaves_nothing_unread_but_what_is_silent(name: str) -> None:
    facts = detect(machine(name))

    silent = tuple(Unknown(f"{one.path} does not respond") for one in facts.silent)
    assert facts.unread == silent


def test_no_machine_was_lost_whose_facts_were_reviewed() -> None:
    reviewed = {path.stem for path in (GOLDEN / "machines").iterdir()}
    assert reviewed <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_machine_says_where_its_values_come_from(name: str) -> None:
    record = json.loads((MACHINES / name / "record.json").read_text(encoding="utf-8"))
    first, *others = record["sources"]

    assert record["name"] == name
    if first.startswith("Composed from public sources; captured from no card"):
        assert len(others) > 1
    else:
        assert first.startswith("Recorded with report --record")


def test_programs_find_the_four_keys_of_a_card_in_the_json() -> None:
    card = to_json(detect(machine("rx5600xt-noble-rocm57")))["gpus"][0]

    assert (card["pci_id"], card["gfx"]) == ("1002:731f", "gfx1010")
    assert (card["name"], card["rdna1"]) == ("Radeon RX 5600 XT", True)


def test_every_part_is_told_in_the_same_order_with_source_and_summary() -> None:
    told: list[PartDone] = []

    detect(machine("rx5600xt-noble-rocm57"), told.append)

    assert [part.title for part in told] == [
        "Graphics cards",
        "Graphics driver",
        "System",
        "Surroundings",
        "Access to the GPU",
        "Who uses the GPU",
        "Disks",
        "File systems",
        "Pythons",
        "uv",
        "Python environments",
        "ROCm folders",
        "ROCm packages",
        "Package sources",
        "ROCm files",
        "Settings",
        "App settings",
        "Applications",
        "MIOpen's cache",
        "Runs of this wizard",
    ]
    assert all(part.source and part.summary for part in told)


def test_the_same_machine_twice_gives_the_same_facts() -> None:
    assert detect(machine("rx5500xt-apu-vga")) == detect(machine("rx5500xt-apu-vga"))
