"""What the root helper takes for a request: its own verbs with plain arguments, and no more."""

from __future__ import annotations

import base64
import json
import os
import pwd
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from assets.root import __main__ as starter
from assets.root import terminal
from assets.root.journal import send
from assets.root.package_files import _copy_hashed
from assets.root.packages import Package
from assets.root.places import refuse_lines
from assets.root.requests import (
    VERBS,
    Person,
    Request,
    read_plan,
    read_request,
    strict_json,
)
from assets.root.serve import ACTIONS, _take_own_end, who_asks
from assets.root.terminal import describe, edited, shown
from assets.root.trouble import Trouble, Wrong
from tests.apt.asked import EXPIRED, EXPIRED_FINGERPRINT, VALID, VALID_FINGERPRINT
from tests.root.conversation import RUN, Event, apt_change, keep_debs, put_back, set_aside
from tests.root.conversation import write_file as write

OWNER = Person("owner", 1000, 1000, through_sudo=True)
SOURCE = "/etc/apt/sources.list.d/rdna1-setup-rocm.list"
KEYRING = "/etc/apt/keyrings/rdna1-setup-rocm.asc"
LINE = f"deb [arch=amd64 signed-by={KEYRING}] https://repo.radeon.com/rocm/apt/5.7.1 jammy main\n"
KEY = VALID.decode()
PROFILE = "/etc/profile.d/x.sh"
RULES = "/etc/udev/rules.d/70-kfd.rules"
PIN = "Package: *\nPin: release o=repo.radeon.com\nPin-Priority: 600\n"


def no_word(request: Event) -> Event:
    """As it was before a request had to say what goes for good."""
    return {name: value for name, value in request.items() if name != "for_good"}


GOOD: tuple[Event, ...] = (
    {"verb": "apt_update"},
    {"verb": "configure"},
    apt_change((("rocm-core", "5.2.0.50200-65"), ("g++", "4:12.2.0-3"))),
    apt_change((), ("rocm-llvm", "libfoo:i386"), purge=True),
    apt_change((), ("rocm-llvm", "rocm-core"), for_good=(("rocm-core", "5.7.1.50701-98"),)),
    apt_change(
        (),
        debs=(("/home/owner/.cache/rdna1-setup/a b.deb", "0" * 64),),
        expect_install=(("rdna1-setup-rocm52-compat", "1.0"),),
    ),
    keep_debs(("rocm-core", "5.7.1.50701-98~22.04")),
    write(SOURCE, LINE),
    write(SOURCE, f"# ours\n{LINE}", before="0" * 64),
    write(SOURCE, LINE.replace("https://repo.radeon.com/rocm/apt/5.7.1", "file:/srv/mirror")),
    write(KEYRING, KEY),
    write("/etc/apt/preferences.d/rdna1-setup-rocm", PIN),
    write("/etc/apt/sources.list.d/ubuntu.sources", "", before="0" * 64),
    write("/etc/apt/sources.list", "# nothing\n", before="0" * 64),
    write("/etc/profile.d/rdna1-setup-rocm.sh", "export HSA_OVERRIDE_GFX_VERSION=10.3.0\n"),
    write("/etc/profile.d/x.sh", 'export PATH="$PATH:/opt/rocm/bin:/opt/rocm/opencl/bin"\n'),
    write("/etc/ld.so.conf.d/rdna1-setup-rocm.conf", "/opt/rocm-5.2.0/lib\n"),
    write(
        "/etc/udev/rules.d/70-kfd.rules",
        'SUBSYSTEM=="kfd", KERNEL=="kfd", TAG+="uaccess", GROUP="render", MODE="0660"\n',
    ),
    write(RULES, 'KERNEL=="renderD*|card[0-9]", SUBSYSTEM=="drm", MODE="0666"\n'),
    write(PROFILE, "export MIOPEN_DEBUG_CONV_DIRECT=0 \n"),
    write(PROFILE, "export ROCM_PATH=/opt/rocm-5.2.0\n\t# ours\n"),
    write(PROFILE, "export PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:128,expandable:True\n"),
    set_aside("/opt/rocm-5.7.1"),
    set_aside("/opt/amdgpu"),
    set_aside("/etc/apt/trusted.gpg.d/rocm-keyring.gpg"),
    set_aside("/etc/apt/sources.list.d/archive_uri-https_repo_radeon_com-jammy.list"),
    set_aside("/etc/OpenCL/vendors/amdocl64_50701_98.icd"),
    set_aside("/etc/modprobe.d/blacklist-radeon-amdgpu.conf"),
    set_aside("/var/lib/dpkg/alternatives/rocm"),
    put_back("/etc/apt/sources.list"),
    put_back("/opt/rocm"),
    {"verb": "join_groups", "user": "owner", "groups": ["render", "video"]},
    {"verb": "leave_groups", "user": "owner", "groups": ["video"]},
    {"verb": "mark", "auto": ["rocm-core"], "manual": ["rocm-llvm"]},
    {"verb": "restore_settings", "run": "20250101-000000-abcdef"},
    {"verb": "snapshot", "tool": "timeshift", "config": ""},
    {"verb": "snapshot", "tool": "snapper", "config": "root"},
)


