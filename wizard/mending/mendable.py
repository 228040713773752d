"""Which findings a plan of ours may mend: told without making it, for every list of findings."""

from __future__ import annotations

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
FOLDERS = ("numpy2-abi", "glibc-execstack", "wheel-library-replaced")
"""Causes of which every environment has its own finding."""
SYSTEM = ("kfd-permission", "dpkg-interrupted", "apt-distro-shadows-amd")


def has_plan(finding: Finding) -> bool:
    """True when a plan of ours may mend it; what cannot be planned after all says so."""
    about = finding.about
    if about is None or not finding.counts:
        return False
    if finding.cause in SETTINGS:
        return any(one.file for one in about.settings)
    return finding.cause in (*FOLDERS, *SYSTEM)
