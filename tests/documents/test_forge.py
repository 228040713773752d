"""What the forge asks of those who report and contribute fits what the project knows."""

from __future__ import annotations

from pathlib import Path

from wizard.knowledge.claims import Grade

FORGE = Path(__file__).parents[2] / ".github"


def test_a_pull_request_with_a_claim_is_asked_for_one_of_our_grades() -> None:
    text = (FORGE / "pull_request_template.md").read_text("utf-8")
    assert f"| Grade | {' / '.join(grade.value for grade in Grade)} |" in text
