"""Results that came in: each is whole, names nobody, is of an RDNA1 card, and was reviewed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date, datetime, timezone
from pathlib import Path
from typing import Any

import pytest
from packaging.version import Version

from tests.conv2d.made import CARD, made
from tests.handmade import clean_jammy
from wizard import __version__
from wizard.advice.comparison import everything
from wizard.conv2d.cards.make_card import (
    Here,
    make_card,
    public_distribution,
    public_gfx,
    public_kernel,
    public_name,
    public_result,
    public_version,
)
from wizard.conv2d.cards.received import (
    GRADE,
    LARGE_ASPECT,
    RESULTS,
    SMALL_ASPECT,
    Received,
    load_received,
    read_received,
    results_on,
    stack_of,
)
from wizard.conv2d.cards.result_card import ResultCard, WrongCard, card_text, read_card
from wizard.conv2d.shapes import square
from wizard.conv2d.verdicts import RIGHT, Result, Verdict
from wizard.core.amounts import today
from wizard.knowledge import claims
from wizard.knowledge.cards import AMD, gfx_of_name, is_rdna1, look_up
from wizard.knowledge.claims import PROMISING, Word, load_claims, load_verdicts
from wizard.knowledge.stacks import find_stack, load_stacks
from wizard.report.explanations import CAME_IN, came_in_lines
from wizard.report.stacks import evidence_lines

NAME = re.compile(r"20\d\d-\d\d-\d\d-[a-z0-9]+(?:-[a-z0-9.]+)*\.json")
LIBRARY = re.compile(
    r"lib(?:amdhip64|MIOpen|hsa-runtime64|rocblas)(?:\.so(?:\.\d+)*)?"
    r" \((?:torch's own|the system's|another's)\)|\(not told\)"
)
DRIVER = re.compile(r"(?:in-tree|dkms|amdgpu)(?: \d[\w.]*)?")
MEMORY = range(2 << 30, (16 << 30) + 1)
"""From the smallest RX 5300M to the largest Pro W5700X."""
LONGEST_S = 700.0
"""No launch is waited for any longer."""
CHOOSES = ("MIOPEN_DEBUG_", "MIOPEN_FIND_")
"""How variables begin that choose among MIOpen's algorithms."""
FAILED = (Verdict.HUNG, Verdict.CRASHED, Verdict.WRONG, Verdict.FLAKY)
TOPIC_OF = {LARGE_ASPECT: "conv2d", SMALL_ASPECT: "small conv2d"}
"""The topic of claims that the results on an aspect bear on."""


def faults_of(path: Path) -> list[str]:
    """Why a file may not lie among the results; nothing for one that may."""
    raw = path.read_bytes()
    try:
        card = read_card(raw)
    except WrongCard as error:
        return [f"form: {error}"]
    return [
        *(["name: YYYY-MM-DD-WORDS.json"] if not NAME.fullmatch(path.name) else []),
        # Whatever else stands in the file, this program has not written.
        *(["form: not as this program wrote it"] if card_text(card).encode() != raw else []),
        *_of_card(card),
        *_telling(card),
        *_implausible(card),
        *_of_version(card, path.name[:10]),
    ]


def _of_card(card: ResultCard) -> Iterator[str]:
    chip = card.chip
    vendor, _, device = (chip.pci_id or "").partition(":")
    gfx = chip.gfx or gfx_of_name(chip.name or "") or ""
    if not is_rdna1(gfx):
        yield "card: not an RDNA1 card"
    if chip.pci_id and (vendor != AMD or not re.fullmatch("[0-9a-f]{4}", device)):
        yield "card: no id of AMD's"
    elif chip.pci_id and (known := look_up(chip.pci_id, "").gfx) and not is_rdna1(known):
        yield "card: another card has this id"
    if chip.vram_bytes is not None and chip.vram_bytes not in MEMORY:
        yield "card: no RDNA1 card has so much memory"
    if any(each.on_processor or not each.loaded.hip for each in card.results if each.loaded.torch):
        yield "card: measured on a processor, or not through ROCm"


