"""Choose, ``plan``, ``diagnose`` and ``explain`` name the same for a machine and a purpose."""

from __future__ import annotations

import contextlib
import io
import json
import re
from pathlib import Path

import pytest

from screens.choose.card import choosing_at
from screens.session import Session
from screens.start import services_for
from tests.conftest import Golden
from tests.machine.records import MACHINES, NAMES, seen
from tests.screens.collaborators import but
from tests.screens.fakes import LIVE_SERVICES
from wizard.__main__ import main
from wizard.advice.card import chosen_card, target_of
from wizard.advice.recommend import Recommendation, name_for_target, recommend
from wizard.cli.options import parser
from wizard.knowledge.applications import load_applications
from wizard.knowledge.causes import load_causes
from wizard.knowledge.claims import load_purposes
from wizard.knowledge.stacks import load_stacks

APPLICATIONS = [application.id for application in load_applications()]
PURPOSES = {
    purpose.title: next(a.id for a in load_applications() if a.purpose == purpose.id)
    for purpose in load_purposes()
}
"""Each purpose by an application of it."""
KNOWLEDGE = services_for(parser().parse_args(["--dry-run"])).knowledge
SERVICES = but(
    LIVE_SERVICES,
    recommend=KNOWLEDGE.recommend,
    stacks=KNOWLEDGE.stacks,
    claims=KNOWLEDGE.claims,
    applications=KNOWLEDGE.applications,
)


def said(*words: str) -> str:
    """What a command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.suppress(SystemExit):
        main([*words])
    return out.getvalue()


@pytest.mark.parametrize("application", PURPOSES.values(), ids=PURPOSES)
@pytest.mark.parametrize("name", NAMES)
def test_all_four_name_the_same(name: str, application: str, tmp_path: Path) -> None:
    found = recommend(seen(name), (application,))
    folder = ("--machine", str(MACHINES / name), "--app", application)

    planned = json.loads(said("plan", "--json", *folder))
    assert planned["stack"] == found.stack
    assert planned["advice"]["recommended"] == found.name
    assert json.loads(said("diagnose", "--json", *folder))["recommended"] == found.name
    session = Session(machine=seen(name), applications=(application,))
    assert choosing_at(session, SERVICES).stack.id == found.stack
    if (gfx := target_of(chosen_card(seen(name)))) and unhindered(found):
        text = tmp_path / "lspci.txt"
        text.write_text(f"Name:                    {gfx}\n", "utf-8")
        told = said("explain", str(text), "--app", application)
        assert re.search(rf": {re.escape(found.name)} \(", told), told


def unhindered(found: Recommendation) -> bool:
    """True where this machine rules no stack out and holds none."""
    return all(fit.possible and not fit.there for fit in found.fits)


@pytest.mark.parametrize("application", APPLICATIONS)
@pytest.mark.parametrize("name", NAMES)
def test_a_machine_that_rules_nothing_out_gets_what_the_verdicts_alone_say(
    name: str, application: str
) -> None:
    found = recommend(seen(name), (application,))
    needs = [need for fit in found.fits for answer in fit.answers for need in answer.needs]
    memory = any("its makers" in need for need in needs)
    gfx = target_of(chosen_card(seen(name)))
    if gfx and unhindered(found) and not memory:
        assert name_for_target(gfx, (application,)) == found.name


def test_no_fix_of_a_finding_sends_its_reader_to_another_stack() -> None:
    """It names what a stack needs, and leaves to ``plan`` which one to take."""
    stacks = "|".join(stack.id for stack in load_stacks())
    sent = re.compile(rf"\b(use|try|take|install) (the |a |another )?(stack )?({stacks})\b", re.I)
    wrong = [step for cause in load_causes().values() for step in cause.fix if sent.search(step)]
    assert wrong == []


def test_what_each_recorded_machine_is_recommended_is_as_reviewed(golden: Golden) -> None:
    lines = []
    for name in NAMES:
        lines += ["", f"== {name}"]
        for purpose, application in PURPOSES.items():
            found = recommend(seen(name), (application,))
            word = found.fits[0].answers[0].word.value
            stack = f"{found.stack}: {word}" if found.fits[0].possible else "no stack is possible"
            outside = f"{found.name}, else " if found.program else ""
            lines.append(f"{purpose:<28}{outside}{stack}")
    golden.check("recommendations.txt", "\n".join([*lines[1:], ""]))