@pytest.mark.parametrize("request_", GOOD, ids=lambda request: request["verb"])
def test_a_request_of_a_plan_is_taken(request_: Event) -> None:
    request = read_request(json.loads(json.dumps(request_)), OWNER)
    assert request.verb == request_["verb"]
    assert describe(request), "terminal.describe says what it does, before root's part asks"


def test_every_verb_has_an_action_and_no_action_lacks_a_verb() -> None:
    assert set(VERBS) == set(ACTIONS)
    assert {request["verb"] for request in GOOD} == set(VERBS)


@pytest.mark.parametrize("request_", GOOD, ids=lambda request: request["verb"])
def test_a_request_with_a_key_more_or_less_is_refused(request_: Event) -> None:
    with pytest.raises(Wrong, match="takes exactly"):
        read_request({**request_, "root": "/tmp"}, OWNER)
    for key in set(request_) - {"verb"}:
        fewer = {name: value for name, value in request_.items() if name != key}
        with pytest.raises(Wrong, match="takes exactly"):
            read_request(fewer, OWNER)


WRONG: tuple[tuple[str, Any], ...] = (
    ("an option for a name", apt_change((("--force-yes", "1"),))),
    ("an option for a name to remove", apt_change((), ("-oDpkg::Options::=--force-all",))),
    ("a name that means removing", apt_change((("rocm-core-", "1"),))),
    ("a name that means another list", apt_change((), ("rocm-core/jammy",))),
    ("a glob", apt_change((), ("rocm*",))),
    ("a name with a line end", apt_change((), ("rocm-core\n",))),
    ("a path for a name", apt_change((("./evil.deb", "1"),))),
    ("an option for a version", apt_change((("rocm-core", "-o"),))),
    ("a version with a blank", apt_change((("rocm-core", "1 --purge"),))),
    ("amdgpu-dkms", apt_change((("amdgpu-dkms", "1"),))),
    (
        "amdgpu-dkms that comes along",
        apt_change((("a1", "1"),), expect_install=(("amdgpu-dkms", "1"),)),
    ),
    ("the C library out", apt_change((), ("libc6",))),
    ("Mesa out", apt_change((), ("mesa-vulkan-drivers:i386",))),
    ("the firmware going along", apt_change((), ("a1",), expect_remove=("a1", "linux-firmware"))),
    ("in and out at once", apt_change((("a1", "1"),), ("a1",))),
    ("two versions at once", apt_change((("a1", "1"), ("a1", "2")))),
    ("nothing at all", apt_change()),
    ("for good what is not to go", apt_change((), ("a1",), for_good=(("a2", "1"),))),
    ("for good what is to come", apt_change((("a1", "1"),), for_good=(("a1", "1"),))),
    ("for good in two versions", apt_change((), ("a1",), for_good=(("a1", "1"), ("a1", "2")))),
    ("for good without a version", {**apt_change((), ("a1",)), "for_good": ["a1"]}),
    ("without a word on what goes for good", no_word(apt_change((), ("a1",)))),
    ("a deb by a relative path", apt_change(debs=(("x.deb", "0" * 64),))),
    ("a deb by a winding path", apt_change(debs=(("/home/owner/../../etc/x.deb", "0" * 64),))),
    ("a deb with half a hash", apt_change(debs=(("/x.deb", "0" * 63),))),
    ("truth as a number", {**apt_change((("a1", "1"),)), "purge": 1}),
    ("another tool", {"verb": "snapshot", "tool": "sh", "config": ""}),
    ("an option for a config", {"verb": "snapshot", "tool": "snapper", "config": "--root=/x"}),
    ("a config that a tool lacks", {"verb": "snapshot", "tool": "timeshift", "config": "root"}),
    ("a file elsewhere", write("/etc/passwd", "x")),
    ("a file above", write("/etc/profile.d/../passwd", "x")),
    ("a file below", write("/etc/profile.d/sub/x.sh", "")),
    ("a hidden file", write("/etc/profile.d/.x.sh", "")),
    ("a source that apt would not read", write("/etc/apt/sources.list.d/x.txt", LINE)),
    ("a path that reads backwards", set_aside("/opt/rocm-\u202e2.5")),
    ("a source that reads backwards", write(SOURCE, LINE.replace("jammy", "\u2066jammy"))),
    ("a path with a NUL", write("/etc/profile.d/x\x00.sh", "")),
    ("a path with a line end", write("/etc/profile.d/x.sh\n", "")),
    ("an unsigned source", write(SOURCE, "deb https://example.org/ jammy main\n")),
    ("a trusted source", write(SOURCE, LINE.replace("arch=amd64", "trusted=yes"))),
    ("a second source smuggled in", write(SOURCE, f"{LINE}deb http://example.org/ x main\n")),
    ("a source behind a carriage return", write(SOURCE, f"# x\r{LINE}")),
    ("a NUL in a source", write(SOURCE, LINE.replace("jammy", "jam\x00my"))),
    ("a login in a source", write(SOURCE, LINE.replace("repo.", "me:secret@repo."))),
    ("the key of another maker", write("/etc/apt/keyrings/docker.asc", KEY, before="0" * 64)),
    ("a key that is none", write(KEYRING, "#!/bin/sh\n")),
    ("a word behind a key", write(KEYRING, f"{KEY}x\n")),
    ("a loader path in a profile", write("/etc/profile.d/x.sh", "export LD_PRELOAD=/tmp/x.so\n")),
    ("a program in a profile", write("/etc/profile.d/x.sh", "export HSA_X=$(id)\n")),
    ("a blank that is none to the shell", write(PROFILE, "\u00a0# $(id)\n")),
    ("a wide blank", write(PROFILE, "\u3000#;id\n")),
    ("a library for every program", write(PROFILE, "export HSA_TOOLS_LIB=/tmp/x.so\n")),
    ("a library by its name", write(PROFILE, "export HSA_TOOLS_LIB=x.so\n")),
    ("a library by a number", write(PROFILE, "export HSA_V2_TOOLS_LIB=x.so\n")),
    ("a compiler", write(PROFILE, "export PYTORCH_NVCC=/tmp/x\n")),
    ("a ROCm of one's own", write(PROFILE, "export ROCM_PATH=/home/owner/rocm\n")),
    ("a ROCm where one stands", write(PROFILE, "export ROCM_PATH=rocm\n")),
    ("a second path", write(PROFILE, "export ROCM_PATH=/opt/rocm:/tmp\n")),
    ("a path in front", write("/etc/profile.d/x.sh", "export PATH=/tmp:$PATH\n")),
    (
        "a winding path in a profile",
        write("/etc/profile.d/x.sh", "export PATH=$PATH:/opt/rocm/../../tmp\n"),
    ),
    ("a loader path elsewhere", write("/etc/ld.so.conf.d/x.conf", "/tmp/lib\n")),
    ("a loader path that winds", write("/etc/ld.so.conf.d/x.conf", "/opt/rocm/../../tmp\n")),
    ("a loader file that includes", write("/etc/ld.so.conf.d/x.conf", "include /tmp/*.conf\n")),
    ("a rule that runs", write("/etc/udev/rules.d/x.rules", 'KERNEL=="kfd", RUN+="/tmp/x"\n')),
    ("a disk for all", write(RULES, 'KERNEL=="sda", MODE="0666"\n')),
    ("a disk beside", write(RULES, 'KERNEL=="kfd|sda", MODE="0666"\n')),
    ("disks by a glob", write(RULES, 'KERNEL=="*d*", MODE="0666"\n')),
    ("memory", write(RULES, 'SUBSYSTEM=="mem", GROUP="video"\n')),
    ("every device", write(RULES, 'MODE="0666"\n')),
    ("every device of the seat", write(RULES, 'TAG+="uaccess"\n')),
    ("a device after all", write(RULES, 'MODE="0666", KERNEL=="kfd"\n')),
    ("a device for all", write("/etc/udev/rules.d/x.rules", 'KERNEL=="sda", GROUP="users"\n')),
    ("a pin above all", write("/etc/apt/preferences.d/x", PIN.replace("600", "1001"))),
    ("a mode for all", write(SOURCE, LINE, mode=0o666)),
    ("a mode with more bits", write(SOURCE, LINE, mode=0o4755)),
    ("a mode in text", {**write(SOURCE, LINE), "mode": "0644"}),
    ("a surrogate", write("/etc/profile.d/x.sh", "# \ud800\n")),
    ("aside from elsewhere", set_aside("/etc/shadow")),
    ("aside of all of /opt", set_aside("/opt")),
    ("aside below a tree", set_aside("/opt/rocm/lib")),
    ("aside of the sources", set_aside("/etc/apt/sources.list")),
    ("aside by a winding path", set_aside("/opt/rocm/../../etc")),
    ("aside of somebody's key", set_aside("/etc/apt/trusted.gpg.d/debian.gpg")),
    ("aside of an alternative", set_aside("/etc/alternatives/editor")),
    ("back to elsewhere", put_back("/etc/shadow")),
    ("another user", {"verb": "join_groups", "user": "root", "groups": ["video"]}),
    ("another group", {"verb": "join_groups", "user": "owner", "groups": ["sudo"]}),
    ("groups in one word", {"verb": "join_groups", "user": "owner", "groups": "video"}),
    ("no group", {"verb": "leave_groups", "user": "owner", "groups": []}),
    ("no mark", {"verb": "mark", "auto": [], "manual": []}),
    ("both marks", {"verb": "mark", "auto": ["a1"], "manual": ["a1"]}),
    ("no such verb", {"verb": "run", "argv": ["id"]}),
    ("a verb in a list", {"verb": ["apt_update"]}),
    ("no object", ["apt_update"]),
    ("nothing", None),
)


