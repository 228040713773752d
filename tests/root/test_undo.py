"""UNDO.sh alone takes everything back: without a network, without us, from any point of a run."""

from __future__ import annotations

import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from assets.root.undo import undo_script
from tests.e2e.system.roots import OWNER, Root
from tests.root.archive import StandIn, public_key
from tests.root.conversation import (
    RUN,
    RUNS,
    apt_change,
    do_all,
    done_all,
    keep_debs,
    put_back,
    set_aside,
    talk,
    undo,
    write_file,
)
from tests.root.everything import PROFILE, TOLERATED, furnish, state, steps
from tests.root.listing import changed, dpkg_state
from tests.root.stops import kill
from tests.root.test_restore import install

COUNT = 15
TOOL_1 = ("stand-tool", "1.0")


@pytest.fixture(scope="module")
def furnished(root: Root) -> Root:
    """A root with something of everything to lose."""
    furnish(root)
    return root


@pytest.mark.e2e
@pytest.mark.parametrize("count", [*range(1, COUNT), COUNT])
def test_everything_is_as_before_after_any_number_of_steps(
    furnished: Root, scratch: Path, count: int
) -> None:
    plan = steps(furnished, public_key(scratch))
    assert len(plan) == COUNT
    files, packages = state(furnished)
    done_all(furnished, *plan[:count], run=f"undo-{count}")
    if count > 1:
        assert (files, packages) != state(furnished)
    done = undo(furnished, f"undo-{count}")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "All changes of this run are undone." in done.stdout
    after, packages_after = state(furnished)
    assert packages_after == packages
    assert changed(files, after, *TOLERATED) == {}


@pytest.mark.e2e
def test_a_second_undo_finds_nothing_to_do_and_the_run_can_be_gone_on_with(
    furnished: Root, scratch: Path
) -> None:
    plan = steps(furnished, public_key(scratch))
    files, packages = state(furnished)
    for _ in range(2):
        done_all(furnished, *plan, run="twice")
        undo(furnished, "twice")
        again = undo(furnished, "twice")
        assert again.returncode == 0
        assert dpkg_state(furnished) == packages
    assert changed(files, state(furnished)[0], *TOLERATED) == {}


@pytest.mark.e2e
def test_what_the_user_changed_since_is_kept_and_named(furnished: Root) -> None:
    path = "/etc/profile.d/rdna1-setup-rocm.sh"
    done_all(furnished, write_file(path, "# ours\n"), set_aside(PROFILE), run="changed")
    furnished.write(path, "# mine now\n")
    furnished.write(PROFILE, "# mine too\n")
    done = undo(furnished, "changed")
    assert done.returncode == 1
    assert f"NOT UNDONE: {path} has been changed since" in done.stdout
    assert f"NOT UNDONE: {PROFILE} exists again" in done.stdout
    assert furnished.path(path).read_text() == "# mine now\n"
    furnished.run("rm", path, PROFILE)
    assert undo(furnished, "changed").returncode == 0
    assert "echo mine" in furnished.path(PROFILE).read_text()


@pytest.mark.e2e
def test_an_older_version_that_the_repository_has_needs_no_kept_file(furnished: Root) -> None:
    before = dpkg_state(furnished)
    done_all(furnished, apt_change((("stand-core", "2.0"),)), run="unkept")
    assert dpkg_state(furnished) != before
    assert undo(furnished, "unkept").returncode == 0  # the archive is a folder of the machine
    assert dpkg_state(furnished) == before


@pytest.mark.e2e
@pytest.mark.parametrize("taken", ["upgraded", "purged"])
def test_another_version_that_came_since_is_kept_and_named(
    furnished: Root, scratch: Path, taken: str
) -> None:
    before = dpkg_state(furnished)
    core = ("stand-core", "2.0")
    change = {"upgraded": apt_change((core,)), "purged": apt_change((), ("stand-tool",))}[taken]
    name = {"upgraded": "stand-core", "purged": "stand-tool"}[taken]
    done_all(furnished, keep_debs(("stand-core", "1.0"), TOOL_1), change, run=taken)
    install(furnished, StandIn(name, "9.0"), scratch)
    theirs = f"{name} 9.0 ii"
    done = undo(furnished, taken)
    assert done.returncode == 1, done.stdout
    assert f"NOT UNDONE: {name} 9.0 has been installed since, and is kept" in done.stdout
    assert theirs in dpkg_state(furnished)
    furnished.run("dpkg", "--purge", "--force-depends", name)
    assert undo(furnished, taken).returncode == 0
    assert dpkg_state(furnished) == before


