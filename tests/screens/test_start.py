"""From the command line to the screens' services."""

from __future__ import annotations

import pytest

from screens.start import services_for, speaks_unicode
from tests.screens import examples
from wizard.__main__ import parser
from wizard.plan.choice import Choice
from wizard.plan.steps import FetchWheels


@pytest.mark.parametrize(
    ("environ", "unicode"),
    [
        ({}, True),
        ({"LANG": "de_DE.UTF-8"}, True),
        ({"LANG": "C"}, False),
        ({"LC_ALL": "C", "LANG": "de_DE.UTF-8"}, False),
        ({"LC_ALL": "en_US.utf8", "LANG": "C"}, True),
        ({"LANG": "en_US.ISO-8859-1"}, False),
        ({"LC_CTYPE": "C.UTF-8", "LANG": "C"}, False),
        ({"LC_CTYPE": "C.UTF-8"}, True),
    ],
)
def test_the_locale_decides_between_unicode_and_ascii(
    environ: dict[str, str], unicode: bool
) -> None:
    assert speaks_unicode(environ) == unicode


def test_place_and_sources_of_the_command_line_reach_the_plan() -> None:
    words = ["--demo", "--venv", "/v", "--torch-index", "http://here/simple"]
    services = services_for(parser().parse_args(words))
    assert services.suggest_folder(examples.MACHINE, "cpu") == "/v"
    plan = services.make_plan(services.detect(lambda part: None), Choice("cpu", "venv", "/w"))
    assert plan.venv == "/w"
    assert any("http://here/simple" in str(step) for step in plan.steps)
    assert any(isinstance(step, FetchWheels) for step in plan.steps)


def test_a_command_keeps_what_was_named_before_it() -> None:
    arguments = parser().parse_args(["--venv", "/v", "plan", "--torch-index", "pip"])
    assert (arguments.venv, arguments.torch_index, arguments.wheelhouse) == ("/v", "pip", "")