@pytest.mark.parametrize("request_", [wrong for _, wrong in WRONG], ids=[name for name, _ in WRONG])
def test_a_request_for_anything_else_is_refused(request_: Any) -> None:
    with pytest.raises(Wrong):
        read_request(request_, OWNER)


def plan_line(**changes: Any) -> bytes:
    plan = {"schema": 1, "run": RUN, "steps": [{"verb": "apt_update"}], **changes}
    return json.dumps(plan).encode()


def test_a_plan_is_known_by_the_start_of_its_hash() -> None:
    plan = read_plan(plan_line(), OWNER)
    assert (plan.run, len(plan.steps), plan.yes) == (RUN, 1, False)
    assert len(plan.digest) == 12
    assert plan.digest != read_plan(plan_line(run="20250101-000000-fedcba"), OWNER).digest


@pytest.mark.parametrize(
    "changes",
    [
        {"schema": 2},
        {"schema": True},
        {"run": "../x"},
        {"run": "-x"},
        {"run": ""},
        {"steps": []},
        {"steps": [{"verb": "apt_update"}] * 501},
        {"steps": {"verb": "apt_update"}},
        {"yes": 1},
        {"root": "/tmp"},
    ],
)
def test_a_plan_of_another_form_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Wrong):
        read_plan(plan_line(**changes), OWNER)


