"""Owners of other cards are given no fix for RDNA1, whether a card is listed or only named."""

import time

import pytest

from wizard.diagnose.explain import explain

NO_CODE = "RuntimeError: HIP error: invalid device function\n"
NO_BLAS = "rocBLAS error: Cannot read /opt/x/TensileLibrary.dat: Illegal seek for GPU arch : {}\n"


@pytest.mark.parametrize(
    "text",
    [
        f"I have an RX 580 8GB on Ubuntu.\n{NO_CODE}",
        f"My card is a Radeon RX 7600\n{NO_CODE}",
        f"on my rx6600xt\n{NO_CODE}",
        f"a Radeon VII here\n{NO_CODE}",
        NO_BLAS.format("gfx1032"),
        NO_BLAS.format("gfx803"),
        "Devices:\n  amdgcn-amd-amdhsa--gfx803 - [Not Found]\n",
    ],
)
def test_a_card_that_is_named_and_no_other_gets_no_fix_for_rdna1(text: str) -> None:
    (finding,) = explain(text.encode()).findings
    assert finding.fix == ()
    assert "not RDNA1" in finding.meaning


@pytest.mark.parametrize(
    "text",
    [
        NO_CODE,
        f"It works on the RX 7600 of a friend, not on my RX 5700\n{NO_CODE}",
        NO_BLAS.format("gfx1010"),
        NO_BLAS.format("gfx1030"),
        f"export HSA_OVERRIDE_GFX_VERSION=11.0.0\n{NO_BLAS.format('gfx1100')}",
    ],
)
def test_a_text_that_may_be_of_an_rdna1_card_keeps_the_fix(text: str) -> None:
    assert explain(text.encode()).findings[0].fix


def test_an_override_that_is_right_for_a_card_in_small_letters_is_not_blamed() -> None:
    text = b"rx 6700 xt\nexport HSA_OVERRIDE_GFX_VERSION=10.3.0\nSegmentation fault (core dumped)\n"
    assert "override-isa-mismatch" not in [found.cause for found in explain(text).findings]


def test_many_lines_that_might_be_wrapped_are_read_fast() -> None:
    names = ("".join(chr(97 + number // 26**n % 26) for n in range(4)) for number in range(9000))
    form = 'openat(AT_FDCWD, "/home/u/venv/torch/lib/{}/libamdhip64.so.5", O_CLOEXEC) = -1 ENOENT\n'
    text = "".join(map(form.format, names)).encode()
    began = time.process_time()
    explain(text)
    assert time.process_time() - began < 2.5
