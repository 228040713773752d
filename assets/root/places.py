"""Where files may be written, and what may stand in them."""

from __future__ import annotations

import re
from typing import Any, Callable, NamedTuple, Sequence, Tuple

from assets.root.keys import KEY, fingerprints
from assets.root.trouble import Wrong

OWN_SOURCE = "/etc/apt/sources.list.d/rdna1-setup-rocm.list"
LONGEST_CONTENT = 1 << 20
NAME = r"[A-Za-z0-9_][A-Za-z0-9._+@=~-]{0,119}"
ROCM_TREE = r"/opt/(?:rocm|amdgpu)[A-Za-z0-9._+-]*(?:/[A-Za-z0-9._+-]+)*/?"
SOURCE_LINE = re.compile(
    r"deb \[(?:arch=[a-z0-9]+(?:,[a-z0-9]+)* )?signed-by=/etc/apt/keyrings/" + NAME + r"\] "
    r"(?:https?://[A-Za-z0-9.-]+(?::[0-9]{1,5})?(?:/[A-Za-z0-9._~%+=-]+)*"
    r"|file:(?://)?(?:/[A-Za-z0-9._~%+=-]+)+)/? "
    r"(?:\./|/|[A-Za-z0-9._-]+(?:/[A-Za-z0-9._-]+)*(?: [a-z0-9][a-z0-9._/-]*)+)"
)
PIN_LINE = re.compile(
    r"(?:Explanation: [ -~]*|Package: [A-Za-z0-9*?+. _:/-]+"
    r"|Pin: (?:release|origin|version) [A-Za-z0-9\"=,.*~+:_ /-]+"
    r"|Pin-Priority: (?:-1|[1-9][0-9]{0,2}|1000))"
)
VARIABLE = r"(?:HSA|HIP|ROCR|ROCM|MIOPEN|AMD|GPU|PYTORCH|TORCH)_[A-Z0-9_]{1,80}"
NAMES_A_FILE = (
    r"[A-Z0-9_]{0,80}_(?:PATH|DIR|ROOT|HOME|LIB|LIBS|FILE|NVCC|TOOLS)(?:_[A-Z0-9_]{0,80})?="
)
"""What such a variable names is loaded or run by every program, root's too."""
PROFILE_LINE = re.compile(
    r"(?!.*\.\.)(?:export " + VARIABLE + r"=(?:" + ROCM_TREE + r"|\"" + ROCM_TREE + r"\")"
    r"|export (?!" + NAMES_A_FILE + r")" + VARIABLE + r"=(?:[A-Za-z0-9._:,+-]*"
    r"|\"[A-Za-z0-9._:,+ -]*\")"
    r"|unset " + VARIABLE + r"(?: " + VARIABLE + r")*"
    r"|export PATH=(\"?)\$\{?PATH\}?(?::" + ROCM_TREE + r")+\1)"
)
LOADER_LINE = re.compile(r"(?!.*\.\.)" + ROCM_TREE)
CARD = r"(?:kfd|(?:renderD|card)[0-9*?\[\]-]+)"
UDEV_MATCH = r"(?:SUBSYSTEM==\"(?:kfd|drm)\"|KERNEL==\"" + CARD + r"(?:\|" + CARD + r")*\")"
"""A graphics card: a rule without it would be one for every disk."""
UDEV_GIFT = r"(?:TAG\+=\"uaccess\"|GROUP:?=\"(?:render|video)\"|MODE:?=\"0?[0-6]{3}\")"
UDEV_LINE = re.compile(UDEV_MATCH + r"(?:, *" + UDEV_MATCH + r")*(?:, *" + UDEV_GIFT + r")*")
SWITCH_LINE = re.compile(r"Enabled: (?:yes|no)")


class Place(NamedTuple):
    """A folder in which files may be written."""

    folder: str
    name: Any
    """What their names match."""
    rule: Callable[[str, str], str | None]
    """Old and new content to the first line that may not stand there, or None."""


BLANKS = " \t"
"""What the programs that read these files skip; to them other blanks of Unicode are letters."""


def acts(line: str) -> bool:
    """False for an empty line and for a comment."""
    plain = line.strip(BLANKS)
    return bool(plain) and not plain.startswith("#")


def only_lines(pattern: Any) -> Callable[[str, str], str | None]:
    """A rule: each line is a comment, of this form, or was there before, in the same order."""

    def rule(old: str, new: str) -> str | None:
        known = iter(old.split("\n"))
        for line in new.split("\n"):
            if not acts(line) or pattern.fullmatch(line.strip(BLANKS)):
                continue
            if line not in known:  # takes all up to it out of the iterator: order matters
                return line
        return None

    return rule


def only_settings(old: str, new: str) -> str | None:
    """A rule for scripts of the shell: among lines of others it allows no new comment.

    Inside a text in quotes or a here-document it would be none.
    """
    lines = new.split("\n")
    if all(not acts(line) or PROFILE_LINE.fullmatch(line.strip(BLANKS)) for line in lines):
        return None
    known = iter(old.split("\n"))
    for above, line in zip(["", *lines], lines):
        plain = line.strip(BLANKS)
        alone = not above.endswith("\\")  # else it would go on with what stands above
        ours = alone and (not plain or PROFILE_LINE.fullmatch(plain))
        if not ours and line not in known:
            return line
    return None


