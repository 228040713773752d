"""Faults of the network and of AMD's archive, as the owner meets them."""

from __future__ import annotations

import pytest

from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import packages
from tests.e2e.system.authority import HOST
from tests.e2e.system.owner import PATIENCE_S, Owner, OwnerIn, agree, end_of, with_57

pytestmark = pytest.mark.e2e


def test_a_network_that_fails_in_mid_download(owner: Owner, archive: ArchiveServer) -> None:
    archive.drop(0.5, "/5.2/", "hsa-rocr_")
    told = owner.failure()
    assert "The network connection failed" in told
    assert "Check the connection. If apt needs a proxy" in told
    assert "the same command again to continue" in told
    assert archive.asked("/5.2/", "hsa-rocr_")
    owner.lost_nothing()
    archive.restore()
    owner.goes_through()


def test_a_network_that_fails_takes_no_package_away(
    owner_in: OwnerIn, archive: ArchiveServer
) -> None:
    owner = with_57(owner_in)
    held = packages(owner.root)
    archive.drop(0.5, "/5.2/", "hsa-rocr_")
    told = owner.failure()
    assert "The network connection failed" in told
    assert "Nothing was removed" in told
    assert packages(owner.root) == held
    archive.restore()
    owner.goes_through()


def test_no_network_at_all(owner: Owner, archive: ArchiveServer) -> None:
    owner.root.resolve({HOST: "127.99.99.99"})
    told = owner.refusal()
    assert f"{HOST} refused the connection" in told
    assert "Nothing was changed" in told
    owner.root.resolve({HOST: archive.address})
    owner.is_as_before()
    owner.reaches_roots_question()


def test_a_copy_of_the_key_that_has_expired(owner: Owner, archive: ArchiveServer) -> None:
    archive.show_key("stale")
    told = owner.refusal()
    assert "was valid until 2020-12-31" in told
    assert "ask the operator of the mirror for the newer key" in told
    owner.is_as_before()
    archive.restore()
    owner.reaches_roots_question()


def test_a_key_of_somebody_else(owner: Owner, archive: ArchiveServer) -> None:
    archive.show_key("stranger")
    told = owner.refusal()
    assert "This is someone else's key" in told
    assert "--rocm-key-fingerprint" in told
    owner.is_as_before()
    archive.restore()
    owner.reaches_roots_question()


def test_lists_that_somebody_else_has_signed(owner: Owner, archive: ArchiveServer) -> None:
    archive.sign("stranger")
    told = owner.refusal()
    assert "The repository is not signed with the key that was checked" in told
    assert "--rocm-key-fingerprint" in told
    owner.is_as_before()
    archive.restore()
    owner.reaches_roots_question()


def test_lists_that_are_signed_by_somebody_else_after_the_review(
    owner: Owner, archive: ArchiveServer
) -> None:
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        archive.sign("stranger")
        agree(terminal)
        told = end_of(terminal)
    assert "The repository is not signed with the key that was checked" in told
    assert "so they were not used" in told
    assert "Never use [trusted=yes]" in told
    owner.lost_nothing()
    archive.restore()
    owner.goes_through()


def test_a_suite_that_does_not_exist(owner: Owner, archive: ArchiveServer) -> None:
    archive.remove("/rocm/apt/5.2/dists/")
    told = owner.refusal()
    assert "has no suite for this system" in told
    assert "--rocm-repo" in told
    owner.is_as_before()
    archive.restore()
    owner.reaches_roots_question()


def test_a_suite_that_is_gone_after_the_review(owner: Owner, archive: ArchiveServer) -> None:
    with owner.start() as terminal:
        terminal.wait_for("password for", PATIENCE_S)
        archive.remove("/rocm/apt/5.2/dists/")
        agree(terminal)
        told = end_of(terminal)
    assert f"This suite does not exist: https://{HOST}/rocm/apt/5.2 ubuntu" in told
    assert "or use another ROCm release" in told
    owner.lost_nothing()
    archive.restore()
    owner.goes_through()


def test_a_list_that_is_not_what_was_signed(owner: Owner, archive: ArchiveServer) -> None:
    archive.corrupt("/rocm/apt/5.2/dists/", "Packages")
    told = owner.refusal()
    assert "not match its own lists" in told
    assert "Wait a few minutes" in told
    owner.is_as_before()
    archive.restore()
    owner.reaches_roots_question()


def test_a_package_that_is_not_what_its_list_says(owner: Owner, archive: ArchiveServer) -> None:
    archive.corrupt("/5.2/", "hsa-rocr_")
    told = owner.failure()
    assert "A file from the repository does not match the checksum" in told
    assert "Wait a few minutes" in told
    owner.lost_nothing()
    archive.restore()
    owner.goes_through()


def test_a_broken_source_of_somebody_else_does_not_matter(owner: Owner) -> None:
    source = "deb [trusted=yes] https://nowhere.invalid/debian stable main\n"
    owner.root.write("/etc/apt/sources.list.d/broken.list", source)
    owner.goes_through()


def test_a_source_that_apt_cannot_even_read(owner: Owner) -> None:
    owner.root.write("/etc/apt/sources.list.d/broken.list", "this is no source\n")
    told = owner.refusal()
    assert "apt cannot read /etc/apt/sources.list.d/broken.list: Type 'this'" in told
    assert "that file" in told
    owner.root.path("/etc/apt/sources.list.d/broken.list").unlink()
    owner.is_as_before()
    owner.reaches_roots_question()
