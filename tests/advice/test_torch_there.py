"""Which torch can be measured before anything is exchanged, and by which Python."""

from __future__ import annotations

from dataclasses import replace

from tests.screens import examples
from wizard.advice.leftovers import torch_there, torches_there
from wizard.core.fact import Unknown
from wizard.machine.facts import Environment, Interpreter, Machine, TorchInstall

ROCM = TorchInstall("2.2.2+rocm5.7", "rocm", "5.7", "1.26.4", ())
CPU = TorchInstall("2.13.0+cpu", "cpu", None, None, ())


def machine(*places: Environment) -> Machine:
    known = (Interpreter("/usr/bin/python3.12", "3.12.3", True),)
    return replace(examples.MACHINE, environments=places, interpreters=known)


def test_a_torch_for_rocm_comes_before_any_other() -> None:
    places = machine(
        Environment("/srv/cpu", "venv", "3.12", CPU), Environment("/srv/ai", "venv", "3.10", ROCM)
    )
    assert [there.python for there in torches_there(places)] == [
        "/srv/ai/bin/python",
        "/srv/cpu/bin/python",
    ]
    there = torch_there(places)
    assert there is not None
    assert (there.torch, there.place) == ("2.2.2+rocm5.7", "/srv/ai")


def test_a_torch_of_the_user_site_is_started_by_the_python_of_its_series() -> None:
    site = Environment("/home/sam/.local/lib/python3.12", "user-site", "3.12", ROCM)
    there = torch_there(machine(site))
    assert there is not None
    assert there.python == "/usr/bin/python3.12"


def test_a_torch_without_a_known_python_or_for_no_card_is_none() -> None:
    other = Environment("/usr/lib/python3.9", "dist-packages", "3.9", ROCM)
    unknown = Environment("/usr/lib/python3", "dist-packages", Unknown("unreadable"), ROCM)
    cpu = Environment("/srv/cpu", "venv", "3.12", CPU)
    assert torch_there(machine(other, unknown, cpu)) is None
