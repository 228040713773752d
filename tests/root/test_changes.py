"""What an upper folder of an overlay says, read beside the folder that it lies over."""

from __future__ import annotations

import json
import os
import random
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assets.root_helper import Layer, changes_in, file_systems

ROOT_ALONE = pytest.mark.skipif(
    os.geteuid() != 0, reason="only root may mount, and set trusted attributes"
)


@pytest.fixture
def layer(tmp_path: Path) -> Layer:
    """An empty system with nothing written over it."""
    for name in ("place", "upper"):
        (tmp_path / name).mkdir()
    return Layer(f"{tmp_path}/place", f"{tmp_path}/upper", "")


def put(folder: str, name: str, text: str = "x\n", mode: int = 0o644) -> Path:
    """A file, with the folders above it."""
    path = Path(folder, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def white_out(layer: Layer, name: str) -> None:
    """As the kernel says that something was removed."""
    path = Path(layer.upper, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mknod(path, stat.S_IFCHR, 0)


def told(layer: Layer) -> dict[str, str]:
    """How each thing changed, by its path below the place."""
    return {
        str(each["path"]).removeprefix(f"{layer.place}/"): each["how"] for each in list_of(layer)
    }


def list_of(layer: Layer) -> list[dict[str, Any]]:
    """The whole list."""
    return list(changes_in(layer))


def test_nothing_written_is_nothing_changed(layer: Layer) -> None:
    put(layer.place, "etc/a")
    assert told(layer) == {}


def test_what_was_copied_up_and_is_the_same_is_no_change(layer: Layer) -> None:
    put(layer.place, "etc/a")
    put(layer.upper, "etc/a")
    assert told(layer) == {}


def test_a_new_file_a_changed_one_and_one_with_other_rights_are_told_apart(layer: Layer) -> None:
    for name in ("etc/content", "etc/rights"):
        put(layer.place, name, "old\n")
    put(layer.upper, "etc/content", "new\n")
    put(layer.upper, "etc/rights", "old\n", 0o600)
    put(layer.upper, "opt/rocm/new")
    assert told(layer) == {
        "etc/content": "changed",
        "etc/rights": "changed",
        "opt": "created",
        "opt/rocm": "created",
        "opt/rocm/new": "created",
    }
    content = next(each for each in list_of(layer) if each["path"].endswith("content"))
    assert content["before"]["sha256"] != content["after"]["sha256"]
    assert (content["after"]["kind"], content["after"]["size"]) == ("file", 4)


def test_the_hash_of_what_not_everybody_may_read_is_not_told(layer: Layer) -> None:
    put(layer.place, "shadow", "old\n", 0o640)
    put(layer.upper, "shadow", "new\n", 0o640)
    (change,) = list_of(layer)
    assert "sha256" not in json.dumps(change)


def test_a_link_is_told_by_its_target(layer: Layer) -> None:
    for folder, target in ((layer.place, "rocm-5.7.1"), (layer.upper, "rocm-5.2.0")):
        Path(folder, "rocm").symlink_to(target)
    (change,) = list_of(layer)
    assert (change["before"]["target"], change["after"]["target"]) == ("rocm-5.7.1", "rocm-5.2.0")


def test_a_whiteout_takes_a_file_and_a_folder_with_all_below_it(layer: Layer) -> None:
    for name in ("opt/rocm/lib/a", "opt/rocm/b", "opt/kept", "etc/a"):
        put(layer.place, name)
    white_out(layer, "opt/rocm")
    white_out(layer, "etc/a")
    white_out(layer, "etc/never-there")
    gone = ("opt/rocm", "opt/rocm/lib", "opt/rocm/lib/a", "opt/rocm/b", "etc/a")
    assert told(layer) == dict.fromkeys(gone, "gone")


@ROOT_ALONE
def test_an_opaque_folder_hides_what_was_in_it(layer: Layer) -> None:
    for name in ("opt/rocm/old", "opt/rocm/same", "opt/rocm/lib/a"):
        put(layer.place, name)
    put(layer.upper, "opt/rocm/same")
    put(layer.upper, "opt/rocm/new")
    os.setxattr(f"{layer.upper}/opt/rocm", "trusted.overlay.opaque", b"y")
    assert told(layer) == {
        "opt/rocm/new": "created",
        "opt/rocm/old": "gone",
        "opt/rocm/lib": "gone",
        "opt/rocm/lib/a": "gone",
    }


@ROOT_ALONE
@pytest.mark.parametrize("target", [b"/opt/rocm", b"rocm"])
def test_a_folder_that_was_moved_is_gone_here_and_new_there(layer: Layer, target: bytes) -> None:
    put(layer.place, "opt/rocm/lib/a")
    put(layer.upper, "opt/moved/lib/b")
    white_out(layer, "opt/rocm")
    os.setxattr(f"{layer.upper}/opt/moved", "trusted.overlay.redirect", target)
    assert told(layer) == {
        "opt/moved": "created",
        "opt/moved/lib": "created",
        "opt/moved/lib/a": "created",
        "opt/moved/lib/b": "created",
        "opt/rocm": "gone",
        "opt/rocm/lib": "gone",
        "opt/rocm/lib/a": "gone",
    }


def test_a_file_in_place_of_a_folder_and_a_folder_in_place_of_a_file(layer: Layer) -> None:
    put(layer.place, "one/a")
    put(layer.place, "two")
    put(layer.upper, "one")
    put(layer.upper, "two/b")
    assert told(layer) == {"one": "changed", "one/a": "gone", "two": "changed", "two/b": "created"}


def test_a_link_in_the_system_is_not_followed(layer: Layer, tmp_path: Path) -> None:
    put(str(tmp_path), "elsewhere/a", "secret\n")
    Path(layer.place, "opt").symlink_to(tmp_path / "elsewhere")
    put(layer.upper, "opt/a", "mine\n")
    found = {each["path"].rpartition("/place/")[2]: each for each in list_of(layer)}
    assert found["opt/a"]["how"] == "created"
    assert "before" not in found["opt/a"]


STAGE = """
import json, os, random, shutil, stat, subprocess, sys
from pathlib import Path
base, seed = Path(sys.argv[1]), int(sys.argv[2])
merged = base / "merged"
options = f"lowerdir={base}/place,upperdir={base}/upper,workdir={base}/work,redirect_dir=on"
words = ("mount", "-t", "overlay", "-o", options + ",metacopy=off", "overlay", str(merged))
subprocess.run(words, check=True)
chance = random.Random(seed)
for number in range(60):
    paths = sorted(merged.rglob("*"))
    folders = [merged, *(p for p in paths if p.is_dir() and not p.is_symlink())]
    one = chance.choice(paths or folders)
    new = chance.choice(folders) / chance.choice("abcdefgh")
    act = chance.randrange(7)
    if act == 0 and not os.path.lexists(new):
        new.write_text(str(chance.randrange(3)))
    elif act == 1 and not os.path.lexists(new):
        new.mkdir()
    elif act == 2 and not os.path.lexists(new):
        new.symlink_to(chance.choice("abc"))
    elif act == 3 and one.is_dir() and not one.is_symlink() and number % 4 == 0:
        shutil.rmtree(one)
    elif act == 4 and os.path.lexists(one) and not one.is_dir():
        one.unlink()
    elif act == 5 and os.path.lexists(one) and not os.path.lexists(new):
        if one not in new.parents:
            one.rename(new)
    elif act == 6 and os.path.lexists(one) and not one.is_symlink():
        one.chmod(chance.choice((0o700, 0o755)))
print(json.dumps({str(p.relative_to(merged)): seen(p) for p in sorted(merged.rglob("*"))}))
"""
SEEN = """
def seen(path):
    state = path.lstat()
    if path.is_symlink():
        return ["link", str(path.readlink())]
    text = path.read_text() if path.is_file() else ""
    return [oct(state.st_mode), text]
"""
LOOK = f"""{SEEN}
import json, sys
from pathlib import Path
base = Path(sys.argv[1])
print(json.dumps({{str(p.relative_to(base)): seen(p) for p in sorted(base.rglob("*"))}}))
"""


@pytest.mark.e2e
@ROOT_ALONE
@pytest.mark.parametrize("seed", range(12))
def test_it_says_the_same_as_looking_at_the_whole_of_a_real_overlay(
    layer: Layer, tmp_path: Path, seed: int
) -> None:
    for name in ("work", "merged"):
        (tmp_path / name).mkdir()
    chance = random.Random(seed)  # noqa: S311 - trees, no secrets
    for _ in range(25):
        put(layer.place, "/".join(chance.choices("abcdxyz", k=chance.randint(1, 4))) + ".f")
    before = looked(layer.place)
    command = ("unshare", "--mount", sys.executable, "-c", SEEN + STAGE, str(tmp_path), str(seed))
    after = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    expected = {
        path: "created" if path not in before else "gone" if path not in after else "changed"
        for path in {*before, *after}
        if before.get(path) != after.get(path)
    }
    assert looked(layer.place) == before
    assert expected
    assert told(layer) == expected


def looked(folder: str) -> dict[str, Any]:
    """Everything below a folder."""
    command = (sys.executable, "-c", LOOK, folder)
    found: dict[str, Any] = json.loads(
        subprocess.run(command, check=True, capture_output=True).stdout
    )
    return found


MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
23 22 0:5 / /proc rw - proc proc rw
24 22 0:6 / /run/user/1000 rw - tmpfs tmpfs rw
25 22 8:3 / /opt rw - xfs /dev/sda3 rw
26 22 0:30 / /mnt/my\\040server rw - nfs4 server:/x rw
27 22 0:31 / /home/sam rw - nfs server:/home rw
28 22 8:1 / /boot/efi rw - vfat /dev/sda9 rw
29 22 0:40 / /home/sam/.gvfs rw - fuse.gvfsd-fuse gvfsd-fuse rw
30 22 0:41 / /mnt/auto rw - autofs systemd-1 rw
31 25 8:4 / /opt/data rw - btrfs /dev/sda4 rw
32 22 8:5 / /media/a\\040b rw - ext4 /dev/sda5 rw
"""


def test_an_overlay_is_laid_over_what_holds_files_of_this_machine_outer_ones_first() -> None:
    places = [each.place for each in file_systems(MOUNTS, ())]
    assert places == ["/", "/media/a b", "/opt", "/opt/data"]


def test_another_machines_files_are_there_when_a_package_file_lies_among_them() -> None:
    places = [each.place for each in file_systems(MOUNTS, ("/home/sam/.cache/x.deb",))]
    assert places == ["/", "/home/sam", "/media/a b", "/opt", "/opt/data"]
