"""The test of a card on a real GPU: one that is no RDNA1 card is refused; every part works.

An NVIDIA card serves: ``torch.cuda`` is the interface that ROCm builds of torch use too. Its result
card is written into the folder of the test alone, and is none that could come in.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.commands.test_card_test import ROWS, SAFE, USUAL, Owner
from tests.e2e.test_conv2d_gpu import SPINNING, python
from tests.knowledge.test_results import faults_of
from wizard.cli import card_test as command
from wizard.conv2d import card_test
from wizard.conv2d.cards.comparison import compare_runs
from wizard.conv2d.shapes import DEFAULT, find_preset
from wizard.conv2d.verdicts import Verdict
from wizard.report.conv2d_runs import card_lines

pytestmark = pytest.mark.e2e
__all__ = ["python"]
SPINS_AT = 64
HANGS = "9"


@pytest.fixture
def owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Owner:
    """Somebody whose machine was recorded, and whose GPU is the one here."""
    return Owner(tmp_path, monkeypatch)


def test_a_card_of_another_maker_is_refused_and_nothing_is_written(
    owner: Owner, python: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code = owner.start("--python", python, *SAFE[:2], machine=USUAL, rows=ROWS)
    told = capsys.readouterr().err
    print(told)
    assert code == 2
    assert "instead of your Radeon RX 5600 XT, so no result was written" in " ".join(told.split())
    assert owner.folders == []


def test_every_part_runs_on_a_real_gpu_whose_kernels_spin(
    owner: Owner,
    python: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for module in (card_test, command):
        monkeypatch.setattr(module, "other_device", lambda _: "")
    (owner.home / "sitecustomize.py").write_text(SPINNING)
    monkeypatch.setenv("PYTHONPATH", f"{owner.home}:{os.environ.get('PYTHONPATH', '')}")
    monkeypatch.setenv("SPIN_AT", str(SPINS_AT))
    table = find_preset(DEFAULT)
    assert table is not None
    words = ("--python", python, *SAFE[:2], "--deadline", "6", "--hangs", HANGS)
    code = owner.start(*words, machine=USUAL, rows=table.rows)
    told = capsys.readouterr()
    print(told.out, told.err)
    assert code == 1
    card = owner.card
    found = {(each.shape.h, each.verdict) for each in card.results}
    assert (SPINS_AT, Verdict.HUNG) in found
    assert {verdict for size, verdict in found if size != SPINS_AT} == {Verdict.PASS}
    assert "exact limit" in told.err
    assert "NVIDIA" in "\n".join(card_lines(card, "gfx1010"))
    (folder,) = owner.folders
    faults = faults_of(folder / "result-card.json")
    assert "card: not an RDNA1 card" in faults
    assert all(change.before == change.after for change in compare_runs(card, card).changes)