def test_one_bad_step_refuses_the_whole_plan_and_is_named() -> None:
    with pytest.raises(Wrong, match="step 2: "):
        read_plan(plan_line(steps=[{"verb": "configure"}, {"verb": "x"}]), OWNER)


@pytest.mark.parametrize(
    "line",
    [
        b'{"verb": "apt_update", "verb": "configure"}',
        b'{"mode": 1.5}',
        b'{"mode": NaN}',
        b'{"mode": 99999999999}',
        b"[" * 200_000,
        b'{"a":' * 100_000,
        b'"\xff"',
        b"",
        b"{}{}",
    ],
)
def test_json_that_could_mean_two_things_is_refused(line: bytes) -> None:
    with pytest.raises(Wrong):
        strict_json(line)


OLD = "deb http://deb.example.org/debian bookworm main\ndeb [trusted=yes] http://x.example/ ./\n"


def test_an_edited_source_may_keep_what_was_there() -> None:
    refuse_lines("/etc/apt/sources.list", OLD, OLD.replace("deb [", "# deb ["))
    refuse_lines("/etc/apt/sources.list", OLD, OLD.splitlines(keepends=True)[1])


@pytest.mark.parametrize(
    "new", [f"{OLD}deb http://y.example/ ./\n", OLD.replace("x.example", "y.example")]
)
def test_an_edited_source_may_not_gain_one(new: str) -> None:
    with pytest.raises(Wrong):
        refuse_lines("/etc/apt/sources.list", OLD, new)


SCRIPT = "if true; then\n  export ROCM_PATH=/opt/rocm\n  echo hello\nfi\n"


def test_an_edited_profile_may_lose_lines_but_not_move_them() -> None:
    refuse_lines("/etc/profile.d/x.sh", SCRIPT, SCRIPT.replace("  echo hello\n", ""))
    with pytest.raises(Wrong):
        refuse_lines("/etc/profile.d/x.sh", SCRIPT, "fi\nif true; then\n")


TEXTS = 'WELCOME="it is\nfine"\ncat <<END\nhello\nEND\n'


