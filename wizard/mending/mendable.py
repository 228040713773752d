"""Which findings a plan of ours may mend: told without making it, for every list of findings."""

from __future__ import annotations

import re

from wizard.diagnose.finding import Finding

SETTINGS = (
    "override-isa-mismatch",
    "stale-override",
    "noop-setting",
    "library-path-shadow",
    "visible-devices-mask",
    "miopen-solver-restricted",
)
"""Causes that are mended by taking lines out of files."""
FOLDERS = ("numpy2-abi", "wheel-library-replaced")
"""Causes of which every environment has its own finding."""
SYSTEM = ("kfd-permission", "dpkg-interrupted", "apt-distro-shadows-amd")


def has_plan(finding: Finding) -> bool:
    """True when a plan of ours may mend it; what cannot be planned after all says so."""
    about = finding.about
    if about is None or not finding.counts:
        return False
    if finding.cause in SETTINGS:
        return any(one.file for one in about.settings)
    if finding.cause == "kfd-permission":
        return bool(about.groups)
    return finding.cause in (*FOLDERS, *SYSTEM)


NAMED = re.compile(r"rdna1-setup (?:plan|clean-up)(?![\w-])")
"""Commands that make a plan, as a fix names them."""
ONLY_NAMED = (
    "Follow the steps. {0} makes the plan they mention. You review it before anything is changed."
)
BY_HAND = "This program has no plan to fix this problem. Follow the steps to fix it yourself."


def without_plan(finding: Finding) -> str:
    """Who fixes what no plan of its own fixes: a plan that its steps name, or the user alone.

    ``""`` where a plan fixes it, and where there is nothing to do.
    """
    if has_plan(finding) or not finding.fix:
        return ""
    named = NAMED.search(" ".join(finding.fix))
    return ONLY_NAMED.format(f"`{named[0]}`") if named else BY_HAND
