"""The kernel log: lines of the driver since a launch, from whichever program may read it."""

from __future__ import annotations

import pytest

from wizard.conv2d.worker.launch import driver_lines_since
from wizard.core.fact import Fact, Unknown

JOURNAL = """\
[    1.000000] box kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset begin!
[  100.500000] box kernel: usb 1-1: new device
[  101.250000] box kernel: amdgpu: Failed to evict process queues
-- Boot 1234 --
[  102.000000] box kernel: amdgpu: qcm fence wait loop timeout expired
"""
DMESG = "[  103.000000] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!\n"


def reader(**said: Fact[str]) -> object:
    def read(argv: tuple[str, ...], _deadline_s: float) -> Fact[str]:
        return said.get(argv[0], Unknown(f"{argv[0]} is not installed"))

    return read


def ids(began_s: float, read: object) -> list[str]:
    return [line.message.id for line in driver_lines_since(began_s, read)]  # type: ignore[arg-type]


def test_only_what_the_driver_wrote_since_then_counts() -> None:
    assert ids(101.0, reader(journalctl=JOURNAL)) == ["eviction-failed", "preemption-failed"]
    assert ids(101.3, reader(journalctl=JOURNAL)) == ["eviction-failed", "preemption-failed"]
    assert ids(101.5, reader(journalctl=JOURNAL)) == ["preemption-failed"]


@pytest.mark.parametrize("journal", [Unknown("ended with code 1"), "", "-- No entries --\n"])
def test_where_the_journal_says_nothing_the_kernels_own_buffer_is_asked(journal: Fact[str]) -> None:
    assert ids(100.0, reader(journalctl=journal, dmesg=DMESG)) == ["reset"]


def test_where_neither_may_be_read_there_is_no_evidence() -> None:
    assert ids(0.0, reader()) == []
    assert ids(0.0, reader(dmesg="dmesg: read kernel buffer failed: Operation not permitted")) == []