@pytest.mark.e2e
def test_another_version_of_what_was_brought_is_kept_and_named(
    furnished: Root, scratch: Path
) -> None:
    before = dpkg_state(furnished)
    done_all(furnished, apt_change((("stand-spare", "1.0"),)), run="brought")
    install(furnished, StandIn("stand-spare", "9.0"), scratch)
    done = undo(furnished, "brought")
    assert done.returncode == 1, done.stdout
    assert "NOT UNDONE: stand-spare 9.0 has been installed since, and is kept" in done.stdout
    assert "stand-spare 9.0 ii" in dpkg_state(furnished)
    furnished.run("dpkg", "--purge", "stand-spare")
    assert undo(furnished, "brought").returncode == 0
    assert dpkg_state(furnished) == before


@pytest.mark.e2e
def test_a_second_undo_takes_what_is_back_for_nobody_elses(furnished: Root) -> None:
    before = dpkg_state(furnished)
    names = ("stand-core", "stand-tool")
    keep = keep_debs(("stand-core", "1.0"), TOOL_1)
    purge, exchange = apt_change((), names, purge=True), apt_change((("stand-core", "2.0"),))
    done_all(furnished, keep, purge, exchange, run="exchanged")
    for _ in range(2):
        assert undo(furnished, "exchanged").returncode == 0
        assert dpkg_state(furnished) == before


@pytest.mark.e2e
def test_no_version_that_came_since_is_exchanged_on_going_on(
    furnished: Root, scratch: Path
) -> None:
    """Nothing was noted of it, so that nothing could bring it back."""
    change = apt_change((("stand-core", "2.0"),))
    done_all(furnished, keep_debs(("stand-core", "1.0")), change, run="since")
    journal = furnished.path(f"{RUNS}/since/journal.jsonl")
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:-1]))  # as if it had been killed before its outcome
    install(furnished, StandIn("stand-core", "9.0"), scratch)
    (_, failed) = do_all(furnished, keep_debs(("stand-core", "1.0")), change, run="since")
    assert failed["event"] == "failed"
    assert "stand-core is now 9.0" in failed["happened"]
    furnished.run("dpkg", "--purge", "--force-depends", "stand-core")
    assert undo(furnished, "since").returncode == 0


@pytest.mark.e2e
def test_what_is_left_without_what_it_needs_is_named(furnished: Root, scratch: Path) -> None:
    done_all(furnished, apt_change((("stand-spare", "1.0"),)), run="needed")
    needy = StandIn("raytracer", "1.0", fields=("Depends: stand-spare",))
    install(furnished, needy, scratch)
    done = undo(furnished, "needed")
    assert done.returncode == 1, done.stdout
    assert "NOT UNDONE: raytracer depends on packages that no longer exist" in done.stdout
    assert "Changes that could not be undone, named above: 1." in done.stdout
    furnished.run("dpkg", "--purge", "raytracer")
    assert undo(furnished, "needed").returncode == 0


@pytest.mark.e2e
def test_undo_waits_for_nobody_and_does_not_disturb_a_helper_at_work(furnished: Root) -> None:
    with talk(furnished, set_aside(PROFILE), run="busy") as conversation:
        assert conversation.do(1)["event"] == "done"
        done = undo(furnished, "busy")
        assert done.returncode == 75
        assert "running as root right now" in done.stdout
    assert undo(furnished, "busy").returncode == 0


@pytest.mark.e2e
def test_undo_says_what_it_needs(furnished: Root) -> None:
    done_all(furnished, {"verb": "configure"}, run="needs")
    script = f"{RUNS}/needs/UNDO.sh"
    copy = f"/home/{OWNER}/UNDO.sh"
    furnished.write(copy, furnished.path(script).read_text(), user=OWNER)
    as_user = furnished.run("sh", copy, user=OWNER, check=False)
    furnished.run("rm", copy)
    assert as_user.returncode == 1
    assert f"sudo sh {RUNS}/needs/UNDO.sh" in as_user.stdout
    read_only = f"mount --bind / /mnt && mount -o remount,ro,bind /mnt && chroot /mnt sh {script}"
    done = furnished.run("unshare", "--mount", "sh", "-c", read_only, check=False)
    assert done.returncode == 1
    assert "mount -o remount,rw /" in done.stdout


