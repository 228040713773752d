"""Result cards: nobody's name in them, the same after a journey, and nothing believed."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conv2d.made import CARD, made
from tests.handmade import card as gpu
from tests.handmade import clean_jammy
from tests.machine.planting import HOME, HOST_NAME, NAMES_TOLD, SECRETS, USER
from wizard.conv2d.cards.make_card import (
    Here,
    make_card,
    public_distribution,
    public_kernel,
    public_library,
    public_name,
    public_phrases,
    public_setting,
    public_version,
)
from wizard.conv2d.cards.result_card import (
    LARGEST_FILE,
    ResultCard,
    WrongCard,
    card_text,
    read_card,
    read_card_file,
)
from wizard.conv2d.shapes import Published, square
from wizard.conv2d.verdicts import Loaded, Verdict
from wizard.redaction.rules import HIDDEN

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=timezone.utc)
MARKS = (*NAMES_TOLD, *SECRETS, HOME)
SECRET = f"{HOME}/ai/{USER}@{HOST_NAME} {' '.join(SECRETS)}"


def here() -> Here:
    machine = clean_jammy()
    return Here(machine.gpus, machine.driver, machine.system)


def full_of_marks() -> ResultCard:
    """A card of a machine on which every text names its owner."""
    loaded = Loaded(
        f"2.2.2+{USER}",
        f"5.7.31921-{USER}",
        f"AMD Radeon RX 5600 XT\x1b[31m {SECRET}",
        f"gfx1030:{HOST_NAME}",
        (
            f"{HOME}/venv/lib/python3.10/site-packages/torch/lib/libMIOpen.so",
            f"{HOME}/lib{USER}.so",
        ),
        (
            ("MIOPEN_USER_DB_PATH", f"{HOME}/db"),
            ("MIOPEN_DEBUG_CONV_GEMM", "0"),
            ("MIOPEN_FIND_MODE", SECRET),
            ("HSA_OVERRIDE_GFX_VERSION", "10.3.0"),
            (f"HSA_{USER}", SECRET),
        ),
    )
    results = [
        made(
            square(16, 32, 44),
            Verdict.ERROR,
            detail=f"RuntimeError: miopenStatusUnknownError in {SECRET}, and {SECRET}",
            because=f"MIOpen(HIP): Info [FindSolutionImpl] Starting search: ConvAsm1 {SECRET}",
            loaded=loaded,
            asked=(("MIOPEN_DEBUG_CONV_FFT", "0"), ("MIOPEN_CUSTOM_CACHE_DIR", SECRET)),
            published=Published("hung", None, None, None, SECRET, SECRET),
        )
    ]
    machine = clean_jammy()
    system = replace(
        machine.system,
        distribution="ubuntu",
        release=SECRET,
        pretty_name=SECRET,
        kernel=f"6.8.0-45-generic-{USER} {HOST_NAME}",
        glibc=f"2.35 {USER}",
        cpu=SECRET,
    )
    driver = machine.driver._replace(loaded=True, origin="dkms", version=f"6.8.5-{USER}")
    card = replace(gpu(), name=f"Radeon RX 5600 XT\t{SECRET}")
    return make_card(results, WHEN, Here((card,), driver, system), finished=True)


def test_nothing_of_the_owner_reaches_a_card() -> None:
    text = card_text(full_of_marks())
    for mark in MARKS:
        assert mark.lower() not in text.lower()
    assert "\\u001b" not in text


def test_what_others_need_reaches_it() -> None:
    form = json.loads(card_text(full_of_marks()))
    (result,) = form["results"]
    assert form["chip"]["name"] == "Radeon RX 5600 XT"
    assert (form["chip"]["gfx"], form["chip"]["pci_id"]) == ("gfx1010", "1002:731f")
    assert form["stack"]["kernel"] == "6.8.0-45-generic"
    assert form["stack"]["driver"] == "dkms 6.8.5"
    assert form["stack"]["distribution"] == "ubuntu"
    assert form["stack"]["libraries"] == ["libMIOpen.so (torch's own)", HIDDEN]
    assert (result["torch"], result["hip"], result["gfx"]) == ("2.2.2", "5.7.31921", "gfx1030")
    assert result["setting"] == {
        "MIOPEN_USER_DB_PATH": HIDDEN,
        "MIOPEN_DEBUG_CONV_GEMM": "0",
        "MIOPEN_FIND_MODE": HIDDEN,
        "HSA_OVERRIDE_GFX_VERSION": "10.3.0",
    }
    assert result["asked"] == {"MIOPEN_DEBUG_CONV_FFT": "0", "MIOPEN_CUSTOM_CACHE_DIR": HIDDEN}
    assert result["detail"] == "RuntimeError; miopenStatusUnknownError"
    assert result["because"] == "[FindSolutionImpl]; ConvAsm1"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("6.14.0-34-generic", "6.14.0-34-generic"),
        ("6.1.0-28-amd64", "6.1.0-28-amd64"),
        ("6.12.4-arch1-1", "6.12.4-arch1"),
        ("6.8.0-zaphod", "6.8.0"),
        ("6.11.10-300.fc41.x86_64", "6.11.10-300-fc41-x86_64"),
        ("zaphod", None),
    ],
)
def test_a_kernel_is_told_without_its_builder(given: str, told: str | None) -> None:
    assert public_kernel(given) == told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("2.2.2+rocm5.7", "2.2.2+rocm5.7"),
        ("2.13.0+cpu", "2.13.0+cpu"),
        ("2.6.0a0+gitabc", "2.6.0a0"),
        ("1.13.1+zaphod", "1.13.1"),
        (None, None),
        ("zaphod", None),
    ],
)
def test_a_version_is_told_without_what_its_builder_appends(
    given: str | None, told: str | None
) -> None:
    assert public_version(given) == told


def test_cards_and_distributions_and_libraries_are_told_by_list() -> None:
    assert public_name("NVIDIA H100 80GB HBM3") == "NVIDIA H100 80GB HBM3"
    assert public_name("cpu") == "cpu"
    assert public_name("zaphod's card") is None
    assert public_distribution("debian", "12") == "debian 12"
    assert public_distribution("zaphodix", "1") is None
    assert (
        public_library("/opt/rocm-5.2.0/lib/libamdhip64.so.5") == "libamdhip64.so.5 (the system's)"
    )
    assert (
        public_phrases("HIP error: invalid device function, by zaphod") == "invalid device function"
    )
    driver = "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring comp_1.0.1 timeout, process zaphod"
    assert public_phrases(driver) == "amdgpu_job_timedout; ring comp_1.0.1 timeout"
    known = public_setting((("MIOPEN_DEBUG_FIND_ONLY_SOLVER", "ConvBinWinogradRxSf2x3g1"),))
    assert known == (("MIOPEN_DEBUG_FIND_ONLY_SOLVER", "ConvBinWinogradRxSf2x3g1"),)


def plain() -> ResultCard:
    results = [
        made(square(16, 32, 32), cold_s=1.5, warm_s=0.01, max_abs_error=1e-6, tolerance=1e-4),
        made(square(16, 32, 44), Verdict.HUNG, hang_class="spinning kernel", phase="cold"),
        made(square(8, 8, 8), engine="native", memory_bytes=4096, nonfinite=0, process="fork"),
        made(square(1, 1, 1), work="batch-norm", operation="BatchNorm2d", engine="torch"),
    ]
    return make_card(results, WHEN, here(), finished=True)


def test_a_card_comes_back_as_it_went(tmp_path: Path) -> None:
    card = plain()
    path = tmp_path / "card.json"
    path.write_text(card_text(card))
    assert read_card_file(path) == card
    assert card_text(read_card_file(path)) == card_text(card)


def test_the_time_is_told_without_the_place_of_its_clock() -> None:
    local = datetime.fromisoformat("2026-01-02 05:04+02:00")
    assert make_card([made()], local, here(), finished=True).time == "2026-01-02T03:04+00:00"


def test_on_the_processor_no_graphics_card_is_told() -> None:
    card = make_card([made(loaded=Loaded("2.13.0+cpu", None, "cpu"))], WHEN, here(), finished=True)
    assert (card.chip.name, card.chip.gfx) == ("cpu", None)


def test_of_several_cards_none_is_claimed_to_be_the_one() -> None:
    two = Here((gpu(), gpu("gfx1012")), clean_jammy().driver, clean_jammy().system)
    chip = make_card([made()], WHEN, two, finished=True).chip
    assert (chip.gfx, chip.name) == (None, CARD.device)


def test_a_later_version_may_tell_more() -> None:
    form = json.loads(card_text(plain()))
    form["news"] = form["chip"]["news"] = form["results"][0]["news"] = [1]
    assert read_card(json.dumps(form).encode()) == plain()


def changed(path: tuple[str | int, ...], value: Any) -> bytes:
    """The plain card with one value exchanged."""
    form = json.loads(card_text(plain()))
    inside = form
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = value
    return json.dumps(form).encode()


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("schema",), 2, "its schema is 2, but this version reads 1"),
        (("kind",), "x", "a result card from rdna1-setup"),
        (("time",), 5, "the card, time: a text is expected"),
        (("time",), "x\x1b[31m", "the card, time: a text with characters that cannot be displayed"),
        (("finished",), 1, "the card, finished: true or false is expected"),
        (("chip",), [], "the card, chip: an object is expected"),
        (("chip", "name"), "x" * 401, "the card, chip, name: a text of more than 400"),
        (("chip", "vram_bytes"), -1, "the card, chip, vram_bytes: a whole number from 0"),
        (("stack", "libraries"), ["x", 1], "the card, stack, libraries, 2: a text is expected"),
        (("stack", "libraries"), ["x"] * 21, "the card, stack, libraries: more than 20"),
        (("results",), {}, "the card, results: a list is expected"),
        (("results",), [1], "the card, results 1: an object is expected"),
        (("results", 1, "verdict"), "maybe", "the card, results 2, verdict: 'maybe' is not one of"),
        (("results", 0, "runs"), True, "the card, results 1, runs: a whole number from 0"),
        (("results", 0, "runs"), 10**400, "the card, results 1, runs: a whole number from 0"),
        (("results", 0, "cold_s"), -1, "the card, results 1, cold_s: a number from 0"),
        (("results", 0, "cold_s"), 10**400, "the card, results 1, cold_s: a number from 0"),
        (("results", 0, "cold_s"), "1", "the card, results 1, cold_s: a number is expected"),
        (
            ("results", 0, "shape", "groups"),
            3,
            "results 1, shape: 16->32 cannot be divided into 3 groups",
        ),
        (("results", 0, "shape", "dtype"), "int8", "results 1, shape: int8 is not one of"),
        (("results", 0, "shape", "h"), 1.5, "results 1, shape, h: a whole number is expected"),
        (("results", 0, "setting"), {"A": 1}, "results 1, setting, A: a text is expected"),
        (("results", 0, "asked"), {"\x1b": "1"}, "names of asked, 1: a text with characters"),
    ],
)
def test_what_is_wrong_is_named_by_its_place(
    path: tuple[str | int, ...], value: Any, said: str
) -> None:
    with pytest.raises(WrongCard) as caught:
        read_card(changed(path, value))
    assert said in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "not valid JSON"),
        (b"\xff\xfe", "not valid JSON"),
        (b"[]", "an object is expected"),
        (b"{}", "not a result card"),
        (b'{"kind": NaN}', "NaN is not a number"),
        (b"[" * 100_000, "nested too deeply"),
        (b"1" * 5000, "not valid JSON|an object"),
    ],
)
def test_what_is_no_card_at_all_is_refused(raw: bytes, said: str) -> None:
    with pytest.raises(WrongCard, match=said):
        read_card(raw)


def test_a_missing_field_is_named() -> None:
    form = json.loads(card_text(plain()))
    del form["results"][2]["shape"]["kernel"]
    with pytest.raises(WrongCard, match="results 3, shape, kernel: it is missing"):
        read_card(json.dumps(form).encode())


def test_an_endless_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    path.write_bytes(b" " * (LARGEST_FILE + 1))
    with pytest.raises(WrongCard, match="larger than 8 MiB"):
        read_card_file(path)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=5,
)
PLACES = st.sampled_from(
    [
        ("chip",),
        ("stack",),
        ("results",),
        ("results", 0),
        ("results", 0, "shape"),
        ("results", 0, "setting"),
        ("results", 1, "verdict"),
        ("results", 2, "shape", "n"),
        ("stack", "libraries"),
    ]
)


@given(PLACES, JSON)
def test_no_value_at_any_place_does_more_than_be_refused(
    path: tuple[str | int, ...], value: Any
) -> None:
    refusal = ""
    try:
        card = read_card(changed(path, value))
        assert read_card(card_text(card).encode()) == card
    except WrongCard as error:
        refusal = str(error)
    assert refusal.isprintable()
