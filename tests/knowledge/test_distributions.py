"""What is said of distributions' packages is what was read from their files."""

from __future__ import annotations

from wizard.knowledge.cards import load_distribution_packages
from wizard.knowledge.claims import load_approaches, load_claims
from wizard.knowledge.solvers import key_of, load_table

RDNA1 = ("gfx1010", "gfx1011", "gfx1012")
CODE = {(row.distribution, row.name): row.targets for row in load_distribution_packages()}
APPROACH = next(approach for approach in load_approaches() if approach.id == "ubuntu-torch")
CLAIMS = {claim.id: claim for claim in load_claims()}


def without_rdna1(distribution: str, *names: str) -> bool:
    return all(
        "gfx1030" in CODE[distribution, name] and not set(RDNA1) & set(CODE[distribution, name])
        for name in names
    )


def test_ubuntus_torch_and_libraries_have_code_for_gfx1030_and_none_for_rdna1() -> None:
    libraries = ("librocblas5", "librocsparse1", "librocsolver0", "librocfft0", "librocrand1")
    assert without_rdna1("Ubuntu 26.04", "libtorch-rocm-2.9", *libraries)
    assert len(CODE["Ubuntu 26.04", "libtorch-rocm-2.9"]) == 7
    assert "gfx1030 and six other chips" in CLAIMS["ubuntu-torch-code"].text
    assert "has no code for RX 5000 cards" in APPROACH.because


def test_debians_libraries_have_code_for_gfx1010_alone_among_rdna1() -> None:
    wanted = {
        "Debian 13": ("librocblas0", "librocsparse0", "librocrand1"),
        "Debian unstable": ("librocblas4", "librocsparse1", "librocrand1"),
        "Debian experimental": ("librocblas5", "librocsparse1", "librocrand1"),
    }
    wrong = [
        (distribution, name)
        for distribution, names in wanted.items()
        for name in names
        if set(RDNA1) & set(CODE[distribution, name]) != {"gfx1010"}
    ]
    assert wrong == []


def test_the_miopen_that_was_read_is_the_one_that_was_asked() -> None:
    table = load_table("7.1.1")
    assert table is not None
    row = next(
        each
        for each in load_distribution_packages()
        if (each.distribution, each.name) == ("Ubuntu 26.04", "libmiopen1")
    )
    assert table.origin == f"Ubuntu 26.04, libmiopen1 {row.version}"
    assert row.targets == ()


def test_under_the_override_it_offers_winograd_in_float32_that_a_variable_takes_out() -> None:
    table, where = load_table("7.1.1"), ("16->32 3x3 @64x64", "gfx1030 forward float32")
    assert table is not None
    searched = table.answer(*where, key_of(search=True))
    left = table.answer(*where, key_of((("MIOPEN_DEBUG_CONV_WINOGRAD", "0"),)))
    assert searched is not None
    assert left is not None
    assert any("Winograd" in name for name in searched.names)
    assert not any("Winograd" in name for name in left.names)
    assert "MIOPEN_DEBUG_CONV_WINOGRAD=0" in APPROACH.because
    assert "MIOPEN_DEBUG_CONV_WINOGRAD=0" in " ".join(APPROACH.by_hand)
