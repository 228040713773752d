"""Headers of METADATA are read as the standard library's parser for mail reads them."""

from __future__ import annotations

from email.parser import HeaderParser
from importlib.metadata import distributions

from wizard.host.distributions import header, header_values

TEXTS = [
    "Name: torch\nVersion: 2.2.2\n\nVersion: 9\n",
    "Name: torch\r\nVersion: 2.2.2\r\n\r\nVersion: 9\r\n",
    "name: torch\nREQUIRES-DIST: a\nRequires-Dist: b>1; extra == 'x'\n",
    "Summary: one\nnot a header\nName: late\n",
    "\nName: late\n",
    "Name:\nVersion:   1  \n",
    "Na me: torch\nName: late\n",
    "",
    *(text for each in distributions() if (text := each.read_text("METADATA"))),
]


def test_headers_are_those_that_the_parser_for_mail_finds() -> None:
    differ = [
        (text[:200], name)
        for text in TEXTS
        for by_mail in [HeaderParser().parsestr(text)]
        for name in ("Name", "Version", "Requires-Dist")
        if list(header_values(text, name)) != [str(v).strip() for v in by_mail.get_all(name, ())]
    ]
    assert differ == []


def test_a_value_goes_on_in_lines_that_begin_with_a_blank() -> None:
    text = "Requires-Dist: numpy\n  >=1.26\nName: torch\n"
    assert header(text, "requires-dist") == "numpy >=1.26"
    assert header(text, "Name") == "torch"
    assert header(text, "Version") == ""
