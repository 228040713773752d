"""Two plans for one folder: how they were asked for, in the words of the command line."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.apt.asked import EXPIRED, EXPIRED_FINGERPRINT, VALID, VALID_FINGERPRINT
from tests.handmade import clean_jammy, python
from tests.plan.system_machines import offer
from tests.run.places import places_below
from wizard.apt.sources import KEYRING, SOURCE
from wizard.core.journal import Record
from wizard.core.trouble import Trouble
from wizard.plan.choice import Choice
from wizard.plan.leftover_files import FilesNow
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan
from wizard.plan.system import Prepared
from wizard.run.journal import Journal
from wizard.run.obstacles import run_to_resume
from wizard.run.runs import read_records

MACHINE = replace(clean_jammy(), interpreters=(python("3.10"), python("3.12")))


def plan_in(folder: Path, stack: str = "cpu", **options: str | bool) -> Plan:
    choice = Choice(stack, "venv", str(folder / "venv"), **options)  # type: ignore[arg-type]
    return make_plan(MACHINE, choice, places_below(folder))


def begun(folder: Path, plan: Plan, state: str = "") -> tuple[Record, ...]:
    journal = Journal(folder / "runs" / "one")
    journal.begin(plan, "t")
    if state:
        journal.close(state, "t")
    return read_records(folder / "runs")


def refused(folder: Path, before: Plan, now: Plan, state: str = "") -> Trouble:
    with pytest.raises(Trouble) as caught:
        run_to_resume(now, begun(folder, before, state))
    return caught.value


@pytest.mark.parametrize(
    ("before", "now", "was", "comes"),
    [
        ({"torch_index": "pip"}, {}, "with --torch-index pip", "without it"),
        (
            {},
            {"torch_index": "https://me:pw@mirror/cpu"},
            "without --torch-index",
            "with --torch-index 'https://***@mirror/cpu'",
        ),
        (
            {"torch_index": "https://a/cpu"},
            {"torch_index": "pip"},
            "with --torch-index https://a/cpu",
            "with --torch-index pip",
        ),
        ({"wheelhouse": "/usb stick"}, {}, "with --wheelhouse '/usb stick'", "without it"),
        (
            {"python": "/usr/bin/python3.10"},
            {},
            "with --base-python /usr/bin/python3.10",
            "with --base-python /usr/bin/python3.12",
        ),
        ({"without_card": True}, {}, "with --without-card", "without it"),
    ],
)
def test_an_unfinished_run_that_was_asked_for_otherwise_says_how_and_how_to_go_on(
    tmp_path: Path, before: dict[str, str], now: dict[str, str], was: str, comes: str
) -> None:
    trouble = refused(tmp_path, plan_in(tmp_path, **before), plan_in(tmp_path, **now))
    assert trouble.happened.endswith("already contains an unfinished run of cpu (one).")
    assert trouble.meaning == (
        f"The earlier run was started {was}. This time, the command was run {comes}."
    )
    assert trouble.next_step == (
        f"To continue that run, run the command again {was}. To start over, undo it first: "
        "rdna1-setup rollback one"
    )


def test_another_place_of_pythons_is_told_as_it_was_asked_for(tmp_path: Path) -> None:
    machine = replace(MACHINE, interpreters=(python("3.12"),))
    place = "file:///usb stick/python"
    choice = Choice("rocm52", "venv", str(tmp_path / "venv"), python_mirror=place)
    before, now = (
        make_plan(machine, each, places_below(tmp_path))
        for each in (choice, replace(choice, python_mirror=""))
    )
    trouble = refused(tmp_path, before, now)
    assert f"started with --python-mirror '{place}'. This time" in trouble.meaning


def test_another_stack_in_the_folder_is_named(tmp_path: Path) -> None:
    trouble = refused(tmp_path, plan_in(tmp_path), plan_in(tmp_path, "rocm62"))
    assert "started with --stack cpu. " in trouble.meaning


def test_a_finished_run_cannot_be_continued(tmp_path: Path) -> None:
    before, now = plan_in(tmp_path, torch_index="pip"), plan_in(tmp_path)
    trouble = refused(tmp_path, before, now, "finished")
    assert "already contains cpu (run one, finished)" in trouble.happened
    assert "was started with --torch-index pip" in trouble.meaning
    assert trouble.next_step.startswith("Use another folder")


def test_what_no_option_explains_is_said_to_be_another_plan(tmp_path: Path) -> None:
    before = plan_in(tmp_path)
    now = replace(before, id="another")
    trouble = refused(tmp_path, before, now)
    assert "Another version of this program" in trouble.meaning
    assert "rdna1-setup rollback one" in trouble.next_step


MIRROR = "https://mirror.example/rocm/apt"


def plan_with_system(folder: Path, content: bytes = VALID, **options: str) -> Plan:
    found = Prepared(FilesNow(), replace(offer(), key=content.decode()))
    choice = Choice("rocm52", "venv+system", str(folder / "venv"), **options)  # type: ignore[arg-type]
    return make_plan(MACHINE, choice, places_below(folder), None, found)


def test_a_mirror_and_another_release_are_told_as_they_were_asked_for(tmp_path: Path) -> None:
    before = plan_with_system(tmp_path, rocm_repo=MIRROR, system_release="5.7.1")
    trouble = refused(tmp_path, before, plan_with_system(tmp_path))
    assert trouble.meaning == (
        f"The earlier run was started with --system-release 5.7.1 --rocm-repo {MIRROR}. This "
        "time, the "
        "command was run without --system-release --rocm-repo."
    )


def test_the_keys_of_two_mirrors_are_told_by_their_fingerprints(tmp_path: Path) -> None:
    before, now = (plan_with_system(tmp_path, key) for key in (VALID, EXPIRED))
    assert refused(tmp_path, before, now).meaning == (
        f"The earlier run was started with --rocm-key-fingerprint {VALID_FINGERPRINT}. This "
        "time, the "
        f"command was run with --rocm-key-fingerprint {EXPIRED_FINGERPRINT}."
    )


def test_a_file_that_one_plan_finds_written_already_tells_no_difference(tmp_path: Path) -> None:
    before = plan_with_system(tmp_path, rocm_repo=MIRROR)
    written = (SOURCE, KEYRING)
    steps = tuple(s for s in before.steps if getattr(s, "path", "") not in written)
    trouble = refused(tmp_path, before, replace(before, id="another", steps=steps))
    assert "--rocm" not in trouble.meaning
