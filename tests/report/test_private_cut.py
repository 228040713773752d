"""What is cut for its length is cut between words: half of a secret would be known by nobody."""

from __future__ import annotations

import pytest

from tests.report.owners import redacted
from wizard.core.lines import beginning
from wizard.diagnose.explain import explain

UUID = "9c4c4544-0036-3210-8051-b4c04f4d3139"
SECRETS = (f"root=UUID={UUID}", "url=https://zz:passphrase@h/x", "x=hf_QqWwEeRrTtYyUuIiOoPp")


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("inside", range(4, 24, 5))
def test_no_half_of_a_secret_stands_at_the_end_of_long_evidence(secret: str, inside: int) -> None:
    begin = "[    0.000000] Command line: BOOT_IMAGE=/vmlinuz nomodeset "
    fill = "x" * (399 - len(begin) - inside)
    text = f"{begin}{fill} {secret} quiet\n"
    (finding,) = explain(text.encode()).findings
    (evidence,) = finding.evidence
    told = redacted(evidence.text)
    assert secret[: inside - 1] not in told
    assert evidence.text.endswith("x")


@pytest.mark.parametrize(
    ("text", "left"),
    [("ab cd", "ab cd"), ("ab cdef", "ab"), ("abc defg", "abc"), ("abcdefgh", "abcde")],
)
def test_the_beginning_of_a_text_ends_with_a_whole_word(text: str, left: str) -> None:
    assert beginning(text, 5) == left