@pytest.mark.e2e
def test_a_run_that_failed_half_way_is_taken_back_too(furnished: Root) -> None:
    files, packages = state(furnished)
    broken = apt_change((("stand-broken", "1.0"),))
    assert do_all(furnished, broken, run="broken")[0]["event"] == "failed"
    assert "stand-broken 1.0 iF" in dpkg_state(furnished)
    assert undo(furnished, "broken").returncode == 0
    assert dpkg_state(furnished) == packages
    assert changed(files, state(furnished)[0], *TOLERATED) == {}


@pytest.mark.e2e
def test_what_only_half_went_back_can_be_taken_back_once_more(furnished: Root) -> None:
    """Also when the run was gone on with in between, which writes UNDO.sh anew."""
    files, packages = state(furnished)
    tool = ("stand-tool", "1.0")
    done_all(furnished, keep_debs(tool), apt_change((), (tool[0],), purge=True), run="half")
    hold = "import fcntl, time; f = open('/var/lib/dpkg/lock', 'w'); fcntl.lockf(f, fcntl.LOCK_EX)"
    with furnished.start("python3", "-c", f"{hold}; print(flush=True); time.sleep(99)") as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        assert undo(furnished, "half").returncode == 1
        for one in furnished.running():
            if "time.sleep(99)" in " ".join(one.command):
                kill(one.pid)
    assert dpkg_state(furnished) != packages
    with talk(furnished, {"verb": "configure"}, run="half") as conversation:
        assert conversation.first["event"] == "ready"
    assert undo(furnished, "half").returncode == 0
    assert dpkg_state(furnished) == packages
    assert changed(files, state(furnished)[0], *TOLERATED, "/etc/stand-tool.conf.dpkg-dist") == {}
    furnished.run("rm", "-f", "/etc/stand-tool.conf.dpkg-dist")


@pytest.mark.e2e
def test_what_is_gone_from_the_backup_is_named(furnished: Root) -> None:
    furnished.write("/etc/profile.d/lost.sh", "echo mine\n")
    done_all(furnished, set_aside("/etc/profile.d/lost.sh"), run="lost")
    furnished.run("sh", "-c", f"rm {RUNS}/lost/backup/*-lost.sh")
    done = undo(furnished, "lost")
    assert done.returncode == 1
    assert "NOT UNDONE: /etc/profile.d/lost.sh does not exist" in done.stdout
    furnished.write("/etc/profile.d/lost.sh", "echo mine\n")
    before = sha256(b"echo mine\n").hexdigest()
    over = write_file("/etc/profile.d/lost.sh", "export HSA_X=1\n", before=before)
    done_all(furnished, over, run="lost-3")
    furnished.run("sh", "-c", f"rm {RUNS}/lost-3/backup/*-lost.sh /etc/profile.d/lost.sh")
    done = undo(furnished, "lost-3")
    assert done.returncode == 1
    assert "NOT UNDONE: /etc/profile.d/lost.sh does not exist" in done.stdout
    tool = ("stand-tool", "1.0")
    done_all(furnished, keep_debs(tool), apt_change((), (tool[0],), purge=True), run="lost-2")
    furnished.run("sh", "-c", f"mv {RUNS}/lost-2/backup/*stand-tool.conf /srv/stand-tool.conf")
    done = undo(furnished, "lost-2")
    assert done.returncode == 1
    assert "/etc/stand-tool.conf cannot be restored" in done.stdout
    furnished.run("mv", "/srv/stand-tool.conf", "/etc/stand-tool.conf")