@pytest.mark.parametrize("line", ['# "; touch /tmp/x; "', "# $(touch /tmp/x)", "# plain"])
def test_a_script_of_others_gains_no_comment_for_it_could_stand_inside_a_text(line: str) -> None:
    for place in ("it is\n", "hello\n"):
        with pytest.raises(Wrong):
            refuse_lines(PROFILE, TEXTS, TEXTS.replace(place, f"{place}{line}\n"))
    refuse_lines(PROFILE, f"{line}\n{TEXTS}", f"{line}\n{TEXTS}")
    refuse_lines(PROFILE, "export HSA_X=1\n", f"{line}\nexport HSA_X=2\n")
    refuse_lines(PROFILE, TEXTS, f"{line}\nexport HSA_X=2\n")  # nothing of theirs is left


STANZAS = (
    "Types: deb\nURIs: http://a.example/\nSuites: x\nSigned-By: /a.gpg\n\nTypes: deb\nURIs: b\n"
)


def test_an_edited_stanza_may_only_be_switched_off_or_go() -> None:
    path = "/etc/apt/sources.list.d/x.sources"
    refuse_lines(path, STANZAS, STANZAS.replace("Types", "Enabled: no\nTypes", 1))
    refuse_lines(path, STANZAS, STANZAS.split("\n\n", 1)[1])
    with pytest.raises(Wrong):
        refuse_lines(path, STANZAS, STANZAS.replace("Signed-By: /a.gpg\n", ""))
    with pytest.raises(Wrong):
        refuse_lines(path, STANZAS, f"{STANZAS}\nTypes: deb\nURIs: http://evil.example/\n")
    with pytest.raises(Wrong):
        refuse_lines(path, STANZAS, STANZAS.replace("/a.gpg", "/a.gpg\u00a0"))


INLINE = (
    "# of somebody else\nTypes: deb\nURIs: https://b.example/\nSuites: stable\nComponents: main\n"
    "Enabled: no\nSigned-By:\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mDMEXgvhABYJ\n"
    " -----END PGP PUBLIC KEY BLOCK-----\n"
)


@pytest.mark.parametrize("switch", ["Enabled: yes", "Enabled: no", "enabled: yes", "Enabled : no"])
def test_a_switch_takes_no_key_away_from_its_source(switch: str) -> None:
    path = "/etc/apt/sources.list.d/x.sources"
    apart = INLINE.replace("Enabled: no\n", "")
    refuse_lines(path, INLINE, INLINE.replace("Enabled: no", "Enabled: yes"))
    for old in (INLINE, apart):
        lines = apart.split("\n")
        for place in range(lines.index("Signed-By:") + 1, len(lines) - 1):
            new = "\n".join([*lines[:place], switch, *lines[place:]])
            with pytest.raises(Wrong):
                refuse_lines(path, old, new)


@pytest.mark.parametrize(
    "new",
    [
        INLINE.replace("Enabled: no", "Enabled: yes\n no"),
        INLINE.replace("Enabled: no", "Enabled: yes\nEnabled: no"),
        INLINE.replace("Enabled: no", "Enabled: yes\n \nEnabled: no"),
        INLINE.replace("Enabled: no", " Enabled: no"),
        INLINE.replace("Enabled: no\n", "\n"),
        INLINE.replace(" -----END PGP PUBLIC KEY BLOCK-----\n", ""),
        INLINE.replace("Enabled: no", "Trusted: yes"),
        f"{INLINE}Types: deb\n",
        STANZAS.split("\n\n")[1] + "\n" + STANZAS.split("\n\n")[0] + "\n",
    ],
)
def test_a_stanza_changes_in_nothing_but_its_switch(new: str) -> None:
    with pytest.raises(Wrong):
        refuse_lines("/etc/apt/sources.list.d/x.sources", f"{INLINE}\n{STANZAS}", new)


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("mesa-amdgpu-va-drivers", False),
        ("libdrm2-amdgpu", False),
        ("libdrm-amdgpu-amdgpu1", False),
        ("libllvm15.0.50701-amdgpu", False),
        ("xserver-xorg-amdgpu-video-amdgpu", False),
        ("amdgpu-dkms", False),
        ("rocm-llvm", False),
        ("libdrm-amdgpu1", True),
        ("xserver-xorg-video-amdgpu", True),
        ("libgl1-mesa-dri:i386", True),
        ("linux-image-6.8.0-52-generic", True),
        ("linux-modules-extra-6.8.0-52-generic", True),
        ("libllvm17t64", True),
        ("libllvm15", True),
        ("ocl-icd-libopencl1", True),
        ("python3", True),
    ],
)
def test_amds_copies_may_go_and_the_systems_own_may_not(name: str, kept: bool) -> None:
    request = apt_change((), (name,))
    if kept:
        with pytest.raises(Wrong, match="never removed"):
            read_request(request, OWNER)
    else:
        assert read_request(request, OWNER).verb == "apt_change"


