"""Assignments of variables that ROCm, MIOpen and the loader read, as texts show them."""

from __future__ import annotations

import re

from wizard.diagnose.decoding import as_text
from wizard.diagnose.lines import Line
from wizard.diagnose.mentions import is_mention, spoken_of, taken_away
from wizard.diagnose.plain import plain

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


def settings_of(line: Line) -> list[tuple[str, str]]:
    """The variables that this line sets, or asks for and is told."""
    if NOT_SET.search(line.text) or is_mention(line.text, "comment", "search") or taken_away(line):
        return []
    return settings_in(line.text) + answered(line)


def taken_back(line: Line) -> list[str]:
    """The variables that this line unsets."""
    return [] if is_mention(line.text, "comment") else UNSET.findall(line.text)


def settings_in(text: str) -> list[tuple[str, str]]:
    """Assignments of variables that ROCm reads, in the forms of shells, listings and Python."""
    given = (f for f in SETTING.finditer(text) if not spoken_of(text[: f.start()], text[f.end() :]))
    found = [(f[1], f[2].strip("\"'" if f[1] == "LD_LIBRARY_PATH" else "\"'`).,")) for f in given]
    found += [(f[1] or f[3], (f[2] or f[4]).strip("\"';")) for f in FISH.finditer(text)]
    found += [(f[1], f[2]) for form in (CALL, LISTED) for f in form.finditer(text)]
    return found or [(f[1], f[2].strip("\"'")) for f in PAIR.finditer(text)]


def answered(line: Line) -> list[tuple[str, str]]:
    """What the shell answers, on the next line, to the question for a variable's value."""
    asked = ASKED.search(line.text)
    if not asked:
        return []
    lines = [plain(as_text(near)).strip() for near in line.near]
    here = lines.index(line.text.strip()) if line.text.strip() in lines else len(lines)
    answer = next(filter(None, lines[here + 1 : here + 3]), "")
    return [(asked[1], answer)] if answer and "$ " not in answer else []
