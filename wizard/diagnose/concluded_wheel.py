"""Whether a library of a wheel is still the one of the wheel's own list (RECORD)."""

from __future__ import annotations

import base64
import re

from wizard.diagnose.decoding import as_text
from wizard.diagnose.finding import Confidence
from wizard.diagnose.lines import Line
from wizard.diagnose.reading import Concluded, Reading, evidence_of

ENTRY = re.compile(r"torch/lib/(lib\S{1,80}),sha256=([\w-]{43}),(\d{1,15})\b")
LISTED = re.compile(r"^[-l][rwxst-]{9}\S? +\d+ +\S+ +\S+ +(\d+) .*?(lib[\w.+-]+)\s*$")
MEASURED = re.compile(r"^(?:Size: |\s*)(\d{4,15})\b")
HEX = re.compile(r"\b([0-9a-f]{64})\b")
BASE64 = re.compile(r"(?:^|sha256[=:])([\w-]{43})=?\s*$")


def not_as_recorded(reading: Reading) -> Concluded | None:
    """A library whose size or hash is another than that in RECORD."""
    for entry in reading.hits.get("record-entry", ()):
        found = ENTRY.search(entry.text)
        for line in reading.hits.get("library-measured", ()) if found else ():
            if found and _differs(line, found[1], found[2], int(found[3])):
                return Confidence.LIKELY, evidence_of((entry, line))
    return None


def _differs(line: Line, name: str, digest: str, size: int) -> bool:
    """True when this line, or the answer below it, measures that library otherwise."""
    if not re.search(rf"\b{re.escape(name)}(?![\w.])", line.text):
        return False
    if listed := LISTED.search(line.text):
        return listed[2] == name and listed[1] != str(size)
    near = [as_text(each) for each in line.near]
    here = next((n for n, each in enumerate(near) if each.strip() == line.original.strip()), -1)
    answer = near[here + 1] if 0 <= here < len(near) - 1 else ""
    for text in (line.text, answer):
        hashed = [_base64(found[1]) for found in HEX.finditer(text)]
        hashed += [found[1] for found in BASE64.finditer(text)]
        if hashed:
            return digest not in hashed
    measured = MEASURED.match(answer) if re.search(r"\b(?:stat|wc|du)\b", line.text) else None
    return measured is not None and int(measured[1]) != size


def _base64(digits: str) -> str:
    return base64.urlsafe_b64encode(bytes.fromhex(digits)).rstrip(b"=").decode()