def _telling(card: ResultCard) -> Iterator[str]:
    """Texts that this program would not have told of a machine: they may name somebody."""
    stack, chip = card.stack, card.chip
    name, _, release = (stack.distribution or "").partition(" ")
    texts = {
        "chip": (chip.name, public_name(chip.name)),
        "gfx": (chip.gfx, public_gfx(chip.gfx)),
        "torch": (stack.torch, public_version(stack.torch)),
        "hip": (stack.hip, public_version(stack.hip)),
        "kernel": (stack.kernel, public_kernel(stack.kernel or "")),
        "glibc": (stack.glibc, public_version(stack.glibc)),
        "distribution": (stack.distribution, public_distribution(name, release)),
    }
    yield from (f"telling: {what}" for what, (text, told) in texts.items() if text != told)
    if stack.driver is not None and not DRIVER.fullmatch(stack.driver):
        yield "telling: driver"
    if not all(map(LIBRARY.fullmatch, stack.libraries)):
        yield "telling: libraries"
    for number, result in enumerate(card.results, 1):
        if public_result(result) != result:
            yield f"telling: result {number}"


def _implausible(card: ResultCard) -> Iterator[str]:
    if not card.results:
        yield "numbers: no results"
    if not re.match(r"[12]\.\d+", card.stack.torch or ""):
        yield "numbers: no released torch"
    for number, result in enumerate(card.results, 1):
        if problem := _problem(result):
            yield f"numbers: result {number}, {problem}"


def _problem(result: Result) -> str:
    times = [each for each in (result.cold_s, result.warm_s) if each is not None]
    error, allowed = result.max_abs_error, result.tolerance
    if result.runs < 1 or any(not 0 < each <= LONGEST_S for each in times):
        return "its times"
    if result.verdict in RIGHT and (len(times) < 2 or error is None or allowed is None):
        return "right without figures"
    if result.verdict in RIGHT and error is not None and allowed is not None and error > allowed:
        return "right with a wrong number"
    return "it hung and was timed" if result.verdict is Verdict.HUNG and result.warm_s else ""


def _of_version(card: ResultCard, came_in: str) -> Iterator[str]:
    if not re.fullmatch(r"\d+\.\d+\.\d+", card.version) or Version(card.version) > Version(
        __version__
    ):
        yield "version: none of this program's"
    try:
        measured = datetime.fromisoformat(card.time).astimezone().date()
        if not date(2026, 11, 1) <= measured <= date.fromisoformat(came_in) <= today():
            yield "time: measured before it came in, and neither in the future"
    except ValueError:
        yield "time: no ISO date"


def contradicted(rows: Iterable[claims.Verdict], received: Iterable[Received]) -> list[str]:
    """Verdicts that were reviewed before a result came in that speaks against them.

    A convolution that fails speaks against a promise on every question that claims on such
    convolutions bear on. Where all of them are right, that speaks against a bad word, and against
    "not tried", on these convolutions themselves: a whole program needs more than they. What was
    measured under variables that the stack does not set says nothing of the stack.
    """
    found = [
        f"{row.about} {row.stack} {row.gfx}".strip() + f": {row.word.value}, {each.name}"
        for row in rows
        for each in received
        if row.stack == each.stack and row.reviewed < each.date and row.gfx in ("", _gfx(each))
        for aspect, topic in TOPIC_OF.items()
        if _speaks_against(row, aspect, topic, _as_installed(each, aspect))
    ]
    return list(dict.fromkeys(found))


def _as_installed(received: Received, aspect: str) -> tuple[Result, ...]:
    stack = find_stack(received.stack)
    own = () if stack is None else (name for name, _ in stack.environment)
    chosen = {name for name in own if name.startswith(CHOOSES)}
    return tuple(
        result
        for result in results_on(received, aspect)
        if {n for n, _ in result.loaded.setting if n.startswith(CHOOSES)} <= chosen
    )


def _gfx(received: Received) -> str:
    chip = received.card.chip
    return chip.gfx or gfx_of_name(chip.name or "") or ""


def _speaks_against(
    row: claims.Verdict, aspect: str, topic: str, results: tuple[Result, ...]
) -> bool:
    questions = (*claims.load_purposes(), *claims.load_aspects())
    topics = next(question.topics for question in questions if question.id == row.about)
    if row.word in PROMISING:
        return topic in topics and any(each.verdict in FAILED for each in results)
    is_bad = row.word in (Word.UNLIKELY, Word.NO, Word.NOT_TRIED)
    right = [each for each in results if each.verdict in RIGHT]
    return row.about == aspect and is_bad and 0 < len(right) == len(results)


