"""Graphics cards: names, targets, drivers, screens, sleep."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import PCI, card, driven, machine, make, node
from wizard.machine.facts import Fact, Gpu, Unknown
from wizard.machine.gpus import read_gpus
from wizard.machine.kfd import gfx_name
from wizard.machine.recorded import RecordedHost

DEVICE = f"{PCI}/0000:0b:00.0"


def only(host: RecordedHost) -> Gpu:
    """The only card of a machine."""
    (gpu,) = read_gpus(host).value
    return gpu


@pytest.mark.parametrize(
    ("device", "revision", "name"),
    [
        ("731f", "ca", "Radeon RX 5600 XT"),
        ("731f", "c1", "Radeon RX 5700 XT"),
        ("731f", "c4", "Radeon RX 5700"),
        ("7340", "c5", "Radeon RX 5500 XT"),
        ("7340", "c7", "Radeon RX 5500"),
        ("7360", "41", "Radeon Pro 5600M"),
    ],
)
def test_the_revision_tells_the_name(device: str, revision: str, name: str, tmp_path: Path) -> None:
    assert only(make(tmp_path, card(device, revision))).name == name


def test_an_unknown_revision_of_731f_is_named_as_a_series(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card("731f", "ff")))

    assert gpu.name == "Radeon RX 5600/5700 series (which one is not told by the id)"
    assert gpu.rdna1


def test_without_kfd_the_table_tells_the_target(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card("7340", "c5")))

    assert (gpu.gfx, gpu.gfx_source, gpu.kfd_node) == ("gfx1012", "table", None)


def test_kfd_outranks_the_table_and_the_note_says_so(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card("7362", "c3") | node(gfx_target_version=100100)))

    assert (gpu.gfx, gpu.gfx_source, gpu.kfd_node) == ("gfx1010", "kfd", 1)
    assert "The kernel says gfx1010 where its id says gfx1011" in gpu.note


def test_kfd_finds_its_card_by_render_node_too(tmp_path: Path) -> None:
    files = card() | {f"{DEVICE}/drm/renderD129/dev": "226:129\n"}

    gpu = only(make(tmp_path, files | node(location_id=0, drm_render_minor=129)))

    assert (gpu.gfx_source, gpu.render_node) == ("kfd", "/dev/dri/renderD129")


def test_a_kfd_node_of_another_card_is_not_taken(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card() | node(location_id=0x0300, gfx_target_version=100300)))

    assert (gpu.gfx, gpu.gfx_source) == ("gfx1010", "table")


def test_a_domain_beyond_the_first_is_part_of_the_address(tmp_path: Path) -> None:
    files = card(address="0001:0b:00.0") | node(domain=1)

    assert only(make(tmp_path, files)).kfd_node == 1


def test_a_processor_sharing_the_kfd_node_makes_the_card_integrated(tmp_path: Path) -> None:
    assert only(make(tmp_path, card("ffff") | node(cpu_cores_count=16))).integrated


@pytest.mark.parametrize(
    ("version", "gfx"),
    [(100100, "gfx1010"), (100102, "gfx1012"), (90010, "gfx90a"), (90012, "gfx90c"), (0, "")],
)
def test_gfx_target_versions_become_names(version: int, gfx: str) -> None:
    assert gfx_name(version) == gfx


def test_a_gfx1013_board_is_a_relative_and_no_rdna1_card(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card("13fe", "00")))

    assert not gpu.rdna1
    assert gpu.note.startswith("A relative of RDNA1, but not one")


@pytest.mark.parametrize(
    ("vendor", "device", "name"),
    [
        ("1002", "abcd", "AMD GPU 1002:abcd"),
        ("10de", "2484", "NVIDIA GPU 10de:2484"),
        ("8086", "3e92", "Intel GPU 8086:3e92"),
        ("dead", "beef", "Unknown GPU dead:beef"),
    ],
)
def test_other_cards_are_named_by_their_vendor(
    vendor: str, device: str, name: str, tmp_path: Path
) -> None:
    gpu = only(make(tmp_path, card(device, "00", vendor=vendor)))

    assert gpu.name == name
    assert isinstance(gpu.gfx, Unknown)
    assert gpu.gfx_source == ""


@pytest.mark.parametrize("pci_class", ["030000", "030200", "038000"])
def test_every_display_class_counts(pci_class: str, tmp_path: Path) -> None:
    assert only(make(tmp_path, card(pci_class=pci_class))).pci_class == pci_class[:4]


def test_the_usb_port_of_a_card_is_no_card(tmp_path: Path) -> None:
    host = make(tmp_path, card("7314", pci_class="0c0330"))

    assert read_gpus(host).value == ()


def test_a_sleeping_card_is_not_woken_to_ask_its_memory(tmp_path: Path) -> None:
    files = card() | {
        f"{DEVICE}/power/runtime_status": "suspended\n",
        f"{DEVICE}/mem_info_vram_total": "6425673728\n",
    }
    asked: list[str] = []

    class Watching(RecordedHost):
        def read(self, path: str) -> Fact[str]:
            asked.append(path)
            return super().read(path)

    make(tmp_path, files, links=driven("amdgpu"))
    gpu = only(Watching(tmp_path))

    assert gpu.vram_bytes == Unknown("the card is asleep; not woken to ask")
    assert not any("mem_info" in path for path in asked)


def test_an_empty_memory_file_is_unknown_and_not_zero(tmp_path: Path) -> None:
    files = card() | {f"{DEVICE}/mem_info_vram_total": ""}

    gpu = only(make(tmp_path, files, links=driven("amdgpu")))

    assert gpu.vram_bytes == Unknown(f"{DEVICE}/mem_info_vram_total holds no size")


def test_a_card_reserved_for_a_virtual_machine_is_said_to_be(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card(), links=driven("vfio-pci")))

    assert (gpu.driver, gpu.drives_screen) == ("vfio-pci", False)
    assert "Reserved for a virtual machine" in gpu.note


def test_a_card_without_a_driver_is_said_to_need_one(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card()))

    assert gpu.driver == ""
    assert gpu.drives_screen == Unknown("no driver shows its connectors")
    assert "No driver is bound to it" in gpu.note


def test_one_connected_connector_means_that_the_card_drives_a_screen(tmp_path: Path) -> None:
    status = f"{DEVICE}/drm/card1/card1-{{}}/status"
    files = card() | {status.format("DP-1"): "disconnected\n", status.format("DP-2"): "connected\n"}

    assert only(make(tmp_path, files)).drives_screen is True


def test_the_screen_on_the_processor_leaves_the_card_free() -> None:
    discrete, integrated = read_gpus(machine("rx5500xt-apu-vga")).value

    assert (discrete.name, discrete.pci_class) == ("Radeon RX 5500 XT", "0380")
    assert (discrete.rdna1, discrete.integrated, discrete.drives_screen) == (True, False, False)
    assert (integrated.rdna1, integrated.integrated, integrated.drives_screen) == (
        False,
        True,
        True,
    )


def test_a_machine_without_a_bus_has_no_cards_and_says_why(tmp_path: Path) -> None:
    found = read_gpus(make(tmp_path, {"/etc/hostname": "x"}))

    assert found.value == ()
    assert found.unread == (Unknown(f"there is no {PCI}"),)
