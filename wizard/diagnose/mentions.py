"""Lines that only speak of a message or a setting: source code, comments, advice, what is over."""

from __future__ import annotations

import re

from wizard.diagnose.lines import Line

COMMENT = re.compile(r"(?:/?[\w./~-]{1,200}:(?:\d{1,6}[:-])?)?\s*#|\s*(?://|/\*|<!--|REM )")
"""Put out of use, in a listing of ``grep`` too."""
SOURCE = re.compile(
    r"%-?\d*(?:l|ll|z|h)?[dsxup]\b|\\n\"(?:, ?\w|;|\))"
    r"|\b(?:dev|pr|drm)_(?:err|warn|info|dbg|notice)\w*\(|\bDRM_[A-Z]+\(|\bf?printf\("
    r"|\braise \w+\(|\bin str\(|\blogg?(?:er|ing)?\.\w+\(|\bprint\(|\becho [\"']"
    r"|\bthrow \w|\bTORCH_CHECK\(|\(\?[:P!=<i]|\br[\"']|\breturn f?[\"']|\{self\."
    r"|^\S{1,200}\.(?:c|h|cc|cpp|hpp|py|rs|go|md|rst|html|po|json):\d+:(?!\d+:| )"
    r"|^\S{1,200}\.(?:py|sh|c|h|cpp):\d+: +(?:if |elif |return |raise |print|[\"'#]|[\w.]+ = )"
)
"""A line of a program, which says the words when it runs and perhaps never did."""
SEARCH = re.compile(
    r"\b(?:[efz]|rip)?grep\b|\brg -|\bdrm/amd\w{0,4}: |^[0-9a-f]{7,12} (?:\([^)]{1,80}\) )?[A-Za-z]"
)
"""A search for the words, or the subject of a change."""
ADVICE = re.compile(
    r"(?i)\bif you (?:see|get|encounter|hit|run into)\b|\bwhen you (?:see|get)\b"
    r"|\b(?:if|when) \S{1,20} (?:prints|says|shows|reports|complains)\b"
    r"|\b(?:errors?|messages?|warnings?|lines?) (?:like|such as)\b|\busually means\b"
    r"|\bmeans (?:that|the|your|you)\b|\bdo(?:es)? not mean\b|\bin case of\b"
    r"|\bfor example\b|\bwenn (?:du|Sie)\b"
    r"|\b\u0435\u0441\u043b\u0438 \u043f\u0438\u0448\u0435\u0442\b"
    r"|\b\u043e\u0448\u0438\u0431\u043a\u0430 \u00ab"
    r"|^\s*(?:[-*+] ?`[^`]{3,160}`\s*(?::|[\u2013\u2014-] )|\|? ?`[^`]{3,160}`\s*\|)"
)
"""What a manual or somebody who helps says of a message."""
OVER = re.compile(
    r"(?i)(?<!is )(?<!are )\bused to (?!build)"
    r"|\bno longer (?:see|get|hang|crash|happen|appear|fail|stop)\w*"
    r"|\b(?:is|are|was|were) gone\b|\b(?:now works|works now|works again)\b"
    r"|\b(?:is|was|got|been|now) (?:fixed|solved|resolved)\b|\bnicht mehr\b"
    r"|\b(?:does|did)(?: not|n.t) (?:happen|appear|occur|hang|crash|show up)"
    r"|\b(?:never|not) (?:see|saw|seen|had|got)\b|\bthere (?:is|was|are|were) no\b"
    r"|\b(?:no|not|without|kein\w{0,2}|ohne) [\"'`\u00ab\u201c\u201e]"
)
"""What is over, or never was."""
TRIED = re.compile(
    r"(?i)(?<!I )(?<!when )\btry\b"
    r"|\byou (?:should|could|can(?! see)|may|might|must|need to|have to)\b"
    r"|\bshould (?:I|be|set)\b|\bdo I (?:need|have)\b|\b(?:recommend|suggest)\w*"
    r"|\bfor example\b|\be\.g\.|\bexamples?:|\busage:|\bplease set\b|\bwhat (?:does|is)\b"
    r"|\bversuch\w* es mit\b"
    r"|\b(?:without|instead of)\W{0,3}\Z"
)
"""What stands before a setting that somebody proposes."""
TOLD_OF = re.compile(
    r"[`'\")]{0,3},? (?:is the same as|is (?:a )?no-op|is not needed|is unnecessary|does nothing"
    r"|has no effect|means\b)"
)
"""What stands after a setting that somebody explains."""


def only_mentions(line: Line) -> bool:
    """True when this line speaks of a message and is none."""
    text = line.text
    return bool(
        COMMENT.match(text)
        or SOURCE.search(text)
        or SEARCH.search(text)
        or ADVICE.search(text)
        or OVER.search(text)
    ) or taken_away(line)


def taken_away(line: Line) -> bool:
    """True for a line that a difference takes away."""
    return line.text.startswith("-") and any(b"@@ -" in near for near in line.near)


def explained(text: str) -> bool:
    """True when what stands after a setting tells what it does."""
    return TOLD_OF.match(text) is not None


def proposed(text: str) -> bool:
    """True when what stands before a setting proposes it."""
    return TRIED.search(text[-120:]) is not None
