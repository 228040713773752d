"""Lines of the driver in the kernel log: each known one by its kind, and nothing else."""

from __future__ import annotations

import pytest

from wizard.knowledge.causes import known_lines, load_messages


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("[  9.1] amdgpu 0000:03:00.0: amdgpu: GPU reset begin!", "reset"),
        ("kernel: amdgpu 0000:03:00.0: amdgpu: GPU reset begin!. Source:  1", "reset"),
        ("amdgpu 0000:03:00.0: amdgpu: GPU reset(4) succeeded!", "reset"),
        ("amdgpu 0000:03:00.0: amdgpu: GPU Recovery Failed: -110", "reset"),
        (
            "[drm:amdgpu_job_timedout [amdgpu]] *ERROR* ring gfx_0.0.0 timeout, signaled seq=1",
            "reset",
        ),
        ("amdgpu: qcm fence wait loop timeout expired", "driver"),
        ("amdgpu: Failed to evict queue 1", "driver"),
        ("amdgpu: failed to quiesce kfd", "driver"),
        ("amdgpu 0000:03:00.0: amdgpu: [gfxhub] page fault (src_id:0 ring:24 vmid:8)", "fault"),
        ("amdgpu: [gfxhub0] no-retry page fault (src_id:0", "fault"),
        ("amdgpu: sq_intr: error, se 0, data 0x0, sa 1, priv 1, wave_id 6, err_type 2", "fault"),
        ("amdgpu: sq_intr: error, detail 0x00000000, type 2, sh 1, priv 1", "fault"),
        ("amdgpu: Freeing queue vital buffer 0x70db22c00000, queue evicted", "harmless"),
        ("amdgpu: Runlist is getting oversubscribed. Expect reduced ROCm performance.", "harmless"),
    ],
)
def test_each_line_has_its_kind(line: str, kind: str) -> None:
    (known,) = known_lines(["usb 1-1: new device", line, ""])
    assert (known.message.kind, known.line) == (kind, line)


def test_every_message_says_what_it_means_and_where_it_is_from() -> None:
    for message in load_messages():
        assert message.kind in ("reset", "driver", "fault", "harmless")
        assert message.means
        assert message.source.startswith("Linux: drivers/gpu/drm/amd/")
