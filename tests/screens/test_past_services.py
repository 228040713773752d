"""The real roads to runs that are over, over runs that lie on disk."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from screens.start import services_for
from tests.commands.running import MACHINE
from tests.conv2d.made import made
from tests.conv2d.planting_runs import plant
from tests.conv2d.test_files_command import HUNG, PASS, RIGHT
from tests.run.places import places_below
from wizard.__main__ import main
from wizard.cli.options import parser
from wizard.conv2d.runs.folders import KeptRuns
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import Sweep
from wizard.conv2d.verdicts import Verdict
from wizard.core.own_files import Places
from wizard.core.trouble import Trouble
from wizard.services.experiments import Past


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    for name in [name for name in os.environ if name.startswith("XDG_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    return places_below(tmp_path)


def past_of(*options: str) -> Past:
    return services_for(parser().parse_args(options)).past


def tree(folder: str) -> list[Path]:
    return sorted(Path(folder).rglob("*"))


def test_a_run_is_compared_with_the_one_before_of_the_same_rows(places: Places) -> None:
    first = plant(places, 0, PASS, RIGHT)
    plant(places, 1, made(verdict=Verdict.WRONG))
    last = plant(places, 2, PASS, HUNG)
    past = past_of()
    assert past.kept().runs[0] == last
    text = "\n".join(past.compare(last, None))
    assert "* 16->32 3x3 @44x44  pass  hung" in text
    assert text == "\n".join(past.compare(first, last))
    with pytest.raises(Trouble, match="No run before 2026-01-02 03:04"):
        past.compare(first, None)


def test_a_run_without_results_makes_no_card_and_no_comparison(places: Places) -> None:
    full = plant(places, 0, PASS)
    empty = plant(places, 1, request=Sweep("/v/bin/python", (Row(PASS.shape),)))
    past = past_of()
    with pytest.raises(Trouble, match="has no result"):
        past.card(empty)
    for other in (full, None):
        with pytest.raises(Trouble, match="has no result"):
            past.compare(empty, other)


def test_a_card_goes_out_and_comes_in_as_with_the_command(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    run = plant(places, 0, PASS, HUNG)
    past = past_of()
    draft = past.card(run)
    assert draft.path == f"{places.home}/conv2d-{run.id}.json"
    assert "2 results. Your name" in draft.about[0]
    assert past.write is not None
    path = past.write("~/mine.json", draft.text, False)
    assert path == f"{places.home}/mine.json"
    assert past.is_there("mine.json")
    with pytest.raises(Trouble, match="was not written: File exists"):
        past.write("mine.json", "other", False)
    assert main(["conv2d", "--export", "theirs.json", "--run", run.id]) == 0
    assert Path(places.home, "theirs.json").read_text() == draft.text
    capsys.readouterr()

    lines = "\n".join(past.take_in("mine.json", run))
    assert "None of 2 shapes measured in both has a different verdict." in lines


def test_a_card_of_another_chip_is_labelled(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = plant(places, 0, PASS, HUNG)
    past = past_of()
    form = json.loads(past.card(run).text)
    form["chip"] |= {"gfx": "gfx1012"}
    path = Path(places.home, "theirs.json")
    path.write_text(json.dumps(form))
    monkeypatch.setattr("wizard.conv2d.cards.make_card.Here.gfx", "gfx1010")
    assert "not your chip" in "\n".join(past.take_in(str(path), run))


@pytest.mark.parametrize(
    ("content", "said"),
    [(b"[]", "is not a readable"), (b"\xff", "it is not valid JSON"), (None, "is not a file")],
)
def test_what_is_no_card_is_told_in_three_parts(
    places: Places, content: bytes | None, said: str
) -> None:
    path = Path(places.home, "bad.json")
    if content is None:
        os.mkfifo(path)  # to wait for somebody to write into it would be for ever
    else:
        path.write_bytes(content)
    with pytest.raises(Trouble, match=said) as raised:
        past_of().take_in("bad.json", None)
    assert raised.value.meaning
    assert raised.value.next_step


def test_a_dry_run_reads_and_leaves_everything_as_it_is(
    places: Places, capsys: pytest.CaptureFixture[str]
) -> None:
    run = plant(places, 0, PASS, HUNG)
    draft = past_of().card(run)
    Path(places.home, "card.json").write_text(draft.text)
    before = tree(places.home)
    past = past_of("--dry-run")
    with pytest.raises(ValueError, match="a dry run writes nothing"):
        past.write("card.json", "{}", True)
    assert past.take_in("card.json", run)
    assert past.whole(run)
    assert past.status(run).run == run
    assert tree(places.home) == before
    # The line that is shown in place of the file writes that file.
    assert main(draft.line.split()[1:]) == 0
    assert Path(draft.path).read_text() == draft.text
    script = past.script(run, 1)
    assert main(script.line.split()[1:]) == 0
    assert Path(script.path).read_text() == script.text
    capsys.readouterr()


def test_a_script_for_what_has_none_is_told(places: Places) -> None:
    run = plant(places, 0, made(work="train"))
    with pytest.raises(Trouble, match="for a forward convolution, not") as raised:
        past_of().script(run, 0)
    assert "Choose a result for a forward convolution." in raised.value.next_step


@pytest.mark.parametrize("options", [("--demo",), ("--machine", MACHINE)])
def test_a_recorded_machine_has_no_runs(places: Places, options: tuple[str, ...]) -> None:
    past = past_of(*options)
    assert not past.is_here
    assert past.kept() == KeptRuns()
