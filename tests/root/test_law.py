"""The law of undo: whatever root was asked, wherever it was killed, all can be as it was before.

Every example is a plan, where it is killed, what others do meanwhile, whether it is gone on with
(and killed once more), and one of two ways back: UNDO.sh, or the wizard's rollback, which is the
real command with a journal as the wizard writes it. Afterwards all is as before: files by type,
mode, owner, SHA-256, attributes, ACLs and hard links, packages by dpkg's status, version and hashes
of settings, marks, alternatives, groups. But for what others did:

- With what the run had nothing to do with: it stays, and nobody speaks of it.
- A file that the run wrote, moved away or took along with a package, or another version of a
  package that it changed: it stays and is named. Once it is out of the way, the way back goes on
  to its end. A setting that dpkg put back as the package brings it may go: nothing is lost with it.
- A package that needs what goes: it stays and is named.
- A mark or a membership that the run had to do with is as before: there is but a yes and a no, so
  that nobody can tell whose it is. The wizard's rollback takes back what its plan was about.

``RDNA1_SETUP_LAW`` sets how many examples of files are tried, ``RDNA1_SETUP_LAW_PACKAGES`` how many
of packages in each system, ``RDNA1_SETUP_LAW_SEED`` which.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st

from tests.apt.asked import VALID
from tests.e2e.system.bases import BOOKWORM, NOBLE, Suite, base_tar
from tests.e2e.system.roots import OWNER, Root, fresh_root
from tests.root.archive import StandIn, add_source, publish
from tests.root.conftest import SPARE, TOOL
from tests.root.conversation import (
    RUNS,
    Event,
    apt_change,
    keep_debs,
    put_back,
    set_aside,
    talk,
    undo,
    wait_until,
    write_file,
)
from tests.root.everything import OTHER, PIN, PROFILE, SOURCES, TOLERATED, furnish
from tests.root.others import FILES as FILE_EDITS
from tests.root.others import LOADER, NEW_PROFILE, PRISTINE, Edit
from tests.root.others import PACKAGES as PACKAGE_EDITS
from tests.root.stops import FOLDER, kill, kill_all, pids, stopped_at, waiting
from tests.root.test_changed_files import acl
from tests.root.whole_state import Known, State, differences, state
from tests.root.wizard_run import WizardRun

pytestmark = pytest.mark.e2e

EXAMPLES = int(os.environ.get("RDNA1_SETUP_LAW", "50"))
PACKAGES = int(os.environ.get("RDNA1_SETUP_LAW_PACKAGES", "5"))
SEED = int(os.environ.get("RDNA1_SETUP_LAW_SEED", "1"))
HELPER = "assets/root"
LEFT = "/opt/rocm-left"
CHOICE = """
[ "$1" != configure ] || update-alternatives --install /opt/choice choice /opt/rocm-1.0/bin/tool 7
"""
NO_CHOICE = "update-alternatives --remove choice /opt/rocm-1.0/bin/tool"
STOCK = (
    *(waiting("stand-core", version) for version in ("1.0", "2.0", "3.0")),
    replace(TOOL, scripts={"postinst": CHOICE, "prerm": NO_CHOICE}),
    waiting("stand-more", "2.0"),
    SPARE,
    StandIn("stand-needy", "1.0", fields=("Depends: stand-more",)),
)


class World:
    """A root that is as it was furnished, or a new one where an example left it otherwise."""

    def __init__(self, suite: Suite, stack: ExitStack, scratch: Path) -> None:
        self._suite = suite
        self._stack = stack
        self._scratch = scratch
        self._runs = 0
        self._roots = 0
        self._known: Known = {}
        self.renew()

    def renew(self) -> None:
        """Give up a root that is not as it was."""
        self._stack.pop_all().close()
        self.root = self._stack.enter_context(fresh_root(self._suite, base_tar(self._suite)))
        self._roots += 1
        scratch = self._scratch / str(self._roots)
        self.pristine = scratch / "pristine"
        self.pristine.mkdir(parents=True)
        publish(self.root, *STOCK, scratch=scratch)
        self.root.write(SOURCES, "# apt is much faster without\n")
        add_source(self.root, scratch)
        furnish_more(self.root)
        for path in PRISTINE:
            shutil.copy2(self.root.path(path), self.pristine)
        self.before = self.state()

    def new_run(self) -> str:
        """A name that no run has had."""
        self._runs += 1
        return f"20250101-000000-{self._runs:06x}"

    def state(self) -> State:
        """As it is now."""
        return state(self.root, self._known)

    def changes(self, *allowed: str) -> dict[str, tuple[str, str]]:
        """What is otherwise than it was furnished."""
        return differences(self.before, self.state(), *TOLERATED, FOLDER, *allowed)

    def forget_runs(self) -> None:
        """Nothing of a run that was taken back is of use to a later one."""
        for folder in (self.root.path(RUNS), WizardRun.folder_of_all(self.root)):
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module", params=(BOOKWORM, NOBLE), ids=lambda suite: suite.name)
def world(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """The root that all examples share."""
    with ExitStack() as stack:
        yield World(request.param, stack, tmp_path_factory.mktemp("law"))


def furnish_more(root: Root) -> None:
    """Something of everything that a run may change, with what plain copies lose."""
    furnish(root)
    os.link(root.path(f"{LEFT}/lib/libMIOpen.so.original"), root.path(f"{LEFT}/lib/again"))
    root.path(f"{LEFT}/lib/link").symlink_to("again")
    for path in (PROFILE, OTHER, "/etc/stand-tool.conf", f"{LEFT}/lib/again"):
        os.setxattr(root.path(path), "user.note", path.encode())
        os.setxattr(root.path(path), "system.posix_acl_access", acl(1234))


@dataclass(frozen=True)
class Example:
    """What is asked, where it is killed, what others do, and how it ends."""

    steps: tuple[Callable[[Root], Event], ...]
    names: tuple[str, ...]
    killed: str
    edits: tuple[str, ...]
    goes_on: bool
    again: str
    """Where it is killed once more while it goes on."""
    by_wizard: bool
    """True where the wizard carries it out and takes it back, False for UNDO.sh."""

    def __repr__(self) -> str:
        how = f"gone on with, killed at {self.again!r}, " if self.goes_on else ""
        way = "rollback" if self.by_wizard else "UNDO.sh"
        return f"{self.names} killed at {self.killed!r}, {self.edits}, {how}{way}"


def _file(path: str, content: str, mode: int = 0o644) -> Callable[[Root], Event]:
    def request(root: Root) -> Event:
        place = root.path(path)
        before = sha256(place.read_bytes()).hexdigest() if place.is_file() else None
        return write_file(path, content, before=before, mode=mode)

    return request


def _plain(event: Event) -> Callable[[Root], Event]:
    return lambda _: event


FILES: dict[str, Callable[[Root], Event]] = {
    "write the old profile": _file(PROFILE, "echo mine\n", 0o755),
    "write a new profile": _file(NEW_PROFILE, "export HSA_OVERRIDE_GFX_VERSION=10.3.0\n"),
    "write a loader file": _file(LOADER, "/opt/rocm-2.0/lib\n"),
    "write a rule": _file("/etc/udev/rules.d/70-kfd.rules", 'KERNEL=="kfd", GROUP="render"\n'),
    "write a pin": _file("/etc/apt/preferences.d/rdna1-setup-rocm", PIN),
    "write a key": _file("/etc/apt/keyrings/rocm-second.asc", VALID.decode()),
    "set the old profile aside": _plain(set_aside(PROFILE)),
    "set the other source aside": _plain(set_aside(OTHER)),
    "set the tree aside": _plain(set_aside(LEFT)),
    "put the old profile back": _plain(put_back(PROFILE)),
    "put the other source back": _plain(put_back(OTHER)),
    "put the tree back": _plain(put_back(LEFT)),
    "join render": _plain({"verb": "join_groups", "user": OWNER, "groups": ["render"]}),
    "join both": _plain({"verb": "join_groups", "user": OWNER, "groups": ["render", "video"]}),
    "leave video": _plain({"verb": "leave_groups", "user": OWNER, "groups": ["video"]}),
    "mark core manual": _plain({"verb": "mark", "auto": [], "manual": ["stand-core"]}),
    "mark tool auto": _plain({"verb": "mark", "auto": ["stand-tool"], "manual": []}),
}
ONE = (("stand-core", "1.0"), ("stand-tool", "1.0"))
TWO = (("stand-core", "2.0"), ("stand-more", "2.0"))
CHANGES: dict[str, Callable[[Root], Event]] = {
    "remove the tool": _plain(apt_change((), ("stand-tool",))),
    "purge the tool": _plain(apt_change((), ("stand-tool",), purge=True)),
    "remove both": _plain(apt_change((), ("stand-core", "stand-tool"))),
    "upgrade the core": _plain(apt_change((("stand-core", "2.0"),))),
    "exchange": _plain(apt_change(TWO, ("stand-tool",))),
    "install more": _plain(apt_change((("stand-more", "2.0"),))),
    "ask for the core that is there": _plain(
        apt_change((ONE[0], ("stand-more", "2.0")), expect_install=(("stand-more", "2.0"),))
    ),
    "finish what waits": _plain({"verb": "configure"}),
}
BOTH_GO = _plain(apt_change((), ("stand-core", "stand-tool"), purge=True))
NOT_BY_WIZARD = {
    "put the old profile back",  # it does so on a way back alone, and that one it takes not back
    "put the other source back",
    "put the tree back",
    "join both",  # it asks for groups that the user is not in, and for packages that are not there
    "upgrade the core",
    "exchange",
    "ask for the core that is there",
}
PLACES = (
    "stand-core-prerm-remove",
    "stand-core-postrm-remove",
    "stand-core-prerm-upgrade",
    "stand-core-preinst-upgrade",
    "stand-core-postrm-upgrade",
    "stand-core-postinst-configure",
    "stand-more-preinst-install",
    "stand-more-postinst-configure",
)
POINTS = st.sampled_from(["", *(f"fsync {number}" for number in range(1, 40))])
STOPS = st.sampled_from(["", *PLACES, *(f"all of {place}" for place in PLACES)])


@st.composite
def examples(draw: st.DrawFn, packages: bool) -> Example:
    """A plan of some steps, and what becomes of it."""
    by_wizard = draw(st.booleans())
    menu = {**FILES, **CHANGES} if packages else FILES
    names = sorted(menu.keys() - (NOT_BY_WIZARD if by_wizard else set()))
    chosen = draw(st.lists(st.sampled_from(names), min_size=1, max_size=5, unique=True))
    steps = [menu[name] for name in chosen]
    if packages:
        steps.insert(0, _plain(keep_debs(*ONE)))
        if by_wizard and draw(st.booleans()):  # as it exchanges one release for another
            chosen += ["exchange whole"]
            steps += [BOTH_GO, _plain(apt_change(TWO))]
    kills = st.one_of(POINTS, STOPS) if packages else POINTS
    edits = sorted({**FILE_EDITS, **PACKAGE_EDITS} if packages else FILE_EDITS)
    return Example(
        steps=tuple(steps),
        names=tuple(chosen),
        killed=draw(kills),
        edits=tuple(draw(st.lists(st.sampled_from(edits), max_size=2, unique=True))),
        goes_on=draw(st.booleans()),
        again=draw(kills),
        by_wizard=by_wizard,
    )


def carry_out(
    root: Root,
    steps: tuple[Event, ...],
    killed: str,
    run: WizardRun | str,
    done: Collection[int] = (),
) -> set[int]:
    """The steps up to where it is killed: by the wizard up to a failure, else whatever comes.

    But for those that are done; gives the numbers of those that are afterwards.
    """
    ended = set(done)
    before: tuple[str, ...] = ()
    place = killed.removeprefix("all of ")
    if killed.startswith("fsync "):
        inject = f"inject=fsync:signal=SIGKILL:when={killed.split()[1]}"
        before = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", inject)
        place = ""
    with (
        stopped_at(root, *filter(None, [place])),
        killed_when_reached(root, place, whole=killed.startswith("all of ")),
        talk(root, *steps, run=str(run), before=before) as conversation,
    ):
        if conversation.first["event"] != "ready":
            pass
        elif isinstance(run, WizardRun):
            run.carry_out(conversation)
        else:
            for number in sorted({*range(1, len(steps) + 1)} - {*done}):
                event = conversation.do(number)
                assert "has a bug" not in event.get("happened", ""), event
                if event["event"] == "gone":
                    break
                ended |= {number} if event["event"] == "done" else set()
    wait_until(lambda: not root.running(), "the root is quiet")
    return ended


@contextmanager
def killed_when_reached(root: Root, place: str, *, whole: bool) -> Iterator[None]:
    """Kill the helper, or all of the root, once a script stands at this place."""
    reached, ended = root.path(FOLDER) / f"{place}.reached", threading.Event()

    def watch() -> None:
        while place and not ended.wait(0.02):
            if reached.exists():
                kill(*pids(root, HELPER))
                (root.path(FOLDER) / place).unlink(missing_ok=True)
                if whole:
                    kill_all(root)
                return

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def noted_by(root: Root, run: str, *, undone: bool = False) -> set[str]:
    """What a run has noted that it changes, or was about to: paths, packages and groups; with
    ``undone`` only what its UNDO.sh knows of, too, which is written after the journal."""
    folder = root.path(f"{RUNS}/{run}")
    file, script = folder / "journal.jsonl", folder / "UNDO.sh"
    lines = file.read_text().splitlines() if file.exists() else []
    known = script.read_text().splitlines() if script.exists() else []
    found: set[str] = set()
    for record in map(json.loads, filter(str.strip, lines)):
        calls = record.get("undo", ())
        if undone and not all(shlex.join(call) in known for call in calls):
            continue
        words = {word for call in calls for word in call}
        found |= {record.get("path", ""), *words, *(f"package {word}" for word in words)}
        found |= {f"group {call[2]}" for call in calls if call[0] in ("leave", "join")}
    return found


@dataclass(frozen=True)
class Done:
    """What others did, and what the run had to do with it when they did."""

    edit: Edit
    touched: bool
    must: Callable[[], bool]
    """Must it be named on the way back."""


def planned(steps: Iterable[Event]) -> set[str]:
    """The groups and packages whose memberships and marks steps are about."""
    return {
        *(f"group {name}" for step in steps for name in step.get("groups", ())),
        *(f"package {n}" for s in steps if s["verb"] == "mark" for n in (*s["auto"], *s["manual"])),
    }


def others_do(world: World, run: str, edits: Iterable[Edit]) -> tuple[Done, ...]:
    """Each of these; those that came to nothing are left out."""
    noted, otherwise = noted_by(world.root, run), world.changes()
    between = noted - noted_by(world.root, run, undone=True)
    done = []
    for edit in edits:
        if edit.two_values and edit.about in between:
            continue  # killed before UNDO.sh knew: whose doing it is, nobody could tell
        edit.do(world.root)
        if not edit.stands(world.root) or (edit.two_values and edit.about in noted):
            continue
        touched, was_changed = edit.about in noted, edit.about in otherwise and edit.about in noted

        def must(edit: Edit = edit, touched: bool = touched, changed: bool = was_changed) -> bool:
            return edit.must_be_named(world.root, touched, changed)

        done.append(Done(edit, touched, must))
    return tuple(done)


def obeys(world: World, example: Example) -> None:
    """Carry an example out and look at everything."""
    root, name = world.root, world.new_run()
    steps = tuple(step(root) for step in example.steps)
    run = WizardRun(root, name, steps) if example.by_wizard else name
    ended = carry_out(root, steps, example.killed, run)
    edits = {**FILE_EDITS, **PACKAGE_EDITS}
    done = others_do(world, name, [edits[each] for each in example.edits])
    if example.goes_on:
        # Only where nobody did anything is a step that is done asked for again.
        carry_out(root, steps, example.again, run, ended if done else ())
    named = way_back(root, run, done)
    if not named or not isinstance(run, WizardRun) or run.is_taken_back:
        own = [name for each in done for name in (each.edit.about, *each.edit.own)]
        assert world.changes(*own) == {}
    gone = {each.edit.about for each in done if not each.edit.stands(root)}
    assert gone <= (planned(steps) if example.by_wizard else set())
    now = named
    while now:  # the wizard stops at the first thing in its way: the next one is named then
        for each in now:
            each.edit.give_way(root)
        stopped = isinstance(run, WizardRun) and not run.is_taken_back
        now = way_back(root, run, [each for each in done if each not in named] if stopped else ())
        named = [*named, *now]
    for each in done:
        if each not in named:
            each.edit.take_away(root, world.pristine)
    assert world.changes() == {}
    world.forget_runs()


def way_back(root: Root, run: WizardRun | str, done: Sequence[Done]) -> list[Done]:
    """Take a run back; what was named of what others did.

    The wizard may stop at what is in its way, and goes on when asked again. What a rollback that
    went to its end has left alone is for UNDO.sh.
    """
    by_wizard = isinstance(run, WizardRun) and not run.is_taken_back
    if isinstance(run, WizardRun) and by_wizard:
        code, lines, said = run.roll_back()
        note(said)
    elif not root.path(f"{RUNS}/{run}/UNDO.sh").exists():  # nothing was begun
        code, lines = 0, []
    else:
        ended = undo(root, str(run))
        note(ended.stdout + ended.stderr)
        code = ended.returncode
        lines = [line for line in ended.stdout.splitlines() if line.startswith("NOT UNDONE: ")]
    named = [d for d in done if any(name in line for line in lines for name in d.edit.names)]
    for line in lines:  # nothing else is named
        assert any(name in line for each in named for name in each.edit.names), line
    if by_wizard:
        assert code == 0 or lines  # one that changes nothing more has gone well
    else:
        assert code == (1 if lines else 0)
    if not by_wizard or code == 0:
        assert [each.edit.about for each in done if each.must() and each not in named] == []
    return named


def tried(world: World, example: Example) -> None:
    """The same, with a new root for whatever comes after a failure."""
    try:
        obeys(world, example)
    except BaseException:
        world.renew()
        raise


PLANTED: dict[str, tuple[str, str]] = {
    "type": (PROFILE, "p=/etc/profile.d/old-rocm.sh; cp $p /root/; rm $p; ln -s /root/x $p"),
    "target": (f"{LEFT}/lib/link", f"ln -sfn /root/y {LEFT}/lib/link"),
    "mode": (OTHER, f"chmod 0640 {OTHER}"),
    "owner": (OTHER, f"chown {OWNER} {OTHER}"),
    "group": (OTHER, f"chgrp {OWNER} {OTHER}"),
    "content": (OTHER, f"printf '# x' >>{OTHER}"),
    "hard link": (f"{LEFT}/lib/again", f"cd {LEFT}/lib && cp -a again x && mv x again"),
    "folder": ("/opt/mine", "mkdir /opt/mine"),
    "member": ("/etc/group", f"usermod -aG games {OWNER}"),
    "shadow": ("/etc/gshadow", "sed -i s/^games:.:/games:!!:/ /etc/gshadow"),
    "mark": ("package stand-tool", "apt-mark auto stand-tool"),
    "hold": ("package stand-core", "apt-mark hold stand-core"),
    "hash of a setting": (
        "package stand-tool",
        "sed -i '/stand-tool.conf/s/ [0-9a-f]\\{32\\}/ 00000000000000000000000000000000/' "
        "/var/lib/dpkg/status",
    ),
    "status": ("package stand-core", "dpkg --force-all --unpack /srv/archive/pool/stand-core_1*"),
    "version": ("package stand-core", "dpkg -i /srv/archive/pool/stand-core_2.0_*"),
    "alternative": (
        "alternative choice",
        "update-alternatives --set choice /opt/rocm-1.0/bin/tool",
    ),
}
"""What is otherwise after which command."""


@pytest.mark.parametrize("world", [BOOKWORM], indirect=True, ids=lambda suite: suite.name)
def test_a_difference_of_each_kind_is_seen(world: World) -> None:
    def seen() -> Collection[str]:
        return differences(before, world.state(), *TOLERATED).keys()

    before = world.state()
    assert not seen()
    for kind, (name, command) in PLANTED.items():
        world.root.run("sh", "-c", command)
        assert name in seen(), kind
        before = world.state()
    for attribute, value in (("user.note", b"x"), ("system.posix_acl_access", acl(4321))):
        os.setxattr(world.root.path("/etc/stand-tool.conf"), attribute, value)
        assert list(seen()) == ["/etc/stand-tool.conf"], attribute
        before = world.state()
    world.renew()


LAW = settings(
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
    print_blob=False,
)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("world", [BOOKWORM], indirect=True, ids=lambda suite: suite.name)
def test_files_groups_and_marks_are_as_they_were(world: World) -> None:
    @seed(SEED)
    @settings(LAW, max_examples=EXAMPLES)
    @given(example=examples(packages=False))
    def law(example: Example) -> None:
        tried(world, example)

    law()


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_packages_are_as_they_were(world: World) -> None:
    @seed(SEED)
    @settings(LAW, max_examples=PACKAGES)
    @given(example=examples(packages=True))
    def law(example: Example) -> None:
        tried(world, example)

    law()
