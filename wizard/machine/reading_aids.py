"""Whether a screen reader or a braille display is at work here, as far as an ordinary user sees.

By its process, or the folder of its kernel module. Not by the environment: ``GTK_MODULES`` and
``QT_ACCESSIBILITY`` are set on every desktop of Debian and Ubuntu since 2015, and the bus of the
desktop's own readers says that one was switched on, not that it runs. A reader at the other end of
an SSH connection cannot be seen at all.
https://wiki.debian.org/accessibility-devel
"""

from __future__ import annotations

from wizard.host.host import Host
from wizard.machine.facts import Unknown

PROCESSES = {
    "orca": "the screen reader Orca",
    "brltty": "the braille display driver BRLTTY",
    "espeakup": "the screen reader Speakup (espeakup)",
    "fenrir": "the screen reader Fenrir",
    "fenrir-daemon": "the screen reader Fenrir",
    "yasr": "the screen reader yasr",
    "tdsr": "the screen reader tdsr",
}
"""By the name that the kernel has for them: 15 characters, a script's its own."""
SPEAKUP = "/sys/accessibility/speakup"
PROC = "/proc"
NAME_BYTES = 16


def reading_aid(host: Host) -> str:
    """What reads to somebody here, ``""`` for nothing that is known."""
    if host.is_folder(SPEAKUP):
        return "the screen reader Speakup"
    names = host.names(PROC)
    pids = () if isinstance(names, Unknown) else names
    for pid in pids:
        if pid.isascii() and pid.isdecimal() and (aid := PROCESSES.get(_name(host, pid))):
            return aid
    return ""


def _name(host: Host, pid: str) -> str:
    """Its name alone: the command line of a process that is stuck can block its reader."""
    name = host.head(f"{PROC}/{pid}/comm", NAME_BYTES)
    return "" if isinstance(name, Unknown) else name.decode("utf-8", "replace").strip()
