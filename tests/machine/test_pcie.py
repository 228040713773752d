"""The PCI Express link of a card's slot."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import PCI, make
from wizard.core.fact import Fact, Unknown
from wizard.machine.facts import Link
from wizard.machine.gpus import read_link

ROOT, CARD = "0000:00:03.1", "0000:0b:00.0"
DEVICE = f"{PCI}/{CARD}"
SLOW, FAST = "2.5 GT/s PCIe", "16.0 GT/s PCIe"


def port(vendor: str, width: object, widest: object, speed: str, fastest: str) -> dict[str, str]:
    """What a port tells of its link."""
    return {
        "vendor": f"0x{vendor}\n",
        "current_link_width": f"{width}\n",
        "max_link_width": f"{widest}\n",
        "current_link_speed": f"{speed}\n",
        "max_link_speed": f"{fastest}\n",
    }


def link_of(folder: Path, *ports: tuple[str, dict[str, str]]) -> Fact[Link]:
    """The link of a card behind these ports, the last one being the card."""
    path = "/sys/devices/pci0000:00"
    files: dict[str, str] = {}
    for address, told in ports:
        path = f"{path}/{address}"
        files |= {f"{path}/{name}": text for name, text in told.items()}
    return read_link(make(folder, files, links={DEVICE: path}), DEVICE)


INSIDE = port("1002", 16, 16, FAST, FAST)
"""RDNA1 boards: the graphics function itself always tells the link inside the card."""


def test_the_slot_counts_and_not_the_link_inside_the_card(tmp_path: Path) -> None:
    link = link_of(
        tmp_path,
        (ROOT, port("1022", 8, 16, SLOW, FAST)),
        ("0000:09:00.0", port("1002", 8, 16, SLOW, FAST)),
        ("0000:0a:00.0", INSIDE),
        (CARD, INSIDE),
    )

    assert link == Link(8, 16, SLOW, FAST)


def test_a_slot_of_four_lanes_can_do_no_more_than_four(tmp_path: Path) -> None:
    link = link_of(
        tmp_path,
        (ROOT, port("8086", 4, 4, "8.0 GT/s PCIe", "8.0 GT/s PCIe")),
        ("0000:09:00.0", port("1002", 4, 16, "8.0 GT/s PCIe", FAST)),
        ("0000:0a:00.0", INSIDE),
        (CARD, INSIDE),
    )

    assert link == Link(4, 4, "8.0 GT/s PCIe", "8.0 GT/s PCIe")


def test_a_root_port_with_amds_graphics_vendor_is_no_part_of_the_card(tmp_path: Path) -> None:
    link = link_of(
        tmp_path,
        ("0000:00:02.0", port("1002", 16, 16, "5.0 GT/s PCIe", "5.0 GT/s PCIe")),
        ("0000:01:00.0", port("1002", 16, 16, "5.0 GT/s PCIe", FAST)),
        ("0000:02:00.0", INSIDE),
        (CARD, INSIDE),
    )

    assert link == Link(16, 16, "5.0 GT/s PCIe", "5.0 GT/s PCIe")


def test_a_switch_of_the_mainboard_is_passed(tmp_path: Path) -> None:
    link = link_of(
        tmp_path,
        (ROOT, port("1022", 4, 4, "8.0 GT/s PCIe", "8.0 GT/s PCIe")),
        ("0000:02:00.2", port("1022", 4, 4, "8.0 GT/s PCIe", "8.0 GT/s PCIe")),
        ("0000:03:04.0", port("1022", 1, 1, "5.0 GT/s PCIe", "5.0 GT/s PCIe")),
        ("0000:04:00.0", port("1002", 1, 16, "5.0 GT/s PCIe", FAST)),
        ("0000:05:00.0", INSIDE),
        (CARD, INSIDE),
    )

    assert link == Link(1, 1, "5.0 GT/s PCIe", "5.0 GT/s PCIe")


def test_a_card_without_bridges_tells_its_own_link(tmp_path: Path) -> None:
    link = link_of(tmp_path, (ROOT, {}), (CARD, port("1002", 16, 16, FAST, FAST)))

    assert link == Link(16, 16, FAST, FAST)


def test_a_record_without_links_tells_the_link_of_the_function(tmp_path: Path) -> None:
    told = {f"{DEVICE}/{name}": text for name, text in port("1002", 8, 16, FAST, FAST).items()}

    assert read_link(make(tmp_path, told), DEVICE) == Link(8, 16, FAST, FAST)


@pytest.mark.parametrize("width", ["63", "255", "0", "", "-1", "x8", "٨", "9" * 5000])
def test_a_width_that_cannot_be_is_unknown(width: str, tmp_path: Path) -> None:
    link = link_of(tmp_path, (CARD, port("1002", width, 16, FAST, FAST)))

    assert link == Unknown(f"/sys/devices/pci0000:00/{CARD} does not report its link")


@pytest.mark.parametrize("speed", ["Unknown", "", "\x00", "GT/s", "16.0 GT/s" * 10])
def test_a_speed_that_cannot_be_is_left_out(speed: str, tmp_path: Path) -> None:
    assert link_of(tmp_path, (CARD, port("1002", 16, 16, speed, speed))) == Link(16, 16, "", "")


def test_a_card_without_the_files_is_unknown(tmp_path: Path) -> None:
    assert read_link(make(tmp_path, {}), DEVICE) == Unknown(f"{DEVICE} does not report its link")