def test_what_goes_for_good_is_asked_in_a_sentence_of_its_own() -> None:
    lost = tuple((f"rocm-part{number}", "5.7.1.50701-98~22.04") for number in range(60))
    names = tuple(name for name, _ in lost)
    usual, told = (
        " ".join(" ".join(describe(read_request(request, OWNER))).split())
        for request in (apt_change((), names), apt_change((), names, for_good=lost))
    )
    assert "for good" not in usual
    listed = " ".join(f"{name}={version}" for name, version in lost)
    sentence = "These packages are removed permanently, because no package file is kept for them:"
    assert told == f"{usual} {sentence} {listed}"


def told_of(path: Path, content: str) -> list[str]:
    """What the terminal shows of a file that is to be written, without its first line."""
    request = Request("write_file", {"path": str(path), "content": content, "mode": 0o644})
    first, *rest = describe(request)
    assert first == f"write {path}"
    return [line.removeprefix("    ") for line in rest]


@pytest.mark.parametrize(
    "line", ["deb [signed-by=/etc/apt/keyrings/x.asc] http://example.org/ x main", "\t deb-src x"]
)
def test_every_line_of_a_new_file_is_shown_comments_too(tmp_path: Path, line: str) -> None:
    found = told_of(tmp_path / "x.list", f"# said\n{line}\n")
    assert found == ["+ # said", f"+ {ascii(line)[1:-1]}"]


def test_a_long_line_is_shown_to_its_end(tmp_path: Path) -> None:
    line = "Package: " + " ".join(f"rocm-part{number}" for number in range(100)) + " *"
    assert told_of(tmp_path / "x", f"{line}\n") == [f"+ {line}"]


def test_a_file_is_shown_by_what_it_gains_and_loses() -> None:
    first, *rest = Path("/etc/passwd").read_text().splitlines()
    found = edited("/etc/passwd", f"{first}\nexport HSA_X=1\n")
    lost = [f"    - {line}" for line in rest]
    assert sorted(found) == sorted(["    + export HSA_X=1", *lost])


def test_a_line_that_is_moved_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    old = "Package: *\nPin: release o=a\nPin-Priority: 1\n\nPackage: x\nPin: release o=b\n"
    monkeypatch.setattr(terminal, "read_at", lambda _: (old.encode(), None))
    new = old.replace("Package: *", "Package: #").replace("Package: x", "Package: *")
    assert edited("/etc/apt/preferences.d/x", new.replace("Package: #", "Package: x")) == [
        "    - Package: *",
        "    + Package: x",
        "      Pin: release o=a",
        "      Pin-Priority: 1",
        "    - Package: x",
        "    + Package: *",
        "      Pin: release o=b",
    ]


def test_a_pin_that_changes_is_shown_with_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    other = "Package: *\nPin: release o=a\nPin-Priority: 1\n\n"
    old = f"{other}Package: sudo\nPin: origin example.org\nPin-Priority: -1\n"
    monkeypatch.setattr(terminal, "read_at", lambda _: (old.encode(), None))
    assert edited("/etc/apt/preferences.d/x", old.replace("-1", "1000")) == [
        "      Package: sudo",
        "      Pin: origin example.org",
        "    - Pin-Priority: -1",
        "    + Pin-Priority: 1000",
    ]


def test_what_is_no_utf8_does_not_become_something_else_unseen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    old = "# M\xfcller\nBASE=/opt/M\xfcller\n".encode("latin-1")
    monkeypatch.setattr(terminal, "read_at", lambda _: (old, None))
    assert edited(PROFILE, old.decode("utf-8", "replace")) == [
        r"    - # M\udcfcller",
        r"    - BASE=/opt/M\udcfcller",
        r"    + # M\ufffdller",
        r"    + BASE=/opt/M\ufffdller",
    ]


@pytest.mark.parametrize(
    ("mode", "now", "told"),
    [
        (0o644, 0o600, " (mode 0644, now 0600)"),
        (0o640, 0o640, " (mode 0640)"),
        (0o644, 0o644, ""),
        (0o755, None, " (mode 0755)"),
    ],
)
def test_permissions_that_change_are_shown(
    monkeypatch: pytest.MonkeyPatch, mode: int, now: int | None, told: str
) -> None:
    """A source with a password in it could be made readable for everybody."""
    found = None if now is None else (b"", os.stat_result((0o100000 | now, *[0] * 9)))
    monkeypatch.setattr(terminal, "read_at", lambda _: found)
    request = read_request(write(SOURCE, LINE, mode=mode), OWNER)
    assert describe(request)[0] == f"write {SOURCE}{told}"