def test_every_result_that_came_in_may_lie_there() -> None:
    files = [path for path in RESULTS.iterdir() if path.name != "README.md"]
    assert {path.name: found for path in files if (found := faults_of(path))} == {}


def test_every_verdict_was_reviewed_after_the_results_that_contradict_it() -> None:
    late = contradicted(load_verdicts(), load_received())
    assert late == [], "review each, and set its date: " + "; ".join(late)


# What the two above would say of results that did come in.


def good(**fields: Any) -> ResultCard:
    machine = clean_jammy()
    here = Here(machine.gpus, machine.driver, machine.system)
    results = (
        made(square(16, 32, 32), cold_s=0.5, warm_s=0.01, max_abs_error=1e-6, tolerance=1e-5),
        made(square(16, 32, 64), Verdict.HUNG, hang_class="spinning kernel"),
    )
    when = datetime.now(timezone.utc)
    return replace(make_card(results, when, here, finished=True), **fields)


def in_file(folder: Path, text: str, name: str = "") -> Path:
    path = folder / (name or f"{today()}-rx5700xt-rocm57.json")
    path.write_text(text, "utf-8")
    return path


def test_what_the_program_wrote_may_lie_there(tmp_path: Path) -> None:
    assert faults_of(in_file(tmp_path, card_text(good()))) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda form: form.update(kind="a list"), "form: "),
        (lambda form: form.update(hostname="blackbox"), "form: not as this program wrote it"),
        (lambda form: form["results"][0].update(verdict="great"), "form: "),
        (lambda form: form["chip"].update(gfx="gfx1030"), "card: not an RDNA1 card"),
        (lambda form: form["chip"].update(pci_id="1002:73bf"), "card: another card has this id"),
        (lambda form: form["chip"].update(pci_id="10de:2684"), "card: no id of AMD's"),
        (lambda form: form["chip"].update(vram_bytes=24 << 30), "card: no RDNA1 card has so much"),
        (lambda form: form["results"][0].update(hip=None), "card: measured on a processor"),
        (lambda form: form["results"][0].update(device="cpu"), "card: measured on a processor"),
        (lambda form: form["results"][1].update(detail="in /home/ann/x"), "telling: result 2"),
        (lambda form: form["results"][1].update(because="serial 4C530001"), "telling: result 2"),
        (lambda form: form["results"][0]["setting"].update(HSA_X="/home/ann"), "telling: result 1"),
        (lambda form: form["stack"].update(kernel="6.8.0-ann-laptop"), "telling: kernel"),
        (lambda form: form["stack"].update(libraries=["/home/ann/libMIOpen.so"]), "telling: lib"),
        (lambda form: form["stack"].update(distribution="ann's linux"), "telling: distribution"),
        (lambda form: form["stack"].update(driver="amdgpu by Ann@box"), "telling: driver"),
        (lambda form: form["stack"].update(torch="0.0"), "numbers: no released torch"),
        (lambda form: form["results"][0].update(warm_s=0), "numbers: result 1, its times"),
        (lambda form: form["results"][0].update(cold_s=9e9), "numbers: result 1, its times"),
        (lambda form: form["results"][0].update(max_abs_error=3.0), "right with a wrong number"),
        (lambda form: form["results"][0].update(max_abs_error=None), "right without figures"),
        (lambda form: form["results"][1].update(warm_s=0.1), "it hung and was timed"),
        (lambda form: form.update(results=[]), "numbers: no results"),
        (lambda form: form.update(version="99.0.0"), "version: "),
        (lambda form: form.update(version="mine"), "version: "),
        (lambda form: form.update(time="2999-01-01T00:00+00:00"), "time: "),
        (lambda form: form.update(time="yesterday"), "time: no ISO date"),
    ],
)
def test_what_is_wrong_with_a_result_is_named(tmp_path: Path, change: Any, said: str) -> None:
    form = json.loads(card_text(good()))
    change(form)
    found = faults_of(in_file(tmp_path, json.dumps(form, indent=1) + "\n"))
    assert [each for each in found if said in each] != [], found


def test_what_is_no_card_at_all_and_what_bears_another_name_is_refused(tmp_path: Path) -> None:
    assert faults_of(in_file(tmp_path, "{"))[0].startswith("form: it is not valid JSON")
    (name, *_) = faults_of(in_file(tmp_path, card_text(good()), "My Card.json"))
    assert name.startswith("name: ")