def only_rules(old: str, new: str) -> str | None:
    """A rule for udev: rules that were there before, whole with the lines that they go on in.

    A line less, or one between them, would make another rule of the rest, such as for every disk.
    """
    known = iter(udev_rules(old))
    for rule in udev_rules(new):
        if acts(rule) and not UDEV_LINE.fullmatch(rule.strip(BLANKS)) and rule not in known:
            return rule.split("\n", 1)[0]
    return None


def udev_rules(content: str) -> list[str]:
    """The lines of a file of rules, each with those that continue it; a comment continues none."""
    found: list[str] = []
    goes_on = False
    for line in content.split("\n"):
        comment = line.lstrip(BLANKS).startswith("#")
        if goes_on:
            found[-1] += "\n" + line
        else:
            found.append(line)
        goes_on = goes_on if comment else line.rstrip(BLANKS).endswith("\\")
    return found


Field = Tuple[str, Tuple[str, ...]]
"""A field of a stanza: its first line, and the lines that continue it."""


def only_stanzas(old: str, new: str) -> str | None:
    """A rule for deb822: stanzas that were there before, in that order, switched on or off.

    Whole fields are compared: a line that is put between a field and its continuation would
    take what follows for itself, such as the key of a ``Signed-By``.
    """
    known = iter([_unswitched(stanza) for stanza in stanzas(old)])
    for stanza in stanzas(new):
        blank = [line for _, more in stanza for line in more if not line.strip(BLANKS)]
        if blank:  # the end of a stanza to some readers, and to others not
            return blank[0]
        switches = [field for field in stanza if _is_switch(field)]
        odd = [first for first, more in switches if more or not SWITCH_LINE.fullmatch(first)]
        if odd or len(switches) > 1:
            return odd[0] if odd else switches[1][0]
        if _unswitched(stanza) not in known:  # takes all up to it out of the iterator
            return stanza[0][0]
    return None


def stanzas(content: str) -> list[list[Field]]:
    """The stanzas of a deb822 file as apt reads them, without comments."""
    found: list[list[Field]] = [[]]
    for line in content.split("\n"):
        if line.startswith("#"):
            continue
        if not line:
            found.append([])
        elif line[0] in BLANKS and found[-1]:
            first, more = found[-1][-1]
            found[-1][-1] = (first, (*more, line))
        else:
            found[-1].append((line, ()))
    return [stanza for stanza in found if stanza]


def _is_switch(field: Field) -> bool:
    return field[0].partition(":")[0].strip(BLANKS).lower() == "enabled"


def _unswitched(stanza: Sequence[Field]) -> list[Field]:
    return [field for field in stanza if not _is_switch(field)]


def only_keys(_: str, new: str) -> str | None:
    """A rule: armoured public keys whose fingerprints can be shown, and nothing else."""
    return None if KEY.fullmatch(new) and fingerprints(new) else new.split("\n", 1)[0]


PLACES = (
    Place("/etc/apt/sources.list.d", re.compile(NAME + r"\.list"), only_lines(SOURCE_LINE)),
    Place("/etc/apt/sources.list.d", re.compile(NAME + r"\.sources"), only_stanzas),
    Place("/etc/apt", re.compile(r"sources\.list"), only_lines(SOURCE_LINE)),
    Place(
        "/etc/apt/preferences.d",
        re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,119}(?:\.pref)?"),
        only_lines(PIN_LINE),
    ),
    # Another maker's key is not ours to exchange: packages would come from somebody else.
    Place(
        "/etc/apt/keyrings",
        re.compile(r"(?=[^/]*(?:rocm|amdgpu|rdna1))" + NAME + r"\.asc"),
        only_keys,
    ),
    Place("/etc/profile.d", re.compile(NAME + r"\.sh"), only_settings),
    Place("/etc/ld.so.conf.d", re.compile(NAME + r"\.conf"), only_lines(LOADER_LINE)),
    Place("/etc/udev/rules.d", re.compile(NAME + r"\.rules"), only_rules),
)
LOADER_FOLDER = "/etc/ld.so.conf.d"
TREES = "/opt"


def place_of(path: str) -> Place | None:
    """The place that a path lies in, or None where nothing may be written."""
    folder, _, name = path.rpartition("/")
    found = (place for place in PLACES if place.folder == folder and place.name.fullmatch(name))
    return next(found, None)


def shortened(line: str, most: int) -> str:
    """A line in ASCII, with a mark where its end is left out."""
    whole = ascii(line)
    return whole if len(whole) <= most else f"{whole[:most]} ... and {len(whole) - most} more"


def refuse_lines(path: str, old: str, new: str) -> None:
    """Raise Wrong for a line that was not there before and is not of the form of that place."""
    place = place_of(path)
    line = "" if place is None else place.rule(old, new)
    if line is not None:
        raise Wrong(f"{path}: this line is not allowed there: {shortened(line, 120)}")