def test_a_package_file_is_shown_on_a_line_of_its_own_in_quotes() -> None:
    path = "/home/owner/a.deb" + " " * 60 + "remove nothing"
    request = apt_change(debs=((path, "0" * 64),))
    assert f"    from the file '{path}'" in describe(read_request(request, OWNER))


def test_what_another_version_replaces_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {
        "rocm-core": Package("rocm-core", "5.1", "i", False),
        "comgr": Package("comgr", "2.4", "i", False),
        "hip": Package("hip", "5.1", "c", False),
    }
    monkeypatch.setattr(terminal, "packages", lambda: there)
    request = apt_change((("rocm-core", "5.2"), ("comgr", "2.4"), ("hip", "5.2")))
    assert "    in place of rocm-core=5.1" in describe(read_request(request, OWNER))


RULES = "/etc/udev/rules.d/70-kfd.rules"
GOES_ON = 'KERNEL=="hidraw*", \\\n# theirs\n  MODE="0666"\n'


@pytest.mark.parametrize(
    "new",
    [
        '  MODE="0666"\n',
        GOES_ON.replace("# theirs", 'KERNEL=="kfd"'),
        GOES_ON.replace("# theirs", '# theirs\nKERNEL=="kfd"'),
        GOES_ON.replace("# theirs", '# theirs \\\nKERNEL=="kfd"'),
        GOES_ON.replace("# theirs\n", ""),
        '# \\\nRUN+="/tmp/x"\n',
    ],
)
def test_of_a_rule_that_goes_on_no_part_becomes_another_rule(new: str) -> None:
    """A part of one could open every disk."""
    with pytest.raises(Wrong):
        refuse_lines(RULES, GOES_ON, new)


def test_rules_may_go_and_ours_come_between_them() -> None:
    ours = '# a comment\nKERNEL=="kfd", GROUP="render"\n'
    for new in ("", ours, f"{ours}{GOES_ON}", f"{GOES_ON}{ours}"):
        refuse_lines(RULES, GOES_ON, new)


def test_a_setting_does_not_go_on_with_a_line_of_others() -> None:
    theirs = "start --now \\\n  --quiet\n"
    with pytest.raises(Wrong):
        refuse_lines(PROFILE, theirs, theirs.replace("\n  ", "\nexport HSA_X=1\n  "))
    refuse_lines(PROFILE, theirs, f"export HSA_X=1\n{theirs}export HSA_Y=1\n")


def armoured(*raw: bytes) -> str:
    """A key block with these packets."""
    letters = "\n".join(textwrap.wrap(base64.b64encode(b"".join(raw)).decode(), 64))
    kind = "PGP PUBLIC KEY BLOCK-----\n"
    return f"-----BEGIN {kind}\n{letters}\n-----END {kind}"


@pytest.mark.parametrize("tag", [0, 1, 5, 7, 8, 11, 12, 60])
def test_a_file_of_keys_holds_nothing_that_could_pass_for_another_key(tag: int) -> None:
    """Sequoia takes a secret key (5) for a public one too, and no fingerprint of it was shown."""
    key = base64.b64decode(KEY.partition("\n\n")[2].partition("\n=")[0])
    name, more = (bytes([0xC0 | each, 3]) + b"\x04ab" for each in (13, tag))
    assert read_request(write(KEYRING, armoured(key, name)), OWNER)
    for packets in ((more, key), (key, more)):
        with pytest.raises(Wrong):
            read_request(write(KEYRING, armoured(*packets)), OWNER)


def test_a_stanza_that_is_switched_on_is_shown_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    off = "Types: deb\nURIs: http://evil.example/\nSuites: x\nEnabled: no\n"
    old = f"Types: deb\nURIs: http://good.example/\nSuites: x\nEnabled: yes\n\n{off}"
    monkeypatch.setattr(terminal, "read_at", lambda _: (old.encode(), None))
    new = old.replace("Enabled: no", "Enabled: yes")
    assert edited("/etc/apt/sources.list.d/x.sources", new) == [
        "      Types: deb",
        "      URIs: http://evil.example/",
        "      Suites: x",
        "    - Enabled: no",
        "    + Enabled: yes",
    ]


def test_of_a_key_its_fingerprint_is_shown_and_of_one_that_goes_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert edited(KEYRING, KEY) == [f"    + key {VALID_FINGERPRINT}"]
    monkeypatch.setattr(terminal, "read_at", lambda _: (EXPIRED, None))
    gone = f"    - key {EXPIRED_FINGERPRINT}"
    assert edited(KEYRING, KEY) == [gone, f"    + key {VALID_FINGERPRINT}"]
    assert edited(KEYRING, f"{KEY}{EXPIRED.decode()}") == [f"    + key {VALID_FINGERPRINT}"]


