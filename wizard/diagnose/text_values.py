"""What a text tells of the machine it comes from: settings, versions, what pip was asked for."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from wizard.diagnose.decoding import as_text
from wizard.diagnose.lines import Line
from wizard.diagnose.mentions import in_difference, is_mention, spoken_of
from wizard.diagnose.plain import plain
from wizard.knowledge.causes import load_values

SETTING_ANCHORS = (
    *("HSA_", "HIP_", "MIOPEN_", "ROCR_", "CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH"),
    *("PYTORCH_ROCM_ARCH", "AMD_SERIALIZE"),
)
NAMES = r"(?:HSA|HIP|MIOPEN|ROCR|CUDA_VISIBLE|LD_LIBRARY|PYTORCH_ROCM|AMD_SERIALIZE)_[A-Z0-9_]+"
SETTING = re.compile(
    rf"(?<![\w$])({NAMES})(?:\"|'|\")?\]?\s*=\s*(\"[^\"]{{0,300}}\"|'[^']{{0,300}}'|[^\s\"';&|]{{0,300}})"
)
FISH = re.compile(
    rf"\bset (?:-\w+ |--\w+ )*-?\w*x\w* ({NAMES}) (\S{{1,300}})"
    rf"|(?:\bsetenv|^\s*ENV) ({NAMES}) (\S{{1,300}})"
)
CALL = re.compile(rf"\b(?:setdefault|putenv|setenv)\([\"']({NAMES})[\"'], ?[\"']([^\"']{{0,300}})")
ASKED = re.compile(rf"\b(?:echo|printenv)\s+[\"']?\$?\{{?({NAMES})\}}?[\"']?\s*$")
"""A value that the next line tells."""
LISTED = re.compile(r"\b(HSA_OVERRIDE_GFX_VERSION(?:_\d+)?):(\d+\.\d+\.\d+)\b")
"""As ollama lists what it was started with."""
PAIR = re.compile(
    rf"^\W{{0,24}}({NAMES})\W{{0,2}}\s*[:,]\s*[\"']?([^\s\"',]{{1,300}})[\"',\s]*(?:#.*)?$"
)
UNSET = re.compile(rf"\b(?:unset|set -e|env -u)\s+({NAMES})")
NOT_SET = re.compile(r"\bunset\b|\bset -e\b|\benv -u\b|^MIOpen(?:\(HIP\))?(?:\[[^\]]{0,20}\])?: ")
"""Taken back, or told by MIOpen with the value that it makes of it."""
MOST = 300
"""So much of a kind is kept: more tells no more."""


class Said(NamedTuple):
    """A value, and the line that tells it."""

    name: str
    value: str
    line: Line


Told = dict[str, list[Said]]
"""What the lines tell, in their order, by the kinds of values in ``assets/text_lines.toml``."""


def nothing_told() -> Told:
    """What no line tells; ``settings`` are variables that are set, ``unset`` those taken back."""
    return {kind: [] for kind in ("settings", "unset", *(form.id for form in load_values()))}


def take_told(told: Told, line: Line) -> None:
    """Add what one line tells."""
    told["settings"] += [Said(name, value, line) for name, value in settings_of(line)]
    if not is_mention(line.text, "comment"):
        told["unset"] += [Said(name, "", line) for name in UNSET.findall(line.text)]
    for form in load_values():
        found = [each.groupdict() for each in form.pattern.finditer(line.text)]
        if found and not is_mention(line.text, "document", *filter(None, [form.unless])):
            told[form.id] += [Said(f.get("name") or "", f["value"] or "", line) for f in found]
    for said in told.values():
        del said[MOST:]


@cache
def told_anchors() -> frozenset[str]:
    """Fixed strings of which one is in every line that tells something."""
    return frozenset((*SETTING_ANCHORS, *(a for form in load_values() for a in form.anchors)))


def settings_of(line: Line) -> list[tuple[str, str]]:
    """The variables that this line sets in any form, or asks for and is told."""
    text = line.text
    if NOT_SET.search(text) or is_mention(text, "comment", "search") or in_difference(line, "-"):
        return []
    given = (f for f in SETTING.finditer(text) if not spoken_of(text[: f.start()], text[f.end() :]))
    found = [(f[1], f[2].strip("\"'" if f[1] == "LD_LIBRARY_PATH" else "\"'`).,")) for f in given]
    found += [(f[1] or f[3], (f[2] or f[4]).strip("\"';")) for f in FISH.finditer(text)]
    found += [(f[1], f[2]) for form in (CALL, LISTED) for f in form.finditer(text)]
    found = found or [(f[1], f[2].strip("\"'")) for f in PAIR.finditer(text)]
    return found + answered(line)


def answered(line: Line) -> list[tuple[str, str]]:
    """What the shell answers, on the next line, to the question for a variable's value."""
    asked = ASKED.search(line.text)
    if not asked:
        return []
    lines = [plain(as_text(near)).strip() for near in line.near]
    here = lines.index(line.text.strip()) if line.text.strip() in lines else len(lines)
    answer = next(filter(None, lines[here + 1 : here + 3]), "")
    return [(asked[1], answer)] if answer and "$ " not in answer else []
