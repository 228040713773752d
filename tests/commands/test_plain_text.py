"""Plain text speaks in words, not in names of ours."""

from pathlib import Path

from tests.commands.running import MACHINE, wizard
from wizard.core.events import PlanFinished
from wizard.report.plan import event_lines


def test_plain_torch_is_called_by_words(tmp_path: Path) -> None:
    told = wizard(tmp_path, "plan", "--machine", MACHINE, "--stack", "native").stdout
    assert not [line for line in told.splitlines() if line.strip().startswith("own:")]
    assert "\nAny torch program: possible: " in told


def test_a_plan_that_was_refused_before_its_first_step_is_not_said_to_go_on() -> None:
    refused = PlanFinished(False, False, False, False, "", "")
    assert list(event_lines(refused)) == ["Nothing was changed."]
