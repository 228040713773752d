"""The list of a rehearsal, read and put into words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wizard.core.journal import Kind
from wizard.overlay.changes import Counts, read_changes, unexpected
from wizard.overlay.expected import why_expected
from wizard.overlay.rehearsed import (
    Rehearsed,
    find_rehearsed,
    headline,
    name_of,
    outcome_of,
    summary,
)
from wizard.overlay.space import SPARE_MB, installed_sizes, megabytes_of
from wizard.plan.identity import with_id
from wizard.plan.removal import system_plan
from wizard.plan.root_steps import AptChange
from wizard.plan.snapshot import with_snapshot
from wizard.plan.steps import Plan

GROUP, PROGRAM = "/etc/group", "/opt/rocm-5.2.0/bin/rocminfo"


def seen(kind: str = "file", **more: Any) -> dict[str, Any]:
    plain = {"mode": 0o644, "owner": 0, "group": 0, "size": 56_000, "target": ""}
    return {"kind": kind, **plain, **more}


def list_in(folder: Path, *records: dict[str, Any], name: str = "changes.jsonl") -> str:
    path = folder / name
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return str(path)


CASES: tuple[tuple[dict[str, Any], str], ...] = (
    ({"path": PROGRAM, "how": "created", "after": seen()}, f"+ {PROGRAM} (file, 56 kB)"),
    (
        {"path": "/opt/rocm", "how": "gone", "before": seen("link", target="/etc/x")},
        "- /opt/rocm (link to /etc/x)",
    ),
    (
        {"path": GROUP, "how": "changed", "before": seen(), "after": seen(size=57_000)},
        f"~ {GROUP} (content: 56 kB before, 57 kB now)",
    ),
    (
        {
            "path": GROUP,
            "how": "changed",
            "before": seen(sha256="a"),
            "after": seen(sha256="a", mode=0o600, owner=7),
        },
        f"~ {GROUP} (mode 0644 before, 0600 now, owner 0:0 before, 7:0 now)",
    ),
    (
        {"path": "/opt/x", "how": "changed", "before": seen("folder"), "after": seen()},
        "~ /opt/x (folder before, file, 56 kB now)",
    ),
    (
        {"path": "/opt/\x1b[2Jx\ny", "how": "created", "after": seen("folder")},
        "+ /opt/x?y (folder)",
    ),
)


@pytest.mark.parametrize(("record", "text"), CASES, ids=[text for _, text in CASES])
def test_a_change_is_told_on_one_plain_line(
    tmp_path: Path, record: dict[str, Any], text: str
) -> None:
    (change,) = read_changes(list_in(tmp_path, record))
    assert str(change) == text


def test_a_line_that_was_cut_off_is_passed_over(tmp_path: Path) -> None:
    file = list_in(tmp_path, CASES[0][0])
    with Path(file).open("a") as more:
        more.write('{"path": "/x", "how"')
    assert len(read_changes(file)) == 1


@pytest.mark.parametrize(
    "path",
    [
        "/var/log/dpkg.log",
        "/var/lib/dpkg/status-old",
        "/var/lib/dpkg/alternatives/rocm",
        "/etc/group-",
        "/var/cache/ldconfig/aux-cache",
    ],
)
def test_what_may_differ_after_the_way_back_has_a_reason(path: str) -> None:
    assert why_expected(path)


@pytest.mark.parametrize(
    "path",
    ["/etc/group", "/opt/rocm", "/etc/apt/sources.list.d/rocm.list", "/var/lib/dpkg/info/x.list"],
)
def test_what_should_be_as_before_has_none(path: str) -> None:
    assert why_expected(path) == ""


def done(there: Counts, back: Counts, **more: Any) -> Rehearsed:
    fields: dict[str, Any] = {"failed": 0, "undo_code": 0, "packages": (), "used_bytes": 10}
    return Rehearsed("rehearsal-1", there, back, **{**fields, **more})


THERE = Counts(412, 3, 1204, "")


def test_the_numbers_come_first() -> None:
    log = Counts(0, 1, 0, "")
    assert headline(done(THERE, log), 0) == (
        "412 new, 3 changed, 1,204 gone; after the rollback: everything is as before except logs, "
        "caches and similar files (1)"
    )
    assert headline(done(THERE, log), 7).endswith("everything is as before except 7 files")
    assert headline(done(THERE, Counts(0, 0, 0, "")), 0).endswith(": everything is as before")
    assert "step 2 of root's part FAILED" in headline(done(THERE, log, failed=2), 0)
    assert headline(done(THERE, log, undo_code=1), 0).endswith("NOT everything could be undone")
    assert headline(done(THERE, log, packages=("a", "b")), 1).endswith("1 file and 2 packages")


def test_what_the_plan_removes_for_good_is_no_failure_of_its_rehearsal() -> None:
    log = Counts(0, 1, 0, "")
    gone = done(THERE, log, undo_code=3, for_good=("a", "b"))
    assert gone.ok
    assert headline(gone, 0).endswith(
        "everything is as before except 2 packages removed permanently"
    )
    for other in (
        done(THERE, log, undo_code=3),
        done(THERE, log, undo_code=1, for_good=("a",)),
        done(THERE, log, undo_code=3, for_good=("a",), packages=("b",)),
        done(THERE, log, undo_code=3, for_good=("a",), failed=1),
    ):
        assert not other.ok
    told = [
        {"event": "changes", "when": "there", "created": 0, "changed": 0, "gone": 2, "file": ""},
        {"event": "rehearsed", "failed": 0, "undo": 3, "used": 1, "packages": ["gone", "other"]},
    ]
    change = AptChange("", "", remove=("gone",), for_good=(("gone", "1"),))
    found = outcome_of(system_plan(Kind.REMOVE, (change,), ()), "rehearsal-1", told)
    assert found is not None
    assert (found.packages, found.for_good) == (("other",), ("gone",))


def test_what_is_not_as_before_is_named(tmp_path: Path) -> None:
    log = {"path": "/var/log/dpkg.log", "how": "changed", "before": seen(), "after": seen()}
    file = list_in(tmp_path, CASES[0][0], log)
    lines = summary(done(THERE, Counts(1, 1, 0, file), packages=("rocm-core",)))
    assert "everything is as before except 1 file and 1 package" in lines[0]
    assert "Packages that differ: rocm-core" in lines
    assert f"different: {CASES[0][1]}" in lines
    assert not [line for line in lines if line.startswith("not as before") and "/var/log" in line]
    assert [change.path for change in unexpected(read_changes(file))] == [PROGRAM]


def test_a_list_that_cannot_be_read_is_not_told_as_everything_as_before(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.jsonl")
    lines = summary(done(THERE, Counts(1, 2, 0, gone), packages=("rocm-core",)))
    assert "everything is as before" not in " ".join(lines)
    assert "1 new, 2 changed, 0 gone" in lines[0]
    assert f"The list of differences in this file cannot be read: {gone}" in lines
    assert "Packages that differ: rocm-core" in lines
    fine = summary(done(THERE, Counts(0, 0, 0, gone)))
    assert fine[0].endswith("everything is as before.")
    assert len(fine) == 1


def plan_of(*steps: AptChange) -> Plan:
    return with_id(Plan("", Kind.INSTALL, "rocm52", "venv+system", "/x", steps, 0, 0, False, ()))


def test_space_is_what_comes_and_twice_what_goes() -> None:
    status = "Package: a\nInstalled-Size: 2000\nDescription: x\n Installed-Size: 7\n\nPackage: b\n"
    assert installed_sizes(status) == {"a": 2000 * 1024}
    change = AptChange(
        "why", "back", expect_remove=("a", "b"), download_bytes=4_000_000, installed_bytes=9_000_000
    )
    assert megabytes_of(plan_of(change), status) == 17 + SPARE_MB


def test_a_rehearsal_is_found_again_by_its_plan_with_a_snapshot_or_without(tmp_path: Path) -> None:
    plan = plan_of(AptChange("why", "back"))
    assert find_rehearsed(plan, tmp_path) is None
    for time, used in (("20260101-000000", 1), ("20260102-000000", 2), ("20260103-000000", 0)):
        folder = tmp_path / "runs" / name_of(with_snapshot(plan, "timeshift"), time)
        folder.mkdir(parents=True)
        counts = {"created": 1, "changed": 0, "gone": 0, "file": "/x"}
        events: list[dict[str, Any]] = [{"event": "changes", "when": "there", **counts}]
        if used:  # the newest came to no end
            end = {"failed": 0, "undo": 0, "packages": [], "used": used}
            events.append({"event": "rehearsed", **end})
        list_in(folder, *events, name="events.jsonl")
    found = find_rehearsed(plan, tmp_path)
    assert found is not None
    assert (found.run, found.used_bytes, found.there.created) == (
        name_of(plan, "20260102-000000"),
        2,
        1,
    )
