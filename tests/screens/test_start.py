"""From the command line to the screens' services."""

from __future__ import annotations

from pathlib import Path

import pytest

from screens.start import services_for
from tests.screens import examples
from wizard.apt.sources import SOURCE
from wizard.cli.options import parser
from wizard.core.glyphs import speaks_unicode
from wizard.operations.fetch_wheels import FetchWheels
from wizard.plan.choice import Choice


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
    assert services.knowledge.suggest_folder(examples.MACHINE, "cpu") == "/v"
    plan = services.plans.make(
        services.knowledge.detect(lambda part: None), Choice("cpu", "venv", "/w")
    )
    assert plan.venv == "/w"
    assert any("http://here/simple" in str(step) for step in plan.steps)
    assert any(isinstance(step, FetchWheels) for step in plan.steps)


def test_a_text_of_bytes_that_are_none_of_utf_8_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    save = services_for(parser().parse_args([])).reports.save
    assert save is not None
    path = Path(save("plan.txt", "remove /opt/caf\udce9: ünder\n"))
    assert tmp_path in path.parents
    assert path.read_text("utf-8") == "remove /opt/caf\\udce9: ünder\n"


def test_mirror_and_key_of_the_command_line_reach_the_system_part_of_the_plan() -> None:
    words = ["--demo", "--rocm-repo", "https://mirror.example/rocm", "--rocm-key-fingerprint"]
    services = services_for(parser().parse_args([*words, "ab" * 20]))
    machine = services.knowledge.detect(lambda part: None)
    plan = services.plans.make(machine, Choice("rocm52", "venv+system", "/w"))
    source = next(s for s in plan.steps if getattr(s, "path", "") == SOURCE)
    assert "https://mirror.example/rocm/5.2 " in getattr(source, "content", "")
    assert any("AB" * 20 in step.reason for step in plan.steps)


def test_a_command_keeps_what_was_named_before_it() -> None:
    words = ["--venv", "/v", "--rocm-repo", "http://m/x", "plan", "--torch-index", "pip"]
    arguments = parser().parse_args(words)
    assert (arguments.rocm_repo, arguments.rocm_key_fingerprint) == ("http://m/x", "")
    assert (arguments.venv, arguments.torch_index, arguments.wheelhouse) == ("/v", "pip", "")
