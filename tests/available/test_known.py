"""What is known without asking: whom to ask, by whose word, and when it was last there."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.available.asked import WHEN
from tests.handmade import noble_with_leftovers
from wizard.available.answers import Answer, Entry, Standing
from wizard.available.kept import FILE, keep, read_kept
from wizard.available.questions import Named, Question, Suites, Wheels, key_of, shown_place
from wizard.available.session import Known, ask_all, known
from wizard.knowledge.releases import load_catalogue
from wizard.knowledge.stacks import load_stacks
from wizard.machine.detect import detect
from wizard.machine.recorded import RecordedHost
from wizard.report.available import available_lines

MACHINES = Path(__file__).parents[1] / "machines"
MACHINE = detect(RecordedHost(MACHINES / "rx5500xt-bookworm-distro"))
GOOD = Answer(Standing.THERE, "torch-1.whl.", WHEN)


def asked(named: Named = Named(), state: Path | None = None) -> tuple[Entry, ...]:  # noqa: B008
    return known(MACHINE, named, state).entries


def wheels(named: Named) -> list[Wheels]:
    return [e.question for e in asked(named) if isinstance(e.question, Wheels)]


def test_every_stack_and_every_release_is_asked_for() -> None:
    names = [entry.question.name for entry in asked()]
    stacks = [stack.id for stack in load_stacks()]
    releases = [f"ROCm {release}" for release in load_catalogue().releases]
    assert [name for name in names if "(" not in name] == [*stacks, *releases]
    assert [name for name in names if "(" in name] == ["native (2)", "native (3)"]
    assert all(entry.question.shipped for entry in asked())


def test_the_wheels_of_the_cards_own_target_are_asked_for() -> None:
    native = next(each for each in wheels(Named()) if each.stack == "native")
    assert native.requirements[0] == "torch[device-gfx1012]"
    assert {each.stack for each in wheels(Named()) if not each.labelled} == {"cpu"}


def test_a_named_index_takes_the_place_of_all_and_of_its_date() -> None:
    mirror = "https://mirror.example/whl"
    assert {each.place for each in wheels(Named(torch_index=mirror))} == {mirror}
    assert {each.place for each in wheels(Named(torch_index="pip"))} == {""}
    assert "named" in wheels(Named(torch_index=mirror))[0].shipped


def test_a_folder_of_wheels_goes_before_an_index() -> None:
    found = wheels(Named(torch_index="https://mirror.example/whl", wheelhouse="/usb"))
    assert {(each.place, each.in_folder) for each in found} == {("/usb", True)}


def test_a_named_repository_is_asked_in_place_of_amds() -> None:
    found = [e.question for e in asked(Named(rocm_repo="https://mirror.example/rocm"))]
    places = [each.place for each in found if isinstance(each, Suites)]
    assert places[0] == "https://mirror.example/rocm/5.2"


def test_one_stack_may_be_asked_for_alone() -> None:
    names = {entry.question.name for entry in known(MACHINE, Named(), None, "native").entries}
    assert names == {"native", "native (2)", "native (3)"}


def test_no_login_is_shown_or_kept(tmp_path: Path) -> None:
    secret = "https://me:geheim@mirror.example/whl?token=geheim"
    entry = asked(Named(torch_index=secret))[0]
    assert shown_place(entry.question) == "https://***@mirror.example/whl"
    keep(tmp_path, (replace(entry, now=GOOD),))
    told = "\n".join(available_lines(Known((replace(entry, now=GOOD),))))
    assert "geheim" not in (tmp_path / FILE).read_text() + told + key_of(entry.question)


def test_the_last_good_answer_is_there_the_next_time_and_a_bad_one_does_not_take_its_place(
    tmp_path: Path,
) -> None:
    first, *_ = asked()
    assert keep(tmp_path, (replace(first, now=GOOD),)) == ""
    bad = Answer(Standing.NO_NETWORK, "no network", "2026-12-01T10:00+00:00")
    assert keep(tmp_path, (replace(first, now=bad),)) == ""
    assert asked(state=tmp_path)[0].good == GOOD
    assert (tmp_path / FILE).stat().st_mode & 0o777 == 0o600


def test_an_answer_for_another_python_or_place_is_not_taken_for_this_one(tmp_path: Path) -> None:
    first, *_ = asked()
    assert isinstance(first.question, Wheels)
    keep(tmp_path, (replace(first, now=GOOD),))
    others = (
        replace(first.question, python="3.9"),
        replace(first.question, place="https://mirror.example/whl"),
    )
    assert not {key_of(each) for each in others} & set(read_kept(tmp_path).good)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"schema": 99, "good": {}}',
        '{"schema": 1, "good": []}',
        "[" * 100_000,
        "\x00\xff",
    ],
)
def test_a_damaged_file_is_not_used_and_said_so_and_gives_way(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE).write_text(content, "latin-1")
    found = known(MACHINE, Named(), tmp_path)
    assert FILE in found.trouble
    assert all(entry.good is None for entry in found.entries)
    assert "is not used" in "\n".join(available_lines(found))
    assert keep(tmp_path, (replace(found.entries[0], now=GOOD),)) == ""
    assert known(MACHINE, Named(), tmp_path).trouble == ""


def test_rows_that_are_damaged_are_left_out(tmp_path: Path) -> None:
    rows = {"a": {"when": 1, "detail": "x"}, "b": 7, "c": {"when": WHEN, "detail": "\x1b[31mx"}}
    (tmp_path / FILE).write_text(json.dumps({"schema": 1, "good": rows}))
    assert read_kept(tmp_path).good == {"c": Answer(Standing.THERE, "x", WHEN)}


def test_a_file_of_somebody_else_or_a_link_is_not_read(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_text('{"schema": 1, "good": {}}')
    (tmp_path / FILE).symlink_to(real)
    assert "is not used: it is a link" in read_kept(tmp_path).trouble
    (tmp_path / FILE).unlink()
    os.mkfifo(tmp_path / FILE)
    assert "is not used" in read_kept(tmp_path).trouble


def test_what_cannot_be_kept_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "could not be kept" in keep(tmp_path / "file", (replace(asked()[0], now=GOOD),))


def test_answers_come_in_one_by_one_and_good_ones_are_kept_at_once(tmp_path: Path) -> None:
    before = known(MACHINE, Named(), tmp_path)

    async def answering(
        questions: tuple[Question, ...], *rest: object
    ) -> AsyncGenerator[tuple[Question, Answer], None]:
        yield questions[1], GOOD
        assert list(read_kept(tmp_path).good) == [key_of(before.entries[1].question)]
        yield questions[0], Answer(Standing.SLOW, "late", WHEN)

    async def told() -> list[Known]:
        return [each async for each in ask_all(before, {}, tmp_path, asking=answering)]

    first, last = asyncio.run(told())
    assert (first.entries[0].now, first.entries[1].good) == (None, GOOD)
    assert last.entries[0].now is not None
    assert last.entries[1].good == GOOD


def test_no_line_is_wider_than_plain_text_may_be() -> None:
    long = Answer(Standing.REFUSED, "x " * 300, WHEN)
    entries = tuple(replace(each, now=long, good=GOOD) for each in asked())
    lines = list(available_lines(Known(entries, "trouble " * 40)))
    assert max(map(len, lines)) <= 79
    assert any("there on 2026-11-22 13:00: torch-1.whl." in line for line in lines)


def test_the_table_tells_now_and_since_when() -> None:
    bad = Answer(Standing.NO_NETWORK, "no network", WHEN)
    first, second, *_ = asked()
    known_now = Known((replace(first, now=bad, good=GOOD), second))
    rows = list(available_lines(known_now, asking=True))[1:3]
    assert rows == [
        "rocm52      no connection               2026-11-22 13:00",
        "rocm57      asking ...                  never seen by this program",
    ]


@pytest.mark.parametrize("name", sorted(path.name for path in MACHINES.iterdir()))
def test_every_recorded_machine_has_its_questions(name: str) -> None:
    found = known(detect(RecordedHost(MACHINES / name)), Named(), None)
    assert {"rocm52", "native", "cpu"} <= {each.question.name for each in found.entries}
    assert len({key_of(each.question) for each in found.entries}) == len(found.entries)
    assert max(map(len, available_lines(found))) <= 79


def test_a_machine_without_a_python_that_fits_is_asked_for_the_best_one() -> None:
    machine = replace(noble_with_leftovers(), interpreters=(), gpus=())
    first = known(machine, Named(), None).entries[0].question
    assert isinstance(first, Wheels)
    assert first.python == "3.10"