@pytest.mark.e2e
@pytest.mark.parametrize("written_over", [True, False])
def test_what_was_put_back_and_then_changed_by_its_owner_stays(
    furnished: Root, written_over: bool
) -> None:
    path, run = "/etc/profile.d/back.sh", f"back-{written_over}"
    furnished.write(path, "echo mine\n")
    before = sha256(b"echo mine\n").hexdigest()
    first = write_file(path, "export HSA_X=1\n", before=before) if written_over else set_aside(path)
    done_all(furnished, first, put_back(path), run=run)
    furnished.write(path, "echo mine now\n")
    done = undo(furnished, run)
    assert (done.returncode, "NOT UNDONE" in done.stdout) == (0, False), done.stdout
    assert furnished.path(path).read_text() == "echo mine now\n"
    furnished.run("rm", path)


@pytest.mark.e2e
def test_settings_of_what_we_brought_that_were_edited_since_are_kept_and_named(
    root: Root,
) -> None:
    settings = "/etc/stand-tool.conf"
    if "stand-tool" in dpkg_state(root):
        root.run("dpkg", "--purge", "stand-tool", "stand-core")
    both = (("stand-tool", "1.0"), ("stand-core", "1.0"))
    done_all(root, apt_change(both), run="edited")
    root.write(settings, "edited since\n")
    done = undo(root, "edited")
    kept = f"{RUNS}/edited/backup/newer{settings}"
    assert f"{settings} has been changed since. It is kept as {kept}" in done.stdout
    assert root.path(kept).read_text() == "edited since\n"


@pytest.mark.e2e
def test_what_was_put_since_where_a_package_comes_back_is_kept_and_named(
    root: Root, scratch: Path
) -> None:
    over = StandIn("stand-over", "1.0", {"/opt/rocm-over/a b": "x\n", "/opt/rocm-over/c": "x\n"})
    install(root, over, scratch)
    pair = (over.name, over.version)
    done_all(root, keep_debs(pair), apt_change((), (over.name,), purge=True), run="over")
    root.write("/opt/rocm-over/a b", "mine\n")
    root.path("/opt/rocm-over/c").symlink_to("mine")
    done = undo(root, "over")
    assert done.returncode == 0, done.stdout
    for path in ("/opt/rocm-over/a b", "/opt/rocm-over/c"):
        kept = f"{RUNS}/over/backup/newer{path}"
        assert f"{path} has been changed since. It is kept as {kept}" in done.stdout
        assert root.path(path).read_text() == "x\n"
    assert root.path(f"{RUNS}/over/backup/newer/opt/rocm-over/a b").read_text() == "mine\n"
    assert str(root.path(f"{RUNS}/over/backup/newer/opt/rocm-over/c").readlink()) == "mine"
    root.run("dpkg", "--purge", over.name)


@pytest.mark.e2e
def test_a_clock_that_is_behind_the_run_is_told_and_nothing_is_done(root: Root) -> None:
    """In a recovery console it may be: what is newer than the way back could not be told."""
    root.write("/etc/profile.d/clock.sh", "echo mine\n")
    done_all(root, set_aside("/etc/profile.d/clock.sh"), run="clock")
    root.run("touch", "-d", "tomorrow", f"{RUNS}/clock/journal.jsonl")
    done = undo(root, "clock")
    assert done.returncode == 1
    assert "Set the clock (date -s)" in done.stdout
    assert not root.path("/etc/profile.d/clock.sh").exists()
    root.run("touch", f"{RUNS}/clock/journal.jsonl")
    assert undo(root, "clock").returncode == 0
    assert root.path("/etc/profile.d/clock.sh").exists()


def test_the_script_is_plain_shell_and_no_name_in_it_is_a_word_of_the_shell(tmp_path: Path) -> None:
    nasty = "/etc/x'; touch evil; $(touch evil) `touch evil` \"\n#"
    intents = [{"undo": [["remove_ours", nasty, "0"], ["move_back", nasty, "", nasty]]}]
    script = tmp_path / "UNDO.sh"
    script.write_text(undo_script(f"{RUNS}/{RUN}", intents))
    checked = subprocess.run(
        ("/bin/sh", "-n", str(script)), capture_output=True, text=True, check=False
    )
    assert (checked.returncode, checked.stderr) == (0, "")
    calls = script.read_text().partition('exit "$code"\nfi\n')[2].partition("\nname_lost")[0]
    assert calls.count("evil") == 3 * 3
    body = "remove_ours() { :; }\nmove_back() { :; }\n" + calls
    subprocess.run(("/bin/sh", "-c", body), cwd=tmp_path, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["UNDO.sh"]
