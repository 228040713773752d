"""What a text tells of the machine it comes from: settings, versions, what pip was asked for."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cache
from typing import NamedTuple

from wizard.diagnose.lines import Line
from wizard.diagnose.mentions import is_mention
from wizard.diagnose.settings_told import SETTING_ANCHORS, settings_of, taken_back
from wizard.knowledge.text_lines import load_values

PUT_TOGETHER = ("refused", "offered", "indexes")
"""Values that may stand in several lines of a mail; of others each part tells its own."""
MOST = 300
"""So much of a kind is kept: more tells no more."""


class Said(NamedTuple):
    """A value, and the line that tells it."""

    name: str
    value: str
    line: Line


@dataclass(slots=True)
class Told:
    """What the lines tell, in their order."""

    settings: list[Said] = field(default_factory=list)
    taken_back: list[Said] = field(default_factory=list)
    """Variables that were unset."""
    torch: list[Said] = field(default_factory=list)
    """Versions of torch that are installed."""
    numpy: list[Said] = field(default_factory=list)
    refused: list[Said] = field(default_factory=list)
    """What pip was asked for and did not find: name and version."""
    offered: list[Said] = field(default_factory=list)
    """The versions that it found instead."""
    indexes: list[Said] = field(default_factory=list)
    missing_targets: list[Said] = field(default_factory=list)
    """Targets of devices for which a program holds no code."""
    bundled: list[Said] = field(default_factory=list)
    """Targets for which it does."""
    library_targets: list[Said] = field(default_factory=list)
    """Targets that a library names in an error."""

    def values(self, name: str) -> list[Said]:
        """What a variable is set to, everywhere it is."""
        return [said for said in self.settings if said.name == name]

    def take(self, line: Line) -> None:
        """Look at one line."""
        if not line.wrapped:
            self.settings += [Said(name, value, line) for name, value in settings_of(line)]
            self.taken_back += [Said(name, "", line) for name in taken_back(line)]
        for form in load_values():
            if line.wrapped and form.id not in PUT_TOGETHER:
                continue
            found = [each.groupdict() for each in form.pattern.finditer(line.text)]
            if found and not (form.unless and is_mention(line.text, form.unless)):
                told = (Said(each.get("name") or "", each["value"] or "", line) for each in found)
                getattr(self, form.id).extend(told)
        for each in fields(self):
            del getattr(self, each.name)[MOST:]


@cache
def told_anchors() -> frozenset[str]:
    """Fixed strings of which one is in every line that tells something."""
    return frozenset((*SETTING_ANCHORS, *(a for form in load_values() for a in form.anchors)))
