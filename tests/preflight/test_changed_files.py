"""Files of packages that somebody changed are found without root, so that a plan names them."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from tests.plan.system_machines import amd, with_packages
from wizard.apt.files import changed_files
from wizard.operations.packages import AptChange
from wizard.plan.leftover_files import FilesNow
from wizard.plan.removal import make_removal

INFO = "var/lib/dpkg/info"
LIBRARY, LINK, TOOL = "/opt/rocm/lib/x.so.1.0", "/opt/rocm/lib/x.so.1", "/opt/rocm/bin/tool"
SETTINGS = "/etc/rocm.conf"
LATER = 60


def install(root: Path) -> None:
    """As dpkg unpacks a package, with its lists."""
    files = {LIBRARY: "library", TOOL: "tool", SETTINGS: "settings"}
    for path, text in files.items():
        place = root / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)
    (root / LINK.lstrip("/")).symlink_to("x.so.1.0")
    info = root / INFO
    info.mkdir(parents=True)
    sums = (f"{hashlib.md5(t.encode()).hexdigest()}  {p[1:]}\n" for p, t in files.items())  # noqa: S324
    (info / "rocm-x.md5sums").write_text("".join(sums))
    (info / "rocm-x.conffiles").write_text(f"{SETTINGS}\n")
    (info / "rocm-x.list").write_text("\n".join(("/.", "/opt", *files, LINK, "")))


def unpacked_before(root: Path, seconds: float) -> None:
    """From now on the package counts as unpacked so long before its files were last touched."""
    file = root / INFO / "rocm-x.list"
    time = (root / LIBRARY.lstrip("/")).stat().st_ctime - seconds
    os.utime(file, (time, time))


def test_what_is_as_it_was_delivered_is_not_named(tmp_path: Path) -> None:
    install(tmp_path)
    assert changed_files(["rocm-x", "absent"], tmp_path) == {}


def test_what_was_touched_and_is_the_same_is_not_named(tmp_path: Path) -> None:
    install(tmp_path)
    os.utime(tmp_path / LINK.lstrip("/"), (0, 0), follow_symlinks=False)
    unpacked_before(tmp_path, LATER)
    assert changed_files(["rocm-x"], tmp_path) == {}


def test_other_contents_links_and_kinds_are_named_and_settings_are_not(tmp_path: Path) -> None:
    install(tmp_path)
    for path in (LIBRARY, SETTINGS):
        (tmp_path / path.lstrip("/")).write_text("mine")
    link = tmp_path / LINK.lstrip("/")
    link.unlink()
    link.symlink_to("/home/mine.so")
    unpacked_before(tmp_path, LATER)
    assert changed_files(["rocm-x"], tmp_path) == {LIBRARY: "rocm-x", LINK: "rocm-x"}
    link.unlink()
    link.write_text("a file now")
    assert LINK in changed_files(["rocm-x"], tmp_path)


def test_a_removal_names_those_of_the_packages_that_go() -> None:
    files = FilesNow(changed={LIBRARY: "comgr", "/opt/other": "stays"})
    plan = make_removal(with_packages(amd("comgr"), amd("rocm-core")), files=files)
    (change,) = (step for step in plan.steps if isinstance(step, AptChange))
    assert change.changed == (LIBRARY,)
    assert f"these changed files are kept in the backup: {LIBRARY}" in str(change)
