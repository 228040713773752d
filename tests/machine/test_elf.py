"""The executable-stack flag, read from the first bytes of a library."""

from __future__ import annotations

import contextlib
import struct
from pathlib import Path

import pytest
from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from hypothesis import given
from hypothesis import strategies as st

from wizard.host.elf import HEADER, Stack, segments_of, stack_of

LOAD, GNU_STACK = 1, 0x6474E551
READ_WRITE, READ_WRITE_RUN = 6, 7
LIBRARIES = [
    path
    for folder in ("/lib/x86_64-linux-gnu", "/lib64")
    for path in sorted(Path(folder).glob("lib*.so.*"))[:80]
    if path.is_file()
]


def library(*segments: tuple[int, int]) -> bytes:
    """The headers of a library with segments of these types and flags."""
    header = HEADER.pack(b"\x7fELF", 2, 1, 3, 62, 1, 0, 64, 0, 0, 64, 56, len(segments))
    table = b"".join(struct.pack("<II48x", *segment) for segment in segments)
    return header.ljust(64, b"\0") + table


def stack(content: bytes) -> Stack:
    """What detection and the remedy both see of a library."""
    segments = segments_of(content)
    return stack_of(content[segments.offset : segments.end], segments)


@pytest.mark.parametrize(
    ("segments", "executable"),
    [
        ([(LOAD, 5), (GNU_STACK, READ_WRITE)], False),
        ([(LOAD, 5), (GNU_STACK, READ_WRITE_RUN)], True),
        ([(LOAD, 5)], True),
    ],
)
def test_the_flag_of_the_stack_segment_counts_and_its_absence_too(
    segments: list[tuple[int, int]], executable: bool
) -> None:
    assert stack(library(*segments)).executable is executable


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "not an ELF"),
        (b"\x7fELF\x02\x01", "cut off within its ELF header"),
        (b"\x7fELF\x01\x01".ljust(64, b"\0"), "not a 64-bit"),
        (b"\x7fELF\x02\x02".ljust(64, b"\0"), "not a 64-bit"),
        (library(), "without usable program headers"),
        (library((LOAD, 5), (GNU_STACK, 7))[:-60], "cut off within its program headers"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(content: bytes, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        stack(content)


@given(st.binary(max_size=200).map(lambda tail: library((LOAD, 5))[:6] + tail))
def test_any_headers_give_an_answer_or_a_value_error(content: bytes) -> None:
    with contextlib.suppress(ValueError):
        stack(content)


@pytest.mark.skipif(not LIBRARIES, reason="there are no 64-bit libraries in the usual places")
def test_real_libraries_are_read_as_pyelftools_reads_them() -> None:
    for path in LIBRARIES:
        with path.open("rb") as file:
            head = file.read(4096)
            try:
                elf = ELFFile(file)
            except ELFError:
                continue
            flags = [s["p_flags"] for s in elf.iter_segments() if s["p_type"] == "PT_GNU_STACK"]
            assert stack(head).flags == (flags or [1])[0], path
