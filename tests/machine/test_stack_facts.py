"""What lies below torch, kept and read again, whatever version wrote it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import clean_jammy, with_nothing_known
from tests.machine.records import machine as recorded
from wizard.machine.detect import detect
from wizard.machine.facts import Driver, Setting
from wizard.machine.stack_facts import StackFacts, stack_form, stack_now, stack_of, stack_of_form

KNOWN = StackFacts("6.8.0", "2.35", "ubuntu 22.04", "in-tree", "150", ())


def test_what_is_known_of_a_machine_is_kept_and_read_again() -> None:
    machine = clean_jammy()
    facts = stack_of(machine)
    assert facts == KNOWN
    assert stack_of_form(stack_form(facts)) == facts


def test_a_driver_built_here_is_told_with_its_version() -> None:
    driver = Driver(loaded=True, origin="dkms", version="6.8.5", dkms=("6.8.5",))
    assert stack_of(replace(clean_jammy(), driver=driver)).driver == "dkms 6.8.5"


def test_what_is_unknown_is_not_kept() -> None:
    machine = with_nothing_known(clean_jammy())
    facts = stack_of(replace(machine, driver=Driver(False, "in-tree", "", ())))
    assert facts == StackFacts(settings=())
    assert stack_form(facts) == {"schema": 1, "settings": {}}


def test_of_settings_those_of_the_session_are_kept() -> None:
    name = "HSA_OVERRIDE_GFX_VERSION"
    in_file = Setting(name, "9.0.6", "/home/ada/.bashrc", 1, "")
    settings = (
        Setting(name, "10.3.0", "", 0, ""),
        in_file,
        Setting("HSA_XNACK", "0", "", 0, "", "/v"),
    )
    facts = stack_of(replace(clean_jammy(), settings=settings))
    assert facts.settings == ((name, "10.3.0"),)
    assert stack_of_form(stack_form(facts)) == facts


@pytest.mark.parametrize(
    "form",
    [None, [], "6.8", {}, {"kernel": "6.8"}, {"schema": 2, "kernel": "6.8"}, {"schema": 1}],
)
def test_what_another_version_wrote_is_not_guessed_at(form: object) -> None:
    assert stack_of_form(form) == StackFacts()


def test_a_part_of_the_wrong_kind_is_left_out() -> None:
    form = {"schema": 1, "kernel": 6, "glibc": "2.39", "later": True}
    assert stack_of_form(form) == StackFacts(glibc="2.39")


def test_reading_it_alone_says_the_same_as_a_whole_look_at_the_machine() -> None:
    host = recorded("rx5600xt-noble-rocm57")
    machine = detect(host)
    assert stack_now(host) == stack_of(machine)