def received(day: str, *results: Result, torch: str = "2.2.2+rocm5.7") -> Received:
    card = good(results=results)
    return Received(f"{day}-x.json", replace(card, stack=replace(card.stack, torch=torch)))


def row(about: str, word: Word, gfx: str = "", stack: str = "rocm57") -> claims.Verdict:
    return claims.Verdict(about, stack, word, "", (), "2027-01-02", gfx=gfx)


GEMM_ALONE = (("MIOPEN_DEBUG_CONV_WINOGRAD", "0"),)
HANGS, PASSES = made(square(16, 32, 64), Verdict.HUNG), made(square(16, 32, 64))


def test_a_hang_speaks_against_every_promise_that_rests_on_such_convolutions() -> None:
    rows = [row(about, Word.LIKELY) for about in (LARGE_ASPECT, SMALL_ASPECT, "yolo", "chat")]
    assert contradicted(rows, [received("2027-01-03", HANGS, PASSES)]) == [
        "large-conv2d rocm57: likely, 2027-01-03-x.json",
        "yolo rocm57: likely, 2027-01-03-x.json",
    ]


def test_what_is_all_right_speaks_against_a_bad_word_on_convolutions_alone() -> None:
    rows = [row(LARGE_ASPECT, Word.NO), row(LARGE_ASPECT, Word.NOT_TRIED), row("yolo", Word.NO)]
    assert contradicted(rows, [received("2027-01-03", PASSES)]) == [
        "large-conv2d rocm57: no, 2027-01-03-x.json",
        "large-conv2d rocm57: not tried, 2027-01-03-x.json",
    ]
    assert contradicted(rows, [received("2027-01-03", PASSES, HANGS)]) == []


@pytest.mark.parametrize(
    ("verdict", "result"),
    [
        (row(LARGE_ASPECT, Word.LIKELY), received("2027-01-02", HANGS)),
        (row(LARGE_ASPECT, Word.DISPUTED), received("2027-01-03", HANGS)),
        (row(LARGE_ASPECT, Word.LIKELY, "gfx1012"), received("2027-01-03", HANGS)),
        (row(LARGE_ASPECT, Word.LIKELY, stack="rocm52"), received("2027-01-03", HANGS)),
        (
            row(LARGE_ASPECT, Word.LIKELY),
            received("2027-01-03", replace(HANGS, asked=GEMM_ALONE)),
        ),
        (
            row(LARGE_ASPECT, Word.LIKELY),
            received("2027-01-03", replace(HANGS, loaded=replace(CARD, setting=GEMM_ALONE))),
        ),
    ],
    ids=["reviewed since", "disputed", "another chip", "another stack", "asked", "in its shell"],
)
def test_what_does_not_contradict_a_verdict_asks_for_no_review(
    verdict: claims.Verdict, result: Received
) -> None:
    assert contradicted([verdict], [result]) == []


def test_a_torch_belongs_to_the_stack_that_installs_it() -> None:
    stacks = {"2.2.2+rocm5.7": "rocm57", "2.12.0+rocm10.1.0": "native", "2.4.0+rocm6.1": ""}
    assert {torch: stack_of(torch) for torch in stacks} == stacks


def test_results_stand_above_all_that_was_only_said() -> None:
    aspect = everything(next(stack for stack in load_stacks() if stack.id == "rocm57"))
    came_in = (received("2027-01-03", HANGS, PASSES),)
    lines = list(evidence_lines(aspect, load_claims(), today(), received=came_in))
    heads = [line for line in lines if re.match(r"[A-Z ]+: \d", line)]
    assert heads[0] == "MEASURED WITH THIS PROGRAM: 1"
    assert [head.split(":")[0] for head in heads[1:3]] == ["FOR IT", "AGAINST IT"]
    without = list(evidence_lines(aspect, load_claims(), today()))
    assert not any(line.startswith("MEASURED") for line in without)


def test_a_result_is_told_with_its_grade_its_card_and_its_file(tmp_path: Path) -> None:
    path = in_file(tmp_path, card_text(good()))
    lines = list(came_in_lines(read_received(tmp_path)))
    text = " ".join(" ".join(lines).split())
    assert lines[0] == CAME_IN
    assert "2 shapes: 1 right, 0 wrong, 1 hung" in text
    assert GRADE in text
    assert f"assets/results/{path.name}" in text
