"""Our reading of the kernel's compute nodes against AMD's own: its package ``rocm-bootstrap``."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rocm_bootstrap import _platform
from rocm_bootstrap.detect import detect_gpus
from rocm_bootstrap.targets import ALL_TARGETS, parse_gfx_target_version

from tests.machine.records import MACHINES, NAMES, NODES, machine, make, seen
from wizard.machine.gpus import gfx_name, kfd_nodes, read_gpus
from wizard.machine.recorded import RecordedHost

TARGETS = {target.gfx_target_version: target.name for target in ALL_TARGETS}


def of_amd(files: Path, monkeypatch: pytest.MonkeyPatch) -> dict[int, str]:
    """Node and target of each GPU below these files, as AMD's detection sees them."""
    monkeypatch.setattr(_platform, "KFD_TOPOLOGY", files / NODES.lstrip("/"))
    monkeypatch.setattr(_platform, "get_env", lambda _: None)
    monkeypatch.setattr(_platform, "run_clinfo", str)
    return {gpu.node_id: gpu.target.name for gpu in detect_gpus()}


def of_ours(host: RecordedHost) -> dict[int, str]:
    """The same, as ours sees them; a kernel that tells no target has none."""
    return {node.number: node.gfx for node in kfd_nodes(host) if node.gfx}


def test_every_target_that_amd_knows_has_amds_name() -> None:
    by_amd = {version: parse_gfx_target_version(version).name for version in TARGETS}
    assert {version: gfx_name(version) for version in TARGETS} == by_amd


def test_the_oracle_knows_every_rdna1_target() -> None:
    assert {"gfx1010", "gfx1011", "gfx1012", "gfx1013"} <= set(TARGETS.values())


def test_amd_sees_the_same_nodes_in_recorded_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    by_amd = {name: of_amd(MACHINES / name / "files", monkeypatch) for name in NAMES}
    assert {name: of_ours(machine(name)) for name in NAMES} == by_amd
    told = {
        name: {gpu.kfd_node: gpu.gfx for gpu in seen(name).gpus if gpu.kfd_node is not None}
        for name in NAMES
    }
    assert told == by_amd


def _properties(values: Iterable[tuple[str, object]]) -> str:
    return "".join(f"{key} {value}\n" for key, value in values)


nodes = st.dictionaries(
    st.integers(0, 12),
    st.fixed_dictionaries(
        {
            "cpu_cores_count": st.sampled_from([0, 16]),
            "simd_count": st.sampled_from([0, 16, 44, 72, 80]),
            "gfx_target_version": st.sampled_from([0, *sorted(TARGETS)]),
            "location_id": st.integers(0, 0xFFFF),
            "drm_render_minor": st.sampled_from([0, 128, 129]),
        }
    ),
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(topology=nodes)
def test_amd_sees_the_same_nodes_in_any_topology(
    topology: dict[int, dict[str, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("machine")
    files = {
        f"{NODES}/{number}/properties": _properties(values.items())
        for number, values in topology.items()
    }
    host = make(folder, files)
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert of_ours(host) == of_amd(folder / "files", monkeypatch)
    assert read_gpus(host).value == ()
