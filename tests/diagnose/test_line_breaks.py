"""Texts that a mail program or a terminal wrapped are read as they were before."""

from __future__ import annotations

import time
from collections.abc import Callable
from textwrap import wrap

import pytest

from tests.diagnose.reading import load_corpus
from wizard.diagnose.explain import Explanation, explain

Dress = Callable[[str], str]

LSPCI = """\
$ lspci -nn
00:00.0 Host bridge [0600]: Advanced Micro Devices, Inc. [AMD] Renoir Root Complex [1022:1630]
00:02.2 PCI bridge [0604]: Advanced Micro Devices, Inc. [AMD] Renoir PCIe GPP Bridge [1022:1634]
02:00.0 Non-Volatile memory controller [0108]: Samsung Electronics Co Ltd NVMe SSD [144d:a808]
0b:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Navi 10 \
[Radeon RX 5600 OEM/5600 XT / 5700/5700 XT] [1002:731f] (rev c1)
0c:00.0 VGA compatible controller [0300]: Advanced Micro Devices, Inc. [AMD/ATI] Cezanne \
[1002:1638] (rev c8)
"""
TRACEBACK = """\
step 12 of 400
Traceback (most recent call last):
  File "/home/mo/work/train.py", line 31, in <module>
    out = net(batch)
  File "/home/mo/work/.venv/lib/python3.11/site-packages/torch/nn/modules/conv.py", line 456, in \
_conv_forward
    return F.conv2d(input, weight, bias, self.stride, self.padding, self.dilation)
RuntimeError: HIP error: invalid device function, and kernel errors might be asynchronously \
reported at some other API call, so the stacktrace below might be incorrect.
"""
KERNEL = """\
[    4.213312] amdgpu 0000:03:00.0: amdgpu: VRAM: 8176M 0x0000008000000000 - 0x00000081FEFFFFFF \
(8176M used)
[    4.301127] [drm] initializing kernel modesetting (NAVI10 0x1002:0x731F 0x1DA2:0xE410 0xC1).
[  812.404551] amdgpu 0000:03:00.0: amdgpu: qcm fence wait loop timeout expired
[  812.404560] amdgpu 0000:03:00.0: amdgpu: The cp might be in an unrecoverable state due to an \
unsuccessful queues preemption
"""
PIP = """\
$ pip install -r requirements.txt
WARNING: Retrying (Retry(total=0, connect=None, read=None, redirect=None, status=None)) after \
connection broken by 'SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] \
certificate verify failed: self-signed certificate in certificate chain (_ssl.c:1000)'))': \
/simple/einops/
ERROR: Could not find a version that satisfies the requirement einops (from versions: none)
ERROR: No matching distribution found for einops
"""
TEXTS = {"lspci": LSPCI, "traceback": TRACEBACK, "kernel log": KERNEL, "pip": PIP}


def wrapped(width: int, hanging: str = "") -> Dress:
    """As mail programs wrap: words stay whole."""

    def dressed(text: str) -> str:
        every = (
            wrap(
                line,
                width,
                break_long_words=False,
                break_on_hyphens=False,
                subsequent_indent=hanging,
            )
            if len(line) > width
            else [line]
            for line in text.splitlines()
        )
        return "".join(f"{part}\n" for parts in every for part in parts)

    return dressed


def quoted(dress: Dress) -> Dress:
    return lambda text: "".join(f"> {line}\n" for line in dress(text).splitlines())


def flowed(text: str) -> str:
    """As RFC 3676 has it: a line that goes on ends with a blank."""
    parts = []
    for line in text.splitlines():
        rest = line
        while len(rest) > 72 and (blank := rest.rfind(" ", 1, 72)) > 0:
            parts.append(rest[: blank + 1])
            rest = rest[blank + 1 :]
        parts.append(rest)
    return "\n".join(parts)


def at_any_letter(text: str) -> str:
    """As terminals break lines."""
    lines = (line[at : at + 80] for line in text.splitlines() for at in range(0, len(line), 80))
    return "\n".join(lines)


DRESSES: dict[str, Dress] = {
    "at 78": wrapped(78),
    "at 72": wrapped(72),
    "at 78, hanging": wrapped(78, "    "),
    "at 78, quoted": quoted(wrapped(78)),
    "at 72, hanging and quoted": quoted(wrapped(72, "  ")),
    "format=flowed": flowed,
    "by a terminal": at_any_letter,
}


def explained(text: str) -> Explanation:
    return explain(text.encode())


