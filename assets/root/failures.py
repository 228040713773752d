"""What a failed call of apt or dpkg says, in plain words; the wizard asks here too."""

from __future__ import annotations

import re
from typing import NamedTuple, Sequence

from assets.root.processes import Ended
from assets.root.trouble import Trouble


class Known(NamedTuple):
    """A failure that can be recognised by what apt or dpkg prints."""

    pattern: "re.Pattern[str]"
    happened: str
    meaning: str
    next_step: str


AGAIN = "then run the same command again. Finished steps are kept."
PROXY_MISSING = "It is also possible that apt needs a proxy that is not configured."
SET_PROXY = (
    "If apt needs a proxy, set it in /etc/apt/apt.conf.d "
    '(Acquire::https::Proxy "http://HOST:PORT";), ' + AGAIN
)
FIND_NAME = "Check the address and the connection (to test: `getent hosts {host}`). " + SET_PROXY
CHECK_KEY = (
    "If the mirror has its own key, specify that key's fingerprint with --rocm-key-fingerprint. "
    "Never use [trusted=yes]."
)
UNSIGNED = "The lists may not come from the maker of ROCm, so they were not used."
DOWNLOAD = (
    Known(
        re.compile(r"Hash Sum mismatch|File has unexpected size", re.MULTILINE),
        "A file from the repository does not match the checksum that the repository lists for it.",
        "The mirror is being updated, or a proxy is damaging files or serving old ones.",
        "Wait a few minutes, " + AGAIN,
    ),
    Known(
        re.compile(r"[Cc]ertificate verification failed|SSL connection failed", re.MULTILINE),
        "apt did not accept the certificate of the repository's server.",
        "The clock is wrong, a proxy is intercepting TLS connections, or this is the wrong server.",
        "Check the date. If you are behind a company proxy, install its certificate system-wide.",
    ),
    Known(
        re.compile(r"Could not resolve '(?P<host>[^']*)'", re.MULTILINE),
        "{host} was not found: DNS returned no address.",
        "The address is misspelled, or this name exists only on another network (such as a VPN). "
        + PROXY_MISSING,
        FIND_NAME,
    ),
    Known(
        re.compile(r"Temporary failure resolving '(?P<host>[^']*)'", re.MULTILINE),
        "{host} was not found: no name server answered.",
        "This computer is offline, or its name server is down. " + PROXY_MISSING,
        FIND_NAME,
    ),
    Known(
        re.compile(
            r"(?:Could not connect to|Unable to connect to|Cannot initiate the connection to) "
            r"(?P<host>[^\s']+?):? "
            r"|://(?P<server>[^/\s]+)/\S*\s+Connection (?:failed|timed out|refused)",
            re.MULTILINE,
        ),
        "apt cannot reach {host}{server}.",
        "The server is down, or a firewall blocks the connection. " + PROXY_MISSING,
        "Check the connection. " + SET_PROXY,
    ),
    Known(
        re.compile(
            r"(?:Could not|Cannot) (?:connect|initiate)|Connection (?:failed|timed out|refused)"
            r"|Failed to fetch (?P<url>\S+)",
            re.MULTILINE,
        ),
        "The network connection failed: {url}.",
        "The repository could not be reached, or the connection was lost. " + PROXY_MISSING,
        "Check the connection. " + SET_PROXY,
    ),
)
"""Why a file did not come, or came damaged."""
INTERRUPTED = Known(
    re.compile(r"dpkg was interrupted, you must manually run", re.MULTILINE),
    "dpkg was interrupted during its work.",
    "apt refuses to change anything until dpkg has finished that work.",
    "Run `sudo dpkg --configure -a`, " + AGAIN,
)
KNOWN = (
    Known(
        re.compile(
            r"[Ii]t is held by process (?P<pid>\d+)(?: \((?P<name>[^)\n]*)\))?"
            r"|lock was locked by another process(?: with pid (?P<dpkg>\d+))?",
            re.MULTILINE,
        ),
        "Another program is installing or removing packages: process {pid}{dpkg} {name}.",
        "The other program holds the lock for apt and dpkg.",
        "Let that program finish, " + AGAIN + " Never delete the lock yourself.",
    ),
    INTERRUPTED,
    Known(
        re.compile(
            r"(?:don't have enough free space in (?P<place>\S+?)\.?$)|No space left on device"
            r"|Disk quota exceeded",
            re.MULTILINE,
        ),
        "The disk is full: {place}.",
        "The disk does not have enough space to store the packages or to unpack them.",
        "Free up some space (`sudo apt-get clean` deletes apt's downloads), " + AGAIN,
    ),
    Known(
        re.compile(r"(?:EXPKEYSIG|EXPSIG) (?P<key>[0-9A-F]+)|KEYEXPIRED", re.MULTILINE),
        "The repository's signing key {key} has expired.",
        "The key's owner extends its expiration date from time to time, and this machine has an "
        "old copy; or this machine's clock is wrong.",
        "Check the date, then make a new plan. It downloads the newest key.",
    ),
    Known(
        re.compile(r"NO_PUBKEY (?P<key>[0-9A-F]+)", re.MULTILINE),
        "The repository is not signed with the key that was checked, but with {key}.",
        UNSIGNED,
        CHECK_KEY,
    ),
    Known(
        re.compile(r"is not signed|BADSIG|not authenticated", re.MULTILINE),
        "The repository has no valid signature.",
        UNSIGNED,
        CHECK_KEY,
    ),
    Known(
        re.compile(r"is not valid yet \(invalid for another (?P<ahead>[^)]*)\)", re.MULTILINE),
        "The repository's lists are dated {ahead} in the future.",
        "This machine's clock is slow.",
        "Set the clock (timedatectl shows it), " + AGAIN,
    ),
    Known(
        re.compile(
            r"Release file for \S+ is expired \(invalid since (?P<since>[^)]*)\)", re.MULTILINE
        ),
        "The repository's lists expired {since} ago.",
        "The mirror is out of date, or this machine's clock is fast.",
        "Check the date on this machine, then use another mirror.",
    ),
    Known(
        re.compile(
            r"The repository '(?P<where>[^']*)' (?:does not have|no longer has) a Release file",
            re.MULTILINE,
        ),
        "This suite does not exist: {where}.",
        "The address or the suite is wrong, or this release is no longer available there.",
        "Name another copy of the repository with --rocm-repo, or use another ROCm release.",
    ),
    *DOWNLOAD,
    Known(
        re.compile(
            r"trying to overwrite '(?P<file>[^']*)', which is also in package (?P<other>\S+)",
            re.MULTILINE,
        ),
        "{file} already belongs to the package {other}.",
        "Two packages contain the same file, so dpkg installs only one of them.",
        "Remove {other} first if you do not need it. Never use --force-overwrite.",
    ),
    Known(
        re.compile(
            r"error processing (?:package|archive) (?P<name>\S+).*\n\s*(?P<why>.+)", re.MULTILINE
        ),
        "Processing the package {name} failed: {why}.",
        "One of the package's scripts failed, so dpkg could not finish processing the package.",
        "Read the lines above. If you do not need the package, run `sudo apt-get purge {name}`. "
        "Otherwise fix the problem and run `sudo dpkg --configure -a`, " + AGAIN,
    ),
    Known(
        re.compile(
            r"Version '(?P<version>[^']*)' for '(?P<name>[^']*)' was not found"
            r"|Unable to locate package (?P<unknown>\S+)",
            re.MULTILINE,
        ),
        "No package source on this system provides {unknown}{name} {version}.",
        "The repository does not have the package, or its list was not read.",
        "Run `sudo apt-get update`. If `apt-cache policy NAME` still does not list this version, "
        "choose another release or package set.",
    ),
    Known(
        re.compile(r"needs to be reinstalled, but I can't find an archive", re.MULTILINE),
        "A package is only half installed, and its package file is not available.",
        "An earlier installation was interrupted during unpacking.",
        "Run `sudo dpkg --audit` to see which package it is. Then remove the package or install "
        "it again.",
    ),
    Known(
        re.compile(r"Held packages were changed|held package", re.MULTILINE),
        "apt would have to change packages that are on hold.",
        "apt was told to keep these packages unchanged.",
        "List the held packages with `apt-mark showhold`. If a hold is no longer needed, release "
        "the package with `sudo apt-mark unhold NAME`.",
    ),
    Known(
        re.compile(r"^E: Unmet dependencies\.|apt --fix-broken install", re.MULTILINE),
        "Some packages on this system are already missing dependencies.",
        "apt changes nothing else until this is fixed.",
        "Run `sudo apt --fix-broken install`, check what it will do, then start again.",
    ),
    Known(
        re.compile(
            r"unmet dependencies|have held broken packages|pkgProblemResolver", re.MULTILINE
        ),
        "The packages cannot be installed together on this system.",
        "A dependency is missing. The lines above name it.",
        "Choose a smaller set of packages or another ROCm release.",
    ),
    Known(
        re.compile(
            r"Conflicting values set for option Signed-By regarding source (?P<source>\S+)",
            re.MULTILINE,
        ),
        "Another apt source file on this system also lists {source}, with a different key.",
        "apt does not accept two keys for one source.",
        "Use --system-removal amd to have the plan move AMD's apt sources out of the way.",
    ),
    Known(  # the wizard shows apt a copy of the file, in a folder of its own
        re.compile(
            r"^E: (?P<why>.*?) (?:in (?:source list|list file) )?"
            r"/\S*?/(?P<file>sources\.list(?:\.d/\S+)?)",
            re.MULTILINE,
        ),
        "apt cannot read /etc/apt/{file}: {why}.",
        "One broken line in an apt source file stops apt from doing anything.",
        "Fix the file, or move it out of the way. `sudo apt-get update` shows whether apt can "
        "read it.",
    ),
    Known(
        re.compile(
            r"Malformed (?:entry|line|stanza) .*|The list of sources could not be read",
            re.MULTILINE,
        ),
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
        "rdna1-setup does not know this error.",
        "Fix the problem that apt reports, " + AGAIN,
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
