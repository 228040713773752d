"""Graphics cards: names, targets, drivers, screens, sleep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.machine.records import NODES, PCI, card, driven, machine, make, node
from wizard.core.fact import Fact, Unknown
from wizard.machine.facts import Gpu, Link
from wizard.machine.gpus import gfx_name, read_gpus, tell_gpus
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

    assert gpu.name == "Radeon RX 5600/5700 series (exact model unknown)"
    assert gpu.rdna1


def test_without_kfd_the_table_tells_the_target(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card("7340", "c5")))

    assert (gpu.gfx, gpu.gfx_source, gpu.kfd_node) == ("gfx1012", "table", None)


def test_kfd_outranks_the_table_and_the_note_says_so(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card("7362", "c3") | node(gfx_target_version=100100)))

    assert (gpu.gfx, gpu.gfx_source, gpu.kfd_node) == ("gfx1010", "kfd", 1)
    assert "The kernel reports gfx1010, but the card's PCI ID indicates gfx1011" in gpu.note


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
    assert gpu.note.startswith("This chip is similar to RDNA1 but not RDNA1")


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


@pytest.mark.parametrize("state", ["suspended", "suspending"])
def test_a_sleeping_card_is_asked_nothing_that_would_wake_it(state: str, tmp_path: Path) -> None:
    files = card() | {
        f"{DEVICE}/power/runtime_status": f"{state}\n",
        f"{DEVICE}/mem_info_vram_total": "6425673728\n",
        f"{DEVICE}/fw_version/mec_fw_version": "0x00000096\n",
        f"{DEVICE}/current_link_width": "16\n",
        f"{DEVICE}/max_link_width": "16\n",
    }
    asked: list[str] = []

    class Watching(RecordedHost):
        def read(self, path: str) -> Fact[str]:
            asked.append(path)
            return super().read(path)

    make(tmp_path, files, links=driven("amdgpu"))
    gpu = only(Watching(tmp_path))

    asleep = Unknown("the card is asleep and was not woken")
    assert gpu.asleep
    assert (gpu.vram_bytes, gpu.mec_firmware, gpu.link) == (asleep, asleep, asleep)
    assert not any(word in path for path in asked for word in ("mem_info", "fw_version", "link"))
    assert (
        "  asleep to save energy; some values were not read, because that would wake it"
    ) in tell_gpus((gpu,))[1]


def test_a_card_that_is_awake_is_not_asleep(tmp_path: Path) -> None:
    files = card() | {f"{DEVICE}/power/runtime_status": "active\n"}

    assert not only(make(tmp_path, files)).asleep


def test_an_empty_memory_file_is_unknown_and_not_zero(tmp_path: Path) -> None:
    files = card() | {f"{DEVICE}/mem_info_vram_total": ""}

    gpu = only(make(tmp_path, files, links=driven("amdgpu")))

    assert gpu.vram_bytes == Unknown(f"{DEVICE}/mem_info_vram_total contains no size")


def test_a_card_reserved_for_a_virtual_machine_is_said_to_be(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card(), links=driven("vfio-pci")))

    assert (gpu.driver, gpu.drives_screen) == ("vfio-pci", False)
    assert "This card is reserved for a virtual machine" in gpu.note


def test_cards_that_rocm_cannot_use_are_named_beside_the_one_that_it_can(tmp_path: Path) -> None:
    free = replace(only(make(tmp_path, card())), name="RX 1", driver="amdgpu")
    held = replace(free, name="RX 2", driver="vfio-pci")
    other = replace(free, name="NVIDIA GPU", pci_id="10de:21c4", rdna1=False, gfx=Unknown("x"))
    away = "RX 2 (gfx1010) is reserved by vfio-pci for a virtual machine"
    assert tell_gpus((held, free, other))[0] == (
        f"RX 1 (gfx1010); {away}; NVIDIA GPU is also installed, but ROCm does not use it"
    )
    assert tell_gpus((held,))[0] == away
    assert tell_gpus((other,))[0] == "no RDNA1 card; NVIDIA GPU"
    assert tell_gpus(())[0] == "no graphics card found"


def test_a_card_without_a_driver_is_said_to_need_one(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card()))

    assert gpu.driver == ""
    assert gpu.drives_screen == Unknown("no driver reports its connectors")
    assert "No driver is bound to the card" in gpu.note


@pytest.mark.parametrize(
    ("values", "units"),
    [
        ({"simd_count": 72, "simd_per_cu": 2}, 36),
        ({"simd_count": 32, "simd_per_cu": 4}, 8),
        ({"simd_count": 72, "simd_per_cu": 0}, Unknown("KFD does not report simd_per_cu")),
        ({"simd_count": 72}, Unknown("KFD does not report simd_per_cu")),
    ],
)
def test_compute_units_follow_from_simds(
    values: dict[str, int], units: Fact[int], tmp_path: Path
) -> None:
    assert only(make(tmp_path, card() | node(**values))).compute_units == units


def io_link(start: int, end: int, flags: object, number: int = 0) -> dict[str, str]:
    """A link of the KFD topology."""
    text = f"type 2\nnode_from {start}\nnode_to {end}\nflags {flags}\n"
    return {f"{NODES}/{start}/io_links/{number}/properties": text}


CPU = node(0, cpu_cores_count=12, simd_count=0)
NO_LINKS = Unknown("KFD lists no links between it and the processor")


@pytest.mark.parametrize(
    ("back", "there", "atomics"),
    [
        (3, 1, True),
        (1, 1, True),
        (2**31 + 1, 1, True),
        (0b0100, 1, False),
        (0b1000, 1, False),
        (1, 13, False),
        (15, 13, False),
        ("x", 1, NO_LINKS),
        (1, "", NO_LINKS),
    ],
)
def test_atomics_need_both_directions_and_both_widths(
    back: object, there: object, atomics: Fact[bool], tmp_path: Path
) -> None:
    links = io_link(0, 1, back) | io_link(1, 0, there)

    assert only(make(tmp_path, card() | node() | CPU | links)).atomics == atomics


def test_a_link_to_another_card_says_nothing_of_atomics(tmp_path: Path) -> None:
    other = node(2, location_id=0x0300)
    links = io_link(0, 1, 1) | io_link(0, 2, 13, 1) | io_link(1, 0, 1) | io_link(1, 2, 13, 1)

    assert only(make(tmp_path, card() | node() | CPU | other | links)).atomics is True


def test_without_links_atomics_are_unknown(tmp_path: Path) -> None:
    assert only(make(tmp_path, card() | node() | CPU)).atomics == NO_LINKS
    assert only(make(tmp_path, card() | node() | CPU | io_link(1, 0, 1))).atomics == NO_LINKS


def test_a_card_that_kfd_does_not_know_has_no_atomics_told(tmp_path: Path) -> None:
    gpu = only(make(tmp_path, card()))

    assert gpu.atomics == gpu.compute_units == Unknown("KFD does not know the card")


@pytest.mark.parametrize(
    ("files", "firmware"),
    [
        (node(fw_version=150), 150),
        ({f"{DEVICE}/fw_version/mec_fw_version": "0x00000096\n"}, 150),
        (node() | {f"{DEVICE}/fw_version/mec_fw_version": "0x00000096\n"}, 150),
    ],
)
def test_kfd_or_the_driver_tells_the_compute_firmware(
    files: dict[str, str], firmware: int, tmp_path: Path
) -> None:
    host = make(tmp_path, card() | files, links=driven("amdgpu"))

    assert only(host).mec_firmware == firmware


@pytest.mark.parametrize("text", ["", "0x00000000", "0x123456789", "-5", "v150"])
def test_a_damaged_compute_firmware_is_unknown(text: str, tmp_path: Path) -> None:
    files = card() | {f"{DEVICE}/fw_version/mec_fw_version": text}
    gpu = only(make(tmp_path, files, links=driven("amdgpu")))

    assert gpu.mec_firmware == Unknown(f"{DEVICE}/fw_version/mec_fw_version has no version")


def test_missing_atomics_are_told_with_the_firmware_that_makes_up_for_them(tmp_path: Path) -> None:
    links = io_link(0, 1, 13) | io_link(1, 0, 13)
    files = card() | node(simd_per_cu=2, fw_version=150) | CPU | links

    _, details = tell_gpus(read_gpus(make(tmp_path, files)).value)

    assert "  compute units 36, compute firmware (MEC) 150" in details
    assert "  PCIe atomics: no; KFD then accepts this card only with MEC 145 or newer" in details


def test_a_narrow_link_is_told_and_a_slow_one_only_explained(tmp_path: Path) -> None:
    (gpu,) = read_gpus(make(tmp_path, card())).value
    link = Link(8, 16, "2.5 GT/s PCIe", "16.0 GT/s PCIe")

    _, details = tell_gpus((replace(gpu, link=link),))

    (line,) = [line for line in details if "PCIe link" in line]
    assert "8 lanes, 2.5 GT/s PCIe; card and slot support 16" in line
    assert line.endswith("up to 16.0 GT/s PCIe (an idle link runs slower to save energy)")


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