def told(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The causes and the cards."""
    answer = explained(text)
    return [f.cause for f in answer.findings], [(c.gfx, c.name) for c in answer.cards]


@pytest.mark.parametrize("dress", DRESSES)
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_was_wrapped_is_read_the_same(name: str, dress: str) -> None:
    causes, cards = told(TEXTS[name])
    assert causes or cards
    assert told(DRESSES[dress](TEXTS[name])) == (causes, cards)


@pytest.mark.parametrize("width", [72, 78])
def test_nearly_all_of_the_corpus_is_read_the_same_after_wrapping(width: int) -> None:
    texts = [case.text for case in load_corpus()[::3] if "\r" not in case.text]
    same = [set(told(text)[0]) == set(told(wrapped(width)(text))[0]) for text in texts]
    assert sum(same) >= 0.97 * len(same)


def test_the_evidence_of_a_wrapped_text_is_whole_and_has_the_numbers_of_the_text() -> None:
    text = wrapped(72)(KERNEL)
    (finding,) = explained(text).findings
    lines = text.splitlines()
    assert all(evidence.text in KERNEL for evidence in finding.evidence)
    for evidence in finding.evidence:
        assert evidence.text.startswith(lines[int(evidence.where.removeprefix("line ")) - 1])
    first, second = explained(wrapped(78)(LSPCI)).cards
    assert (first.where, second.where) == ("line 8", "line 11")


BRIDGE = "0{}:00.0 PCI bridge [0604]: Advanced Micro Devices, Inc. [AMD] Bridge number {}\n"
BRIDGES = "".join(BRIDGE.format(number, number) for number in range(9))
LONG_LINE = "No mail program leaves a line as long as this one as it is. " * 3
UNWRAPPED = {
    "devices": f"{BRIDGES}0b:00.0 VGA compatible controller [0300]: AMD Navi 10 [1002:731f]\n",
    "names": "graphics card:\n"
    "                       ATI Navi 10 [Radeon RX 5600 OEM/5600 XT / 5700/5700 XT]\n"
    "                       Intel Corporation UHD Graphics 630 of the processor itself\n",
    "parts": "  *-display\n"
    "       product: Navi 10 [Radeon RX 5600 OEM/5600 XT / 5700/5700 XT]\n"
    "       vendor: Advanced Micro Devices, Inc. [AMD/ATI], of Santa Clara\n"
    "       configuration: depth=32 driver=amdgpu latency=0 resolution=3840,2160\n"
    "  *-display\n"
    "       product: Navi 14 [Radeon RX 5500/5500M / Pro 5500M] of the laptop\n",
    "answers": "$ python -c 'import torch; print(torch.__version__); torch.zeros(1).cuda()'\n"
    "2.5.0+cu124\n"
    "$ python -c 'import torch; print(torch.__version__, torch.version.cuda)'\n"
    "2.5.0+cu124 12.4\n",
    "names of files": "".join(
        f"/home/mo/venv/lib/python3.11/site-packages/torch/lib/{name}.so\n"
        for name in ("libamdhip64", "libMIOpen", "libhsa-runtime64", "librocblas")
    ),
    "a table": "torch               2.2.2+rocm5.7   /home/mo/venv/lib/python3.10/site-packages\n"
    "numpy               2.1.3           /home/mo/venv/lib/python3.10/site-packages\n",
}


@pytest.mark.parametrize("name", UNWRAPPED)
def test_lines_of_their_own_are_not_put_together(name: str) -> None:
    assert told(UNWRAPPED[name]) == told(f"{UNWRAPPED[name]}{LONG_LINE}\n")


def test_in_a_text_with_longer_lines_no_line_was_wrapped() -> None:
    card = "0b:00.0 VGA compatible controller [0300]: AMD [AMD/ATI] Navi 10 [Radeon RX 5600 OEM\n"
    rest = "/5600 XT / 5700/5700 XT] [1002:7340], which is another card\n"
    assert [card.pci_id for card in explained(f"{card}{rest}{LONG_LINE}").cards] == [""]


def test_a_hash_that_hashcat_cannot_read_is_no_fault_of_the_card() -> None:
    text = (
        "hashcat (v6.2.6) starting\n\n* Device #1: AMD Radeon RX 5700 XT, 8128/8176 MB, 20MCU\n\n"
        "Hashfile 'hashes.txt' on line 1 (5f4dcc...): Token length exception\n\n"
        "* Token length exception: 1/1 hashes\nNo hashes loaded.\n"
    )
    answer = explained(text)
    assert [finding.cause for finding in answer.findings] == ["hash-of-another-kind"]
    assert answer.unrecognised == ()


@pytest.mark.parametrize("value", ["'1'", "'-1'", "''"])
def test_a_mask_that_python_tells_in_a_tuple_is_named(value: str) -> None:
    text = (
        'In [1]: torch.__version__, os.environ.get("HIP_VISIBLE_DEVICES")\n'
        f"Out[1]: ('1.13.1+rocm5.2', {value})\n\nIn [2]: torch.ones(3, device=\"cuda\")\n"
        "RuntimeError: No HIP GPUs are available\n"
    )
    assert told(text)[0] == ["visible-devices-mask"]


@pytest.mark.parametrize("value", ["None", "'0'"])
def test_a_tuple_that_tells_of_no_mask_is_not_blamed(value: str) -> None:
    text = (
        '>>> torch.__version__, os.environ.get("HIP_VISIBLE_DEVICES")\n'
        f"('1.13.1+rocm5.2', {value})\n>>> torch.ones(3).cuda()\n"
        "RuntimeError: No HIP GPUs are available\n"
    )
    assert told(text)[0] == []


def test_a_word_without_an_end_in_a_wrapped_text_is_read_soon() -> None:
    text = f"{'a ' * 35}\n{'b' * 200_000}\n{' ' * 200_000}c\n"
    began = time.process_time()
    explained(text)
    assert time.process_time() - began < 2