def test_packages_that_are_there_and_would_be_marked_are_named() -> None:
    request = apt_change(
        (("rocm-core", "5.2"), ("comgr", "2.4")), expect_install=(("rocm-core", "5.2"),)
    )
    told = describe(read_request(request, OWNER))
    assert "    install rocm-core=5.2" in told
    assert "    mark as installed by you comgr=2.4" in told


def test_a_pipe_that_others_share_is_written_by_an_end_of_our_own() -> None:
    """Else they could make it one that waits, and us with it."""
    reading, writing = os.pipe()
    ours = os.dup(writing)
    try:
        _take_own_end(ours)
        os.set_blocking(writing, True)
        assert not os.get_blocking(ours)
        assert send(ours, {"event": "ready"})
        assert os.read(reading, 100) == b'{"event": "ready"}\n'
    finally:
        for descriptor in (reading, writing, ours):
            os.close(descriptor)


LONG = (
    "a" * 4096,
    "/" * 100_000,
    "/" * 4096,
    "/opt/rocm" + "/a" * 2000 + "!",
    "a." * 2000 + "\n",
    "(" * 4096,
)


@pytest.mark.parametrize("encoding", ["utf-8", "iso8859-1", "ascii"])
def test_names_of_files_are_the_same_bytes_in_any_language(
    monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    begun: list[tuple[str, ...]] = []
    monkeypatch.setattr("sys.getfilesystemencoding", lambda: encoding)
    monkeypatch.setattr("os.execv", lambda _, argv: begun.append(argv[1:]))
    starter.speak_utf8()
    again = ("-I", "-B", "-X", "utf8", starter.FOLDER)
    assert begun == ([] if encoding == "utf-8" else [again])


def test_a_plan_that_nobody_could_read_is_refused() -> None:
    flood = write("/etc/profile.d/zz.sh", "x\n" * 50_000, before="0" * 64)
    plan = read_plan(plan_line(steps=[set_aside("/opt/rocm"), flood]), OWNER)
    with pytest.raises(Wrong, match="is too long to read"):
        shown(plan)
    assert "move /opt/rocm" in shown(plan._replace(steps=plan.steps[:1]))


class Growing:
    """A file that its owner makes longer while it is read."""

    def read(self, size: int) -> bytes:
        return b"x" * size


def test_a_file_that_grows_while_it_is_copied_does_not_fill_the_disk(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    _copy_hashed(Growing(), folder, "x.deb", 3 << 20)
    os.close(folder)
    assert (tmp_path / "x.deb.part").stat().st_size == 3 << 20


def test_users_of_a_directory_server_have_long_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {1_234_567_890: pwd.struct_passwd(("ann", "x", 1_234_567_890, 7, "", "/", "/bin/sh"))}
    monkeypatch.setattr(pwd, "getpwuid", known.__getitem__)
    assert who_asks({"SUDO_UID": "1234567890"}) == Person("ann", 1_234_567_890, 7, True)
    for number in ("99999999999", "-1", "x"):
        with pytest.raises(Trouble, match="does not know"):
            who_asks({"SUDO_UID": number})


@pytest.mark.parametrize("text", LONG, ids=lambda text: text[:9])
def test_no_text_keeps_the_checks_busy(text: str) -> None:
    began = time.process_time()
    key = KEY.replace("mDMEX", "A" * 70 + "\n" + "A" * 70 + "!\n", 1)
    for path, content in (
        (SOURCE, f"deb [signed-by=/etc/apt/keyrings/{text}] https://{text} {text} {text}"),
        (KEYRING, key * 50),
        ("/etc/profile.d/x.sh", f"export PATH=$PATH:/opt/rocm{text}:/opt/rocm{text}!"),
        ("/etc/profile.d/x.sh", f"export HSA{text.upper().replace('/', '_PATH')}!"),
        ("/etc/ld.so.conf.d/x.conf", f"/opt/rocm{text}{text}!"),
        ("/etc/udev/rules.d/x.rules", f'KERNEL=="{text}", ' * 20),
        ("/etc/apt/preferences.d/x", f"Pin: release {text}!"),
    ):
        with pytest.raises(Wrong):
            read_request(write(path, content), OWNER)
    for request in (apt_change(((text, text),)), set_aside(f"/opt/rocm{text}{text}")):
        with pytest.raises(Wrong):
            read_request(request, OWNER)
    assert time.process_time() - began < 2
