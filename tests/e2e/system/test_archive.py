"""The stand-in archive is to apt what AMD's is, and fails as networks and archives do."""

from __future__ import annotations

import subprocess
import threading

import pytest

from tests.e2e.system.archive_server import ArchiveServer
from tests.e2e.system.asking import origins, packages
from tests.e2e.system.rocm_packages import read_data
from tests.e2e.system.roots import Root
from tests.e2e.system.states import KEYRING, SOURCE_57, SOURCE_LIST, Enter

pytestmark = pytest.mark.e2e
MIOPEN = ("miopen-hip_", "/5.7.1/")


def update(root: Root) -> tuple[int, str]:
    """apt's update of everything, and its words."""
    strict = ("-o", "APT::Update::Error-Mode=any")
    done = root.run("apt-get", *strict, "update", check=False)
    return done.returncode, done.stdout + done.stderr


def install(root: Root, *options: str) -> tuple[int, str]:
    """miopen-hip with all it needs."""
    done = root.run("apt-get", "-y", *options, "install", "miopen-hip", check=False)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def root(enter: Enter) -> Root:
    """A root with AMD's source for 5.7.1."""
    return enter(SOURCE_57)


def test_apt_believes_the_signature_and_the_pin_holds(root: Root) -> None:
    assert update(root)[0] == 0
    told = root.run("apt-cache", "policy", "rocminfo").stdout
    assert "Candidate: 1.0.0.50701-98~22.04\n" in told
    assert "600 https://repo.radeon.com/rocm/apt/5.7.1 jammy/main amd64 Packages" in told
    release = root.run("apt-cache", "policy").stdout
    assert "release v=5.7.1,o=repo.radeon.com,a=jammy,n=jammy,l=repo.radeon.com,c=main" in release


def test_it_answers_http_as_well(root: Root) -> None:
    path = root.path(SOURCE_LIST)
    path.write_text(path.read_text().replace("https:", "http:"))
    assert update(root)[0] == 0
    assert install(root)[0] == 0
    found = origins(root, ["miopen-hip"])["miopen-hip"]
    assert any("http://repo.radeon.com" in line for line in found)


def test_a_connection_that_breaks_fails_and_the_next_run_goes_on(
    root: Root, archive: ArchiveServer
) -> None:
    archive.drop(0.5, *MIOPEN)
    code, words = install(root)
    assert code == 100
    assert "Failed to fetch https://repo.radeon.com/rocm/apt/5.7.1/pool" in words
    assert "miopen-hip" not in packages(root)
    archive.restore()
    assert install(root)[0] == 0
    ranges = [asked for _, path, asked in archive.served.requests if MIOPEN[0] in path]
    assert [asked for asked in ranges if asked.startswith("bytes=")] != []


def test_a_changed_byte_is_a_hash_sum_mismatch(root: Root, archive: ArchiveServer) -> None:
    archive.corrupt(*MIOPEN)
    code, words = install(root)
    assert code == 100
    assert "Hash Sum mismatch" in words


def test_an_answer_that_stalls_is_given_up_after_apts_timeout(
    root: Root, archive: ArchiveServer
) -> None:
    archive.stall(0.5, *MIOPEN)
    code, words = install(root, "-o", "Acquire::https::Timeout=2")
    assert code == 100
    assert archive.held.is_set()
    assert "Connection timed out" in words


def test_a_stall_can_be_waited_for_and_ended(root: Root, archive: ArchiveServer) -> None:
    archive.stall(0.5, *MIOPEN)
    process = root.start("apt-get", "-y", "install", "miopen-hip", stderr=subprocess.STDOUT)
    told: list[str] = []
    reader = threading.Thread(target=lambda: told.append(process.communicate("", 60)[0]))
    reader.start()
    assert archive.held.wait(60)
    assert reader.is_alive()
    archive.release()
    reader.join()
    assert process.returncode == 100, told


def test_a_suite_that_is_not_there_has_no_release_file(root: Root) -> None:
    path = root.path(SOURCE_LIST)
    path.write_text(path.read_text().replace(" jammy ", " focal "))
    code, words = update(root)
    assert code == 100
    assert "apt/5.7.1 focal Release' does not have a Release file." in words


def test_a_strangers_signature_is_not_believed(root: Root, archive: ArchiveServer) -> None:
    archive.sign("stranger")
    code, words = update(root)
    assert code == 100
    assert "NO_PUBKEY" in words


def test_an_old_copy_of_the_key_has_expired_and_the_new_one_mends_it(
    root: Root, archive: ArchiveServer
) -> None:
    fresh = root.path(KEYRING).read_bytes()
    root.path(KEYRING).unlink()
    root.run("gpg", "--dearmor", "--output", KEYRING, text=archive.archive.stale_key())
    code, words = update(root)
    assert code == 100
    assert f"EXPKEYSIG {archive.archive.fingerprint[-16:]}" in words
    root.path(KEYRING).write_bytes(fresh)
    assert update(root)[0] == 0


def test_the_key_file_shown_can_be_ours_an_old_one_or_a_strangers(
    root: Root, archive: ArchiveServer
) -> None:
    shown = {}
    for which in ("own", "stale", "stranger"):
        archive.show_key(which)
        fetch = "import urllib.request as net; print(net.urlopen(net.sys.argv[1]).read().decode())"
        key = root.run("python3", "-c", fetch, "https://repo.radeon.com/rocm/rocm.gpg.key").stdout
        rows = root.run("gpg", "--show-keys", "--with-colons", text=key).stdout.splitlines()
        fields = [row.split(":") for row in rows]
        valid = next(row[1] for row in fields if row[0] == "pub")
        shown[which] = (valid, next(row[9] for row in fields if row[0] == "fpr"))
    fingerprint = archive.archive.fingerprint
    assert shown["own"] == ("-", fingerprint)
    assert shown["stale"] == ("e", fingerprint)
    assert shown["stranger"][1] != fingerprint


def test_every_exact_dependency_names_a_package_of_the_same_repository() -> None:
    data = read_data()
    for row in data["repositories"]:
        for name in row["packages"]:
            words = row.get("depends", {}).get(name, data["modules"][name].get("depends", []))
            exact = {word[1:] for word in words if word.startswith("=")}
            assert exact <= set(row["packages"]), f"{row['path']}: {name}"
