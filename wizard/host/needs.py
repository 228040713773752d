"""Which packages that stay would miss what they ask for, and what they ask."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from packaging.markers import UndefinedComparison, UndefinedEnvironmentName
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from wizard.host.distributions import Distribution


def conflicts(
    stay: Iterable[Distribution],
    go: Iterable[Distribution],
    come: Mapping[str, str],
    python: str,
) -> tuple[str, ...]:
    """A sentence for each requirement that holds now and would be broken.

    ``come`` gives the new versions by name; what goes and does not come back counts as missing.
    """
    before = {each.name: each.version for each in go}
    return tuple(
        text
        for each in stay
        for need in needs_of(each)
        if counts(need, python) and (text := _broken(each, need, before, come))
    )


def limits(
    stay: Iterable[Distribution], go: Iterable[Distribution], python: str
) -> Iterator[tuple[str, str]]:
    """What each package that stays asks of one that does not, and who asks it, as far as that
    holds now."""
    staying, before = tuple(stay), {each.name: each.version for each in go}
    names = {each.name for each in staying}
    for each in staying:
        for need in needs_of(each):
            name = str(canonicalize_name(need.name))
            holds = name not in before or contains(need.specifier, before[name])
            if name not in names and need.specifier and holds and counts(need, python):
                limit = f"{name}{need.specifier}"
                yield limit, f"{each.name} {each.version} needs {limit}"


def _broken(
    asking: Distribution, need: Requirement, before: Mapping[str, str], come: Mapping[str, str]
) -> str:
    name = str(canonicalize_name(need.name))
    if name not in before and name not in come:
        return ""  # it stays: nothing changes for whoever asks for it
    if name in before and not contains(need.specifier, before[name]):
        return ""  # broken already
    wish = f"{asking.name} {asking.version} needs {name}{need.specifier}"
    if name not in come:
        return f"{wish}, which would be removed"
    if contains(need.specifier, come[name]):
        return ""
    return f"{wish}, but {name} {come[name]} would be installed"


def counts(need: Requirement, python: str) -> bool:
    """True unless its marker speaks of an extra, or of another Python or system."""
    if need.marker is None:
        return True
    # The least of what a marker may ask; the rest is as on the machine that runs this.
    minor = ".".join(python.split(".")[:2])
    this = {"python_version": minor, "python_full_version": f"{minor}.0", "extra": ""}
    try:
        return need.marker.evaluate(this)
    except (UndefinedComparison, UndefinedEnvironmentName):
        return True


def needs_of(distribution: Distribution) -> Iterable[Requirement]:
    """What a distribution requires; lines that are none are passed over."""
    for line in distribution.requires:
        try:
            yield Requirement(line)
        except InvalidRequirement:
            continue


def contains(specifier: SpecifierSet, version: str) -> bool:
    """True when the version is allowed; one that is no version allows nothing to be said: True."""
    try:
        return specifier.contains(Version(version), prereleases=True)
    except InvalidVersion:
        return True
