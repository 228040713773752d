"""A library is exchanged, and comes back to the byte; what somebody changed since is left alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.machine.test_elf import GNU_STACK, READ_WRITE_RUN, library
from wizard.core.trouble import Trouble
from wizard.plan.library_steps import BringLibraryBack, ExchangeLibrary
from wizard.run.environment.exchanging import bring_library_back, exchange_library
from wizard.run.environment.execstack import asks_for_executable_stack

ASKING = library((GNU_STACK, READ_WRITE_RUN)) + b"code " * 100
LONG_AGO_NS = 1_600_000_000_123_456_789


@pytest.fixture
def asking(tmp_path: Path) -> ExchangeLibrary:
    """A library that asks for an executable stack, to be replaced by a copy."""
    path = tmp_path / "libamdhip64.so"
    path.write_bytes(ASKING)
    path.chmod(0o755)
    os.utime(path, ns=(LONG_AGO_NS, LONG_AGO_NS))
    return ExchangeLibrary("", str(path), f"{path}.kept", len(ASKING), "")


def back_of(step: ExchangeLibrary) -> BringLibraryBack:
    return BringLibraryBack("", step.path, step.kept, "")


def seen(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    return {
        path.name: (path.read_bytes(), path.stat().st_mode, path.stat().st_mtime_ns)
        for path in folder.iterdir()
    }


def test_a_copy_without_the_flag_takes_the_place_and_the_old_one_comes_back(
    tmp_path: Path, asking: ExchangeLibrary
) -> None:
    before = seen(tmp_path)
    exchange_library(asking)
    assert not asks_for_executable_stack(Path(asking.path))
    assert Path(asking.path).stat().st_mode & 0o777 == 0o755
    assert seen(tmp_path).keys() == {"libamdhip64.so", "libamdhip64.so.kept"}
    bring_library_back(back_of(asking))
    assert seen(tmp_path) == before


def test_who_shares_the_file_by_a_hard_link_keeps_it_as_it_was(
    tmp_path: Path, asking: ExchangeLibrary
) -> None:
    cache = tmp_path / "cache"
    os.link(asking.path, cache)
    exchange_library(asking)
    assert cache.read_bytes() == ASKING


def test_doing_it_twice_does_it_once_there_and_back(asking: ExchangeLibrary) -> None:
    step = asking
    exchange_library(step)
    after = seen(Path(step.path).parent)
    assert exchange_library(step) == "already done"
    assert seen(Path(step.path).parent) == after
    bring_library_back(back_of(step))
    before = seen(Path(step.path).parent)
    assert "already" in bring_library_back(back_of(step))
    assert seen(Path(step.path).parent) == before


def test_one_that_was_cut_off_after_its_first_half_goes_on(asking: ExchangeLibrary) -> None:
    step = asking
    before = seen(Path(step.path).parent)
    os.link(step.path, step.kept)
    exchange_library(step)
    assert Path(step.path).read_bytes() != Path(step.kept).read_bytes()
    bring_library_back(back_of(step))
    assert seen(Path(step.path).parent) == before


def test_a_way_back_after_the_first_half_alone_leaves_one_file(asking: ExchangeLibrary) -> None:
    before = seen(Path(asking.path).parent)
    os.link(asking.path, asking.kept)
    bring_library_back(back_of(asking))
    assert seen(Path(asking.path).parent) == before


def refused(step: ExchangeLibrary) -> Trouble:
    before = seen(Path(step.path).parent)
    with pytest.raises(Trouble) as raised:
        exchange_library(step)
    assert seen(Path(step.path).parent) == before
    return raised.value


def test_a_library_that_changed_since_the_plan_is_left_alone(asking: ExchangeLibrary) -> None:
    Path(asking.path).write_bytes(b"another torch by now")
    assert "has changed" in refused(asking).happened


def test_a_file_that_is_no_library_is_left_alone(asking: ExchangeLibrary) -> None:
    Path(asking.path).write_bytes(b"x" * asking.bytes)
    assert "cannot be cleared" in refused(asking).happened


def test_a_link_to_elsewhere_is_not_exchanged(tmp_path: Path, asking: ExchangeLibrary) -> None:
    elsewhere = tmp_path / "elsewhere.so"
    Path(asking.path).rename(elsewhere)
    Path(asking.path).symlink_to(elsewhere)
    assert "is a link" in refused(asking).happened
    assert elsewhere.read_bytes() == ASKING


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_library_of_somebody_else_is_left_alone(asking: ExchangeLibrary) -> None:
    os.chown(asking.path, 1, 1)
    assert "belongs to another user" in refused(asking).happened


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_in_a_read_only_folder_nothing_changes(tmp_path: Path, asking: ExchangeLibrary) -> None:
    tmp_path.chmod(0o555)
    try:
        with pytest.raises(OSError, match="Permission denied"):
            exchange_library(asking)
        assert seen(tmp_path).keys() == {"libamdhip64.so"}
    finally:
        tmp_path.chmod(0o755)


def test_what_somebody_installed_since_is_not_taken_back(asking: ExchangeLibrary) -> None:
    step = asking
    exchange_library(step)
    Path(step.path).write_bytes(b"a newer torch")
    with pytest.raises(Trouble) as raised:
        bring_library_back(back_of(step))
    assert Path(step.path).read_bytes() == b"a newer torch"
    assert f"mv {step.kept} {step.path}" in raised.value.next_step


def test_what_was_installed_after_a_cut_is_never_written_over(asking: ExchangeLibrary) -> None:
    step = asking
    Path(step.kept).hardlink_to(step.path)
    Path(step.path).unlink()
    Path(step.path).write_bytes(b"a newer torch")
    with pytest.raises(Trouble, match="has changed"):
        exchange_library(step)
    assert Path(step.path).read_bytes() == b"a newer torch"
    assert Path(step.kept).read_bytes() == ASKING


def test_a_cut_between_keeping_and_exchanging_goes_on(asking: ExchangeLibrary) -> None:
    step = asking
    Path(step.kept).hardlink_to(step.path)
    exchange_library(step)
    assert not asks_for_executable_stack(Path(step.path))
    assert Path(step.kept).read_bytes() == ASKING
