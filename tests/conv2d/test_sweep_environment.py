"""What a measurement takes from the shell, and the databases that it does not share."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from tests.conv2d.sweeping import environ, events_of, notes_of, results_of, sweep_of
from wizard.conv2d.sweep import SweepEnvironment, without_leftovers
from wizard.conv2d.worker.start import LOCK, Isolation, isolation, leading_to

SHELL = {
    "HOME": "/home/sam",
    "HSA_OVERRIDE_GFX_VERSION": "10.3.0",
    "MIOPEN_DEBUG_CONV_GEMM": "0",
    "HIPPO": "an animal",
}


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("/opt/rocm/lib", None),
        ("/opt/rocm-5.2.0/lib:/opt/rocm/lib64", None),
        ("/home/sam/lib:/opt/rocm/lib", "/home/sam/lib"),
        ("/home/sam/lib", "/home/sam/lib"),
        ("/opt/rocm/lib:", None),
    ],
)
def test_clean_leaves_out_what_steers_rocm_and_nothing_else(path: str, kept: str | None) -> None:
    environment, left_out = without_leftovers({**SHELL, "LD_LIBRARY_PATH": path})
    assert environment.get("LD_LIBRARY_PATH") == kept
    assert {name: environment.get(name) for name in SHELL} == {
        **SHELL,
        "HSA_OVERRIDE_GFX_VERSION": None,
        "MIOPEN_DEBUG_CONV_GEMM": None,
    }
    said = [line for line in left_out if not line.startswith("LD_LIBRARY_PATH")]
    assert said == ["HSA_OVERRIDE_GFX_VERSION=10.3.0", "MIOPEN_DEBUG_CONV_GEMM=0"]
    assert (f"LD_LIBRARY_PATH={path}" in left_out) == (kept != path)


@pytest.mark.parametrize("clean", [True, False])
async def test_the_two_environments_are_never_mixed(
    worker_python: str, tmp_path: Path, clean: bool
) -> None:
    sweep = replace(sweep_of(worker_python, 3), environment=SweepEnvironment(clean=clean))
    events = await events_of(sweep, tmp_path, {**environ(), "MIOPEN_FIND_MODE": "2"})
    (result,) = results_of(events)
    assert dict(result.loaded.setting) == ({} if clean else {"MIOPEN_FIND_MODE": "2"})
    said = ["Of your shell's settings, this measurement ignores MIOPEN_FIND_MODE=2."]
    assert notes_of(events) == (said if clean else [])


def test_each_way_has_folders_of_its_own_and_all_are_gone_at_the_end(tmp_path: Path) -> None:
    databases = isolation({"HOME": str(tmp_path)}, keep=False)
    assert list(tmp_path.iterdir()) == []
    first, second = databases.folder("a"), databases.folder("b")
    assert first == databases.folder("a") != second
    assert all(Path(path).is_dir() for path in leading_to(first).values())
    (first / "kernels" / "k.o").write_text("code")
    databases.forget("a")
    assert list((databases.folder("a") / "kernels").iterdir()) == []
    assert databases.close() is None
    assert list((tmp_path / ".cache/rdna1-setup/conv2d").iterdir()) == []
    assert databases.close() is None


def test_what_is_to_be_kept_is_kept_and_named(tmp_path: Path) -> None:
    databases = isolation({"HOME": str(tmp_path)}, keep=True)
    folder = databases.folder("a")
    kept = databases.close()
    assert folder.is_dir()
    assert kept == folder.parent


def test_what_a_killed_run_left_goes_and_what_another_uses_stays(tmp_path: Path) -> None:
    killed, living = tmp_path / "run-killed", Isolation(tmp_path)
    killed.mkdir()
    (killed / LOCK).touch()
    (tmp_path / "not-ours").mkdir()
    used = living.folder("a")
    assert not killed.exists()
    other = Isolation(tmp_path)
    other.folder("a")
    assert used.is_dir()
    other.close()
    assert used.is_dir()
    assert (tmp_path / "not-ours").is_dir()
    living.close()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_made_raises(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(OSError, match="Permission denied"):
        Isolation(tmp_path / "cache").folder("a")
