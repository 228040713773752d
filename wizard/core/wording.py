"""Sentences that screens and plain text share, and the keys that stand for commands on screens.

A text is written once, with its command; whatever is no screen prints it so. This is the one place
that knows which key of the wizard does the same. Where none does, the command stays.
"""

from __future__ import annotations

import re

from wizard.core.amounts import capitalized

TRY_AGAIN = "try again"

_KEYS = {
    "diagnose": "Diagnose (d on Welcome)",
    "detect": "Detect (Set up PyTorch on Welcome)",
    "plan": "Choose (Set up PyTorch on Welcome)",
    "report": "Report (p on Welcome)",
    "rollback": "Roll back (r on Welcome)",
    "remove": "Remove (x on Welcome)",
    "clean-up": "Remove (x on Welcome)",
    "watch": "Watch (w on Welcome)",
    "apply --footprint venv+system": "the footprint venv+system (u on Choose)",
    "apply": "Apply (a on Review)",
    "conv2d --attach": "Measure (c on Welcome)",
    "conv2d --stop": "Measure (press s there)",
    "conv2d --find-setting": "Measure (c on Welcome; o sets what to look for)",
    "conv2d --repeats": "Measure (c on Welcome; o sets the repeats)",
    "conv2d --python": "Measure (c on Welcome)",
    "conv2d": "Measure (c on Welcome)",
}
"""The longer before the shorter, as the first that fits is taken."""
_COMMAND = re.compile(
    rf"(?P<tick>`?)\brdna1-setup (?P<what>{'|'.join(map(re.escape, _KEYS))})"
    r"(?:(?<=--python) \S+|(?<=--repeats) \d+)?"
    r"(?P<run> (?:\d{8}[\w-]*|\{\}))?(?P=tick)(?![\w-]|\.\w| --?\w| \(r on| \d{8}| \{\})"
)
_PHRASES = (
    ("rdna1-setup diagnose --kernel-log kernel.log", "t on Diagnose reads that file"),
    (
        "journalctl -k -b | rdna1-setup explain -",
        "journalctl -k -b >kernel.log, then t on Diagnose",
    ),
    (
        "rdna1-setup remove and clean-up remove the others",
        ("Remove (x on Welcome) removes the others"),
    ),
    ("To allow more hangs, add --hangs N", "To allow more hangs, press o"),
    ("run the same command again to continue", "press Esc, then Enter, to continue"),
    ("the same command without --device cpu", "choose the GPU (o), then press Enter"),
    ("the same command with --engine native measures", "the engine native (o) measures"),
    ("A longer --deadline", "A longer deadline (o)"),
    ("more time (--deadline)", "more time (o)"),
    ("more time with --deadline", "more time (o)"),
    ("run the same command as the environment's owner", "start the wizard as its owner"),
    ("run again with --without-rollback to", "press w on Review to"),
    ("with --venv DIR", "on Choose (f)"),
    ("with --venv", "on Choose (f)"),
)
_MORE_HANGS = re.compile(
    r"To continue from here, run the same command with --hangs (\S+)\. "
    r"To start over, add --no-resume"
)
_AGAIN = re.compile(r"\b(?:run|start) the same command (?:again|once more)\b", re.IGNORECASE)
_FOOTPRINT = re.compile(r"--footprint venv(?!\+)")
_BEGINS = re.compile(r"(?:^|(?<=[.:] ))the (?=footprint)")


def by_keys(text: str, again: str = TRY_AGAIN) -> str:
    """A remedy as the screens tell it; ``again``: how the screen at hand starts over."""

    def once_more(found: re.Match[str]) -> str:
        return capitalized(again) if found[0][0].isupper() else again

    text = _MORE_HANGS.sub(
        r"Press Esc, then Enter, to continue from here, with \1 hangs allowed "
        "(o)",
        text,
    )
    for command, keys in _PHRASES:
        text = text.replace(command, keys).replace(capitalized(command), capitalized(keys))
    text = _FOOTPRINT.sub("the footprint venv (u on Choose)", text)
    text = _COMMAND.sub(_by_key, _AGAIN.sub(once_more, text))
    return _BEGINS.sub("The ", text)


def _by_key(found: re.Match[str]) -> str:
    if found["run"]:
        plain = found[0].strip("`")
        return f"{found['tick']}{plain}{found['tick']} (r on Welcome, if it is the last run)"
    keys = _KEYS[found["what"]]
    before, after = found.string[: found.start()], found.string[found.end() :]
    if before.rfind("(") <= before.rfind(")"):
        return keys
    comma = "" if after.startswith(")") else ","  # no brackets within brackets
    return f"{keys.replace(' (', ', ').rstrip(')')}{comma}"


DRY_RUN_NOTE = "DRY RUN: nothing is changed, downloaded or started. Steps are only shown."
DEMO_NOTE = "DEMO: an example machine, not yours. Nothing is changed or started."
