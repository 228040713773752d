"""Reads the operating system and the board below it."""

from __future__ import annotations

import re

from wizard.core.sizes import memory_size_text
from wizard.host.host import Host
from wizard.machine.facts import Fact, System, Unknown
from wizard.machine.part import Found, Part

OS_RELEASE = ("/etc/os-release", "/usr/lib/os-release")
KERNEL = "/proc/sys/kernel/osrelease"
CPUINFO = "/proc/cpuinfo"
ASSIGNMENT = re.compile(r"""^([A-Z_0-9]+)=(["']?)(.*)\2$""")


def read_system(host: Host) -> Found[System]:
    """What runs here, on what."""
    release = _os_release(host)
    return Found(
        System(
            distribution=_of(release, "ID"),
            release=_of(release, "VERSION_ID"),
            pretty_name=_of(release, "PRETTY_NAME"),
            kernel=_line(host, KERNEL),
            glibc=host.glibc(),
            architecture=host.architecture or Unknown("the kernel does not report it"),
            cpu=_cpu(host),
            memory_bytes=host.memory_bytes(),
        )
    )


def _os_release(host: Host) -> Fact[dict[str, str]]:
    texts = (host.read(path) for path in OS_RELEASE)
    text = next((one for one in texts if isinstance(one, str)), None)
    if text is None:
        return Unknown(f"neither {OS_RELEASE[0]} nor {OS_RELEASE[1]} could be read")
    matches = (ASSIGNMENT.match(line.strip()) for line in text.splitlines())
    return {match[1]: match[3] for match in matches if match}


def _of(release: Fact[dict[str, str]], key: str) -> Fact[str]:
    if isinstance(release, Unknown):
        return release
    return release.get(key) or Unknown(f"os-release has no {key}")


def _line(host: Host, path: str) -> Fact[str]:
    text = host.read(path)
    if isinstance(text, Unknown):
        return text
    return text.strip() or Unknown(f"{path} is empty")


def _cpu(host: Host) -> Fact[str]:
    text = host.read(CPUINFO)
    if isinstance(text, Unknown):
        return text
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name" and value.strip():
            return value.strip()
    return Unknown(f"{CPUINFO} names no model")


def _tell(system: System) -> tuple[str, tuple[str, ...]]:
    facts: tuple[tuple[str, Fact[str]], ...] = (
        ("System", system.pretty_name),
        ("Kernel", system.kernel),
        ("C library (glibc)", system.glibc),
        ("Architecture", system.architecture),
        ("Processor", system.cpu),
        ("Memory", _memory(system.memory_bytes)),
    )
    summary = ", ".join(
        text
        for text, fact in (
            (f"{system.pretty_name}", system.pretty_name),
            (f"kernel {system.kernel}", system.kernel),
            (f"glibc {system.glibc}", system.glibc),
        )
        if isinstance(fact, str)
    )
    return summary or "unknown system", tuple(f"{name}: {_words(fact)}" for name, fact in facts)


def _memory(size: Fact[int]) -> Fact[str]:
    return size if isinstance(size, Unknown) else memory_size_text(size)


def _words(fact: Fact[str]) -> str:
    return f"unknown, because {fact.because}" if isinstance(fact, Unknown) else fact


def _nothing(why: Unknown) -> System:
    return System(why, why, why, why, why, why, why, why)


SYSTEM: Part[System] = Part(
    title="System",
    source=f"{OS_RELEASE[0]}, {KERNEL}, {CPUINFO}",
    read=read_system,
    without=_nothing,
    tell=_tell,
)
"""The operating system, the C library, the processor."""
