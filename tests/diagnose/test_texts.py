"""Texts of any kind: encodings, colours, quoting, wrapping, cards, and what is no text."""

import gzip

import pytest

from wizard.diagnose.explain import Explanation, explain
from wizard.diagnose.lines import NotText

TEXT = "W: x\nE: dpkg was interrupted, you must manually run 'dpkg --configure -a' to mend it.\nü\n"


def causes(explained: Explanation) -> list[str]:
    return [finding.cause for finding in explained.findings]


@pytest.mark.parametrize(
    "text",
    [
        TEXT.encode(),
        TEXT.encode("latin-1"),
        TEXT.encode("utf-16"),
        TEXT.encode("utf-16-be"),
        b"\xef\xbb\xbf" + TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
        TEXT.replace("E: ", "\x1b[1;31mE: \x1b[0m").encode(),
        TEXT.replace("was ", "\x1b[1mwas\x1b[0m ").encode(),
        TEXT.replace("was ", "^[[1mwas^[[0m ").encode(),
        "".join(f"> > {line}\n" for line in TEXT.splitlines()).encode(),
        f"```\n{TEXT}```\n".encode(),
        b"\0" * 40 + TEXT.encode(),
        TEXT.replace("'", "&#39;").encode(),
        TEXT.replace(" ", "\u00a0").encode(),
    ],
)
def test_a_text_is_read_in_whatever_form_it_comes(text: bytes) -> None:
    assert causes(explain(text)) == ["dpkg-interrupted"]


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(b"x" * 900, mtime=0),
        b"\x7fELF" + bytes(400),
        bytes(9000),
        bytes(range(1, 32)) * 300,
    ],
)
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(NotText):
        explain(data)


def test_evidence_is_the_line_as_it_stands_with_its_number() -> None:
    (finding,) = explain(f"one\ntwo\n{TEXT}".encode()).findings
    (evidence,) = finding.evidence
    assert evidence.text.startswith("E: dpkg was interrupted")
    assert evidence.where == "line 4"


def test_a_line_in_a_long_text_is_found_among_many_alike() -> None:
    filler = "".join(f"[{n}.{n:06}] usb 1-{n}: new device found\n" for n in range(150_000))
    text = f"{filler}{TEXT}{filler}".encode()
    assert len(text) > 8 * 2**20
    (finding,) = explain(text).findings
    assert finding.evidence[0].where == "line 150002"


def test_a_line_without_an_end_is_read_in_parts() -> None:
    text = b"x" * 5_000_000 + TEXT.replace("\n", " ").encode()
    assert causes(explain(text)) == ["dpkg-interrupted"]
    text = (
        b"x " * 5_000 + b" Memory access fault by GPU node-1 (Agent handle: 0x1) " + b"y " * 5_000
    )
    assert causes(explain(text)) == ["gpu-memory-fault"]


NAVI10 = (
    "Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 [Radeon RX 5600 OEM/5600 XT / 5700/5700 XT]"
)


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        (f"0b:00.0 VGA compatible controller [0300]: {NAVI10} [1002:731f] (rev ca)", ["gfx1010"]),
        (f"0b:00.0 VGA compatible controller: {NAVI10} (rev ca)", ["gfx1010"]),
        ("0b:00.0 0300: 1002:7340 (rev c5)", ["gfx1012"]),
        ("  Radeon RX 5600 XT [1002:731f rev ca] at 0000:0b:00.0", ["gfx1010"]),
        ('0b:00.0 "VGA compatible controller" "AMD [AMD/ATI]" "Navi 14" -rc5 "x" ""', ["gfx1012"]),
        ("0b:00.1 Audio device: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 HDMI Audio", []),
        ("    hipv4-amdgcn-amd-amdhsa--gfx1010 - [code object v4]", []),
        ("get_arch_list: ['gfx900', 'gfx1010', 'gfx1030']", []),
        (
            "[drm] initializing kernel modesetting (NAVI10 0x1002:0x731F 0x1DA2:0xE411 0xC4).",
            ["gfx1010"],
        ),
        (
            "  Name:                    gfx1030\n  Marketing Name:          AMD Radeon RX 5500 XT\n"
            "  Chip ID:                 29504(0x7340)\n  Device Type:             GPU\n"
            "      Name:                    amdgcn-amd-amdhsa--gfx1030\n",
            ["gfx1012"],
        ),
        (
            f"0b:00.0 VGA compatible controller [0300]: {NAVI10} [1002:731f] (rev ca)\n"
            "  Name:                    gfx1010\n  Chip ID:                 29471(0x731f)\n",
            ["gfx1010"],
        ),
    ],
)
def test_the_user_s_cards_are_found_and_no_others(text: str, cards: list[str]) -> None:
    assert [card.gfx for card in explain(text.encode()).cards] == cards


def test_a_card_is_called_by_its_own_name() -> None:
    text = f"0b:00.0 VGA compatible controller [0300]: {NAVI10} [1002:731f] (rev ca)"
    (card,) = explain(text.encode()).cards
    assert (card.name, card.pci_id, card.rdna1) == ("Radeon RX 5600 XT", "1002:731f", True)


def test_another_card_is_told_to_be_another() -> None:
    text = b"03:00.0 VGA compatible controller: AMD [AMD/ATI] Navi 23 [Radeon RX 6600] (rev c7)"
    explained = explain(text + b"\nRuntimeError: HIP error: invalid device function\n")
    assert explained.other_card
    (finding,) = explained.findings
    assert finding.cause == "wheel-lacks-gfx-target"
    assert finding.fix == ()
