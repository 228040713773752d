"""The report of each recorded machine, reviewed as text."""

from __future__ import annotations

import pytest

from tests.conftest import Golden
from tests.machine.planting import NAMES_TOLD, SECRETS, planted
from tests.machine.records import NAMES, machine
from wizard import __version__
from wizard.core.own_files import places
from wizard.report.bundle import report_files_of
from wizard.report.issue import report_text
from wizard.report.private import Redaction
from wizard.report.sources import gather


@pytest.mark.parametrize("name", NAMES)
def test_the_report_of_a_recorded_machine_is_as_reviewed(name: str, golden: Golden) -> None:
    host = machine(name)
    gathered = gather(host, places(host.environ, host.home))
    text = report_text(gathered, Redaction(gathered.identity))
    golden.check(f"report/{name}.md", text.replace(__version__, "VERSION", 1))


@pytest.mark.parametrize("name", NAMES)
def test_a_recorded_machine_full_of_secrets_tells_none(
    name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("live") / "machine"
    host = planted(name, folder, everywhere=False)
    report_files = report_files_of(gather(host, places(host.environ, host.home)))
    for each in report_files.files:
        text = f"{each.name}\n{each.text}".lower()
        assert [word for word in (*SECRETS, *NAMES_TOLD) if word.lower() in text] == []
