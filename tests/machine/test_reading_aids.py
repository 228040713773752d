"""Screen readers and braille displays, by the names of their processes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.machine.records import make
from wizard.machine.surroundings import PROCESSES, reading_aid

OTHERS = {"/proc/1/comm": "systemd\n", "/proc/77/comm": "orca-helper\n", "/proc/self": ""}


def test_nothing_reads_where_no_such_process_runs(tmp_path: Path) -> None:
    assert reading_aid(make(tmp_path, OTHERS)) == ""
    assert reading_aid(make(tmp_path / "bare", {})) == ""


@pytest.mark.parametrize("name", PROCESSES)
def test_a_reader_is_known_by_its_process(tmp_path: Path, name: str) -> None:
    assert len(name) <= 15, "the kernel keeps no more"
    assert reading_aid(make(tmp_path, {**OTHERS, "/proc/4242/comm": f"{name}\n"}))


def test_speakup_lives_in_the_kernel(tmp_path: Path) -> None:
    host = make(tmp_path, {"/sys/accessibility/speakup/version": "3.1.6\n"})
    assert "Speakup" in reading_aid(host)


def test_the_environment_proves_no_reader(tmp_path: Path) -> None:
    """Every desktop of Debian and Ubuntu sets these."""
    set_everywhere = {"GTK_MODULES": "gail:atk-bridge", "QT_ACCESSIBILITY": "1"}
    assert reading_aid(make(tmp_path, OTHERS, environ=set_everywhere)) == ""
