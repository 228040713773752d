"""What a folder is for: read of the machine that it goes to, not of the one that fetches."""

import pytest

from tests.fetch.targets import PLAIN, recorded_target
from wizard.plan.impossible import PlanImpossible


def test_a_machine_without_a_python_that_fits_gets_one_with_the_folder() -> None:
    target = recorded_target("rx5600xt-noble-rocm702", "rocm52")
    assert (target.python, target.brings_python) == ("3.10", True)
    assert (target.distribution, target.release) == ("ubuntu", "24.04")


def test_a_python_that_makes_venvs_is_taken_where_it_is() -> None:
    target = recorded_target("rx5600xt-noble-rocm57", "rocm57")
    assert (target.python, target.brings_python) == ("3.10", False)


def test_wheels_for_one_chip_are_chosen_for_the_card_of_that_machine() -> None:
    assert recorded_target("rx5500xt-bookworm-distro", "native").gfx == "gfx1012"
    assert recorded_target("rx5700xt-jammy-clean", "cpu").gfx == ""


def test_a_stack_that_nobody_knows_is_refused() -> None:
    with pytest.raises(PlanImpossible, match="no stack named 'nonsense'"):
        recorded_target("rx5700xt-jammy-clean", "nonsense")


def test_the_target_in_words() -> None:
    assert str(PLAIN) == "cpu on debian 12 x86_64, Python 3.11"
