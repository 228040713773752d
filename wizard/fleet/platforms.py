"""Which wheels run on a machine, in pip's words: by its processor and the age of its C library."""

from __future__ import annotations

OLDEST_MINOR = 5
"""manylinux_2_5 is the first tag that there is (PEP 600)."""
OLD_NAMES = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
"""What the same tags were called before (PEP 600)."""


def platform_words(glibc: str, architecture: str) -> tuple[str, ...]:
    """Options of pip for a machine with this C library, newest tags first; () where it tells none.

    pip gives every ``--platform`` the Python that runs it, so that this must be of the same minor
    version as the machine's.
    """
    tags = [f"{name}_{architecture}" for name in platform_tags(glibc)]
    return tuple(word for tag in (*tags, f"linux_{architecture}") for word in ("--platform", tag))


def platform_tags(glibc: str) -> tuple[str, ...]:
    """Every manylinux tag that a C library of this release satisfies."""
    major, _, rest = glibc.partition(".")
    minor = rest.split(".")[0]
    if major != "2" or not minor.isdecimal() or len(minor) > 3:
        return ()
    tags: list[str] = []
    for number in range(int(minor), OLDEST_MINOR - 1, -1):
        tags.append(f"manylinux_2_{number}")
        if number in OLD_NAMES:
            tags.append(OLD_NAMES[number])
    return tuple(tags)
