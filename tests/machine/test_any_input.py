"""Whatever stands in the files: facts or reasons, never a traceback."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.machine.corrupting import corrupted
from tests.machine.corrupting import look as look_at
from tests.machine.records import MACHINES, NAMES, NODES, PCI, card, driven, machine, make, node
from wizard.core.json_form import to_json
from wizard.machine.detect import detect
from wizard.machine.part import PartDone
from wizard.machine.recorded import RecordedHost

DEVICE = f"{PCI}/0000:0b:00.0"
VENV = "/home/owner/the venv"
COMFY = "/home/owner/ComfyUI"
SITE = f"{VENV}/lib/python3.10/site-packages"
FILES = (
    *card(),
    *node(),
    f"{DEVICE}/power/runtime_status",
    f"{DEVICE}/mem_info_vram_total",
    f"{DEVICE}/fw_version/mec_fw_version",
    f"{DEVICE}/current_link_width",
    f"{DEVICE}/max_link_width",
    f"{DEVICE}/max_link_speed",
    f"{NODES}/0/properties",
    f"{NODES}/0/io_links/0/properties",
    f"{NODES}/1/io_links/0/properties",
    "/sys/class/kfd/kfd/proc/70/pasid",
    "/sys/module/amdgpu/version",
    "/sys/class/dmi/id/sys_vendor",
    "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
    "/run/systemd/container",
    "/run/systemd/seats/seat0",
    "/run/systemd/sessions/2",
    "/etc/timeshift/timeshift.json",
    "/proc/70/stat",
    "/proc/71/stat",
    f"{DEVICE}/drm/card1/card1-DP-1/status",
    "/etc/os-release",
    "/proc/sys/kernel/osrelease",
    "/proc/cpuinfo",
    "/etc/passwd",
    "/etc/group",
    "/etc/environment",
    "/etc/profile.d/rocm.sh",
    "/home/owner/.bashrc",
    "/home/owner/.config/fish/config.fish",
    "/opt/rocm-5.7.1/.info/version",
    "/var/lib/dpkg/info/rocm-core.list",
    "/var/lib/dpkg/lock",
    "/var/lib/dpkg/updates/0001",
    "/var/lib/apt/lists/repo.radeon.com_x_InRelease",
    "/var/lib/apt/lists/repo.radeon.com_x_Packages",
    "/var/lib/apt/lists/repo.radeon.com_x_Packages.gz",
    "/var/lib/apt/lists/repo.radeon.com_x_Packages.xz",
    "/var/lib/apt/lists/repo.radeon.com_x_Packages.lz4",
    "/proc/locks",
    "/proc/self/mountinfo",
    "/etc/apt/sources.list",
    "/etc/apt/sources.list.d/rocm.sources",
    "/etc/apt/preferences.d/rocm-pin-600",
    "/etc/apt/keyrings/rocm.asc",
    "/var/lib/dpkg/alternatives/rocm",
    "/etc/ld.so.conf.d/rocm.conf",
    "/etc/udev/rules.d/70-kfd.rules",
    "/etc/modprobe.d/amdgpu.conf",
    "/usr/include/python3.10/patchlevel.h",
    f"{VENV}/pyvenv.cfg",
    f"{SITE}/torch/version.py",
    f"{SITE}/torch.dist-info/METADATA",
    f"{SITE}/torch.dist-info/RECORD",
    f"{SITE}/torch/lib/libamdhip64.so",
    f"{SITE}/rocm.pth",
    f"{SITE}/rocm_settings.py",
    f"{SITE}/sitecustomize.py",
    f"{VENV}/bin/activate",
    f"{VENV}/share/jupyter/kernels/x/kernel.json",
    "/etc/systemd/system/sd.service",
    "/etc/systemd/system/sd.service.d/rocm.conf",
    "/etc/default/sd",
    "/home/owner/.config/fish/fish_variables",
    "/home/owner/miniconda3/conda-meta/state",
    f"{COMFY}/run.sh",
    f"{COMFY}/compose.yaml",
    "/home/owner/.cache/miopen/3.3.0/gfx1030_18.ukdb",
    "/home/owner/.local/state/rdna1-setup/runs/1/journal.jsonl",
)
SHAPES = st.sampled_from(
    [
        b"HSA_XNACK=",
        b"Environment=HSA_XNACK=1",
        b"EnvironmentFile=/etc/default/sd\n",
        b"environment:\n",
        b'{"env": {"HSA_XNACK": "',
        b'os.environ["HSA_XNACK"] = "',
        b"SETUVAR --export HSA_XNACK:\\x",
        b"import rocm_settings\n",
        b"torch/lib/libamdhip64.so,sha256=x,",
        b"\x7fELF\x02\x01",
        b'{"event": "begin", "schema": 3, "plan": {',
        b"export LD_LIBRARY_PATH=:",
        b"deb [",
        b"deb http://x y z\n",
        b"Types: deb\nURIs: x\nSuites: y\n",
        b"Package: rocm-core\nVersion: ",
        b"1: POSIX ADVISORY WRITE 1 08:01:7 0 EOF\n",
        b"rocm-core\t1\tiFR\t",
        b"\x1f\x8b\x08",
        b"gfx_target_version ",
        b"cpu_cores_count 1\nsimd_count 2\n",
        b"node_to 0\nflags 13\n",
        b"70 (a) b) D 1 1 1 1 1 64",
        b"ACTIVE=2\nSESSIONS=2 ../x\nCLASS=user\n",
        b"__version__ = '",
        b"version = ",
        b"0x",
        b"render:x:",
        b"ID=",
        b"9" * 5000,
        "٣".encode(),
        b"'\"\\",
        b"\r\n",
        b"\t",
        b"\xff\xfe\x00",
    ]
)
contents = st.lists(st.binary(max_size=20) | SHAPES, max_size=6).map(b"".join)


def look(host: RecordedHost) -> None:
    """Detect, tell every part, and write it as JSON."""
    told: list[PartDone] = []
    json.dumps(to_json(detect(host, told.append)))
    assert len(told) == 20


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(FILES), contents), contents)
def test_any_bytes_in_any_file_give_facts_or_reasons(
    files: dict[str, bytes], listing: bytes
) -> None:
    present: dict[str, str] = {f"{COMFY}/main.py": "", f"{COMFY}/comfy/sd.py": ""}
    present |= {**card(), **node(), "/usr/bin/python3.10": "", "/usr/lib/python3.10/os.py": ""}
    with TemporaryDirectory() as folder:
        look(
            make(
                Path(folder),
                {**present, **files},
                links=driven("amdgpu"),
                answers={"DPKG_PACKAGES": listing.decode("latin-1")},
                inodes={"/var/lib/dpkg/lock": 7},
            )
        )


names = st.text(
    st.characters(exclude_characters="/\x00", exclude_categories=["Cs"]), min_size=1, max_size=30
).filter(lambda name: name not in (".", "..") and len(name.encode()) < 200)
FOLDERS = st.sampled_from(
    [PCI, NODES, f"{NODES}/1/io_links", "/sys/class/kfd/kfd/proc", "/proc", "/proc/70/fd",
     "/var/lib/dkms/amdgpu", "/etc/snapper/configs", "/dev/dri", "/usr/bin", "/opt", SITE,
     "/home/owner", "/home/owner/miniconda3/conda-meta", "/home/owner/.local/lib"]
)  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(FOLDERS, names, contents), max_size=8))
def test_any_names_in_any_folder_give_facts_or_reasons(
    entries: list[tuple[str, str, bytes]],
) -> None:
    files = {f"{folder}/{name}": content for folder, name, content in entries}
    with TemporaryDirectory() as folder:
        look(make(Path(folder), {f"{VENV}/pyvenv.cfg": b"", **files}))


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from(["PATH", "HOME", "VIRTUAL_ENV", "CONDA_PREFIX",
    "PYENV_ROOT", "XDG_DATA_HOME", "UV_PYTHON_INSTALL_DIR", "TMPDIR", "LD_LIBRARY_PATH",
    "HSA_OVERRIDE_GFX_VERSION"]), st.text(st.characters(exclude_categories=["Cs"]))))  # fmt: skip
def test_any_environment_gives_facts_or_reasons(environ: dict[str, str]) -> None:
    record = MACHINES / "no-amd-gpu"
    host = RecordedHost(record)
    host.environ = environ
    look(host)


PEAK_BYTES = 200_000_000
SAMPLE = 4
"""Damages of each machine here; the end-to-end tests do two thousand."""


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_machine_gives_facts_or_reasons(name: str) -> None:
    inner = machine(name)
    for seed in range(SAMPLE):
        look_at(corrupted(name, inner, seed))


def test_damaged_files_of_a_hundred_megabytes_take_little_memory() -> None:
    done = subprocess.run(
        (
            sys.executable,
            "-m",
            "tests.machine.corrupting",
            "rx5600xt-noble-rocm62-miopen",
            "40",
            "0",
        ),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
        timeout=60,
    )
    told = json.loads(done.stdout)

    assert "failed" not in told, told["traceback"]
    assert told["peak_bytes"] < PEAK_BYTES
