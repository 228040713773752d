"""What a failed call of apt or dpkg says, in plain words."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, Sequence

from assets.root.processes import Ended
from assets.root.trouble import Trouble


class Known(NamedTuple):
    """A failure that can be recognised by what apt or dpkg prints."""

    pattern: Any
    happened: str
    meaning: str
    next_step: str


def _known(pattern: str, happened: str, meaning: str, next_step: str) -> Known:
    return Known(re.compile(pattern, re.MULTILINE), happened, meaning, next_step)


AGAIN = "then run the same step again. Finished work is kept."
DAMAGED = _known(
    r"Hash Sum mismatch|File has unexpected size",
    "A file from the repository does not match the checksum that the repository lists for it.",
    "A mirror was being updated, or a proxy is damaging files.",
    "Wait a few minutes, " + AGAIN,
)
NO_NETWORK = _known(
    r"(?:Could not resolve|Temporary failure resolving) '(?P<host>[^']*)'"
    r"|(?:Could not|Cannot) (?:connect|initiate)|Connection (?:failed|timed out|refused)"
    r"|Failed to fetch (?P<url>\S+)",
    "The network connection failed: {host}{url}.",
    "The repository could not be reached, or the connection was lost.",
    "Check the connection and the proxy (apt reads /etc/apt/apt.conf.d), " + AGAIN,
)
KNOWN = (
    _known(
        r"[Ii]t is held by process (?P<pid>\d+)(?: \((?P<name>[^)\n]*)\))?"
        r"|lock was locked by another process(?: with pid (?P<dpkg>\d+))?",
        "Another program is installing or removing packages: process {pid}{dpkg} {name}.",
        "The other program holds the lock for apt and dpkg. Nothing was changed.",
        "Let that program finish, " + AGAIN + " Never delete the lock yourself.",
    ),
    _known(
        r"dpkg was interrupted, you must manually run",
        "dpkg was interrupted during its work.",
        "apt refuses to change anything until dpkg has finished that work.",
        "Run `sudo dpkg --configure -a`, " + AGAIN,
    ),
    _known(
        r"(?:don't have enough free space in (?P<place>\S+?)\.?$)|No space left on device"
        r"|Disk quota exceeded",
        "The disk is full: {place}.",
        "The disk does not have enough space to store the packages or to unpack them.",
        "Free up some space (`sudo apt-get clean` deletes apt's downloads), " + AGAIN,
    ),
    _known(
        r"EXPKEYSIG (?P<key>[0-9A-F]+)|KEYEXPIRED",
        "The repository's signing key {key} has expired.",
        "The key's owner extends its expiration date from time to time, and this machine has an "
        "old copy.",
        "Get the newest key and check its fingerprint, " + AGAIN,
    ),
    _known(
        r"NO_PUBKEY (?P<key>[0-9A-F]+)",
        "The repository is not signed with the key that was given for it, but with {key}.",
        "The lists may not come from the maker of ROCm, so they were not used.",
        "Check the address and the key's fingerprint. Never use [trusted=yes].",
    ),
    _known(
        r"is not signed|BADSIG|not authenticated",
        "The repository has no valid signature.",
        "The lists may not come from the maker of ROCm, so they were not used.",
        "Check the address and the key's fingerprint. Never use [trusted=yes].",
    ),
    _known(
        r"The repository '(?P<where>[^']*)' (?:does not have|no longer has) a Release file",
        "This suite does not exist: {where}.",
        "The address or the suite is wrong, or this release is no longer available there.",
        "Choose another release or repository. rdna1-setup then checks which suites exist.",
    ),
    DAMAGED,
    NO_NETWORK,
    _known(
        r"trying to overwrite '(?P<file>[^']*)', which is also in package (?P<other>\S+)",
        "{file} already belongs to the package {other}.",
        "Two packages contain the same file, so dpkg installs only one of them.",
        "Remove {other} first if you do not need it. Never use --force-overwrite.",
    ),
    _known(
        r"error processing (?:package|archive) (?P<name>\S+).*\n\s*(?P<why>.+)",
        "Processing the package {name} failed: {why}.",
        "One of the package's scripts failed, so dpkg could not finish processing the package.",
        "Read the lines above. If you do not need the package, run `sudo apt-get purge {name}`. "
        "Otherwise fix the problem and run `sudo dpkg --configure -a`, " + AGAIN,
    ),
    _known(
        r"Version '(?P<version>[^']*)' for '(?P<name>[^']*)' was not found",
        "{name} {version} is not in any of the package lists.",
        "The repository no longer has this version, or its list was not read.",
        "Run `sudo apt-get update`. If the lists still do not contain the package, choose "
        "another release.",
    ),
    _known(
        r"Unable to locate package (?P<name>\S+)",
        "The package lists do not contain the package {name}.",
        "The repository does not have the package, or its list was not read.",
        "Run `sudo apt-get update`. If the lists still do not contain the package, choose "
        "another release.",
    ),
    _known(
        r"needs to be reinstalled, but I can't find an archive",
        "A package is only half installed, and its package file is not available.",
        "An earlier installation was interrupted during unpacking.",
        "Run `sudo dpkg --audit` to see which package it is. Then remove the package or install "
        "it again.",
    ),
    _known(
        r"Held packages were changed|held package",
        "apt would have to change a held package.",
        "apt was told to keep it unchanged (`apt-mark hold`).",
        "List held packages with `apt-mark showhold`. If the hold is no longer needed, release "
        "the package with `sudo apt-mark unhold NAME`.",
    ),
    _known(
        r"unmet dependencies|have held broken packages|pkgProblemResolver",
        "The packages cannot be installed together on this system.",
        "A dependency is missing. The lines above name it.",
        "Choose a smaller set of packages or another ROCm release.",
    ),
    _known(
        r"Malformed (?:entry|line|stanza) .*|The list of sources could not be read",
        "A package source on this system cannot be read.",
        "apt reads all of them before it does anything.",
        "Fix the file that the lines above name, " + AGAIN,
    ),
)


def explain(ended: Ended) -> Trouble:
    """What a failed call of apt or dpkg says, in plain words."""
    trouble = recognised(ended)
    if trouble is not None:
        return trouble
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    loud = [line for line in lines if line.startswith(("E:", "dpkg: error"))] or lines
    said = " / ".join(loud[-3:]) or "no output"
    how = f"signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
    return Trouble(
        "apt or dpkg failed ({}): {}.".format(how, said[:600].rstrip(".")),
        "rdna1-setup does not know this error. The log contains its full text.",
        "Fix the problem it names, " + AGAIN,
    )


def recognised(ended: Ended, among: Sequence[Known] = KNOWN) -> Trouble | None:
    """The first of these failures that the output tells of; None for none of them."""
    for known in among:
        found = known.pattern.search(ended.output)
        if found:
            names = {name: value or "" for name, value in found.groupdict().items()}
            texts = (known.happened, known.meaning, known.next_step)
            told = (" ".join(each.format(**names).split()) for each in texts)
            return Trouble(*(each.replace(" .", ".").replace(":.", ".") for each in told))
    return None
