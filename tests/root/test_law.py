"""The law of undo: whatever root was asked, wherever it was killed, all can be as it was before.

Every example is a plan, where it is killed, what somebody else does meanwhile, and how it ends:
taken back at once, or gone on with and taken back. ``RDNA1_SETUP_LAW`` sets how many examples of
files are tried, ``RDNA1_SETUP_LAW_PACKAGES`` how many of packages, ``RDNA1_SETUP_LAW_SEED`` which.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings
from hypothesis import strategies as st

from tests.e2e.system.bases import BOOKWORM, base_tar
from tests.e2e.system.roots import OWNER, Root, fresh_root
from tests.preflight.asked import VALID
from tests.root.archive import add_source, publish
from tests.root.conftest import TOOL
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
from tests.root.everything import COMPARED, OTHER, PIN, PROFILE, TOLERATED, furnish
from tests.root.listing import Listing, changed, listing
from tests.root.stops import FOLDER, kill, kill_all, pids, stopped_at, waiting

pytestmark = pytest.mark.e2e

EXAMPLES = int(os.environ.get("RDNA1_SETUP_LAW", "50"))
PACKAGES = int(os.environ.get("RDNA1_SETUP_LAW_PACKAGES", "5"))
SEED = int(os.environ.get("RDNA1_SETUP_LAW_SEED", "1"))
HELPER = "root_helper.py"

NEW_PROFILE = "/etc/profile.d/rdna1-setup-rocm.sh"
LOADER = "/etc/ld.so.conf.d/rdna1-setup-rocm.conf"
LEFT = "/opt/rocm-left"
EDITS = {
    "the old profile rewritten": (PROFILE, "# mine now\n"),
    "our profile rewritten": (NEW_PROFILE, "# mine too\n"),
    "the other source written anew": (OTHER, "# mine as well\n"),
    "our loader file rewritten": (LOADER, "/opt/mine\n"),
}
"""What somebody else writes meanwhile."""


class World:
    """A root that is as it was furnished, or a new one where an example left it otherwise."""

    def __init__(self, stack: ExitStack, scratch: Path) -> None:
        self._stack = stack
        self._scratch = scratch
        self._runs = 0
        self._roots = 0
        self.root = self._fresh()
        self.before = state(self.root)

    def _fresh(self) -> Root:
        root = self._stack.enter_context(fresh_root(BOOKWORM, base_tar(BOOKWORM)))
        self._roots += 1
        scratch = self._scratch / str(self._roots)
        scratch.mkdir()
        stock = [waiting("stand-core", version) for version in ("1.0", "2.0")]
        publish(root, *stock, TOOL, waiting("stand-more", "2.0"), scratch=scratch)
        add_source(root, scratch)
        furnish_more(root)
        return root

    def new_run(self) -> str:
        """A name that no run has had."""
        self._runs += 1
        return f"law-{self._runs}"

    def renew(self) -> None:
        """Give up a root that is not as it was."""
        self._stack.pop_all().close()
        self.root = self._fresh()
        self.before = state(self.root)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The root that all examples share."""
    with ExitStack() as stack:
        yield World(stack, tmp_path_factory.mktemp("law"))


def furnish_more(root: Root) -> None:
    """Something of everything that a run may change, with what plain copies lose."""
    furnish(root)
    os.link(root.path(f"{LEFT}/lib/libMIOpen.so.original"), root.path(f"{LEFT}/lib/again"))
    root.path(f"{LEFT}/lib/link").symlink_to("again")
    for path in (PROFILE, OTHER, "/etc/stand-tool.conf", f"{LEFT}/lib/again"):
        os.setxattr(root.path(path), "user.note", path.encode())


State = tuple[Listing, dict[str, str]]


def state(root: Root) -> State:
    """Files with attributes and hard links; packages with settings' hashes, marks, alternatives."""
    files = listing(root, *COMPARED)
    links: dict[tuple[int, int], list[str]] = {}
    for path in files:
        place = root.folder / path.lstrip("/")
        for name in os.listxattr(place, follow_symlinks=False):
            files[path] += f" {name}={os.getxattr(place, name, follow_symlinks=False).hex()}"
        seen = place.lstat()
        if seen.st_nlink > 1 and place.is_file():
            links.setdefault((seen.st_dev, seen.st_ino), []).append(path)
    for paths in links.values():
        for path in paths if len(paths) > 1 else ():  # the backup may have the other name
            files[path] += f" = {sorted(paths)}"
    form = "${binary:Package}\t${Version} ${db:Status-Abbrev} ${Conffiles}\n;"
    listed = root.run("dpkg-query", "-W", "-f", form).stdout.split(";")
    packages = dict(line.strip("\n").split("\t", 1) for line in listed if "\t" in line)
    for name in root.run("apt-mark", "showauto").stdout.split():
        packages[name] = f"{packages.get(name, '')} auto"
    chosen = root.run("update-alternatives", "--get-selections").stdout
    return files, {**packages, "alternatives": chosen}


@dataclass(frozen=True)
class Example:
    """What is asked, where it is killed, what others do, and how it ends."""

    steps: tuple[Callable[[Root], Event], ...]
    names: tuple[str, ...]
    killed: str
    edits: tuple[str, ...]
    goes_on: bool
    again: str = ""
    """Where it is killed once more while it goes on."""

    def __repr__(self) -> str:
        how = "gone on with" if self.goes_on else "taken back"
        return f"{self.names} killed at {self.killed!r}, {self.edits}, {how}, {self.again!r}"


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
CHANGES: dict[str, Callable[[Root], Event]] = {
    "remove the tool": _plain(apt_change((), ("stand-tool",))),
    "purge the tool": _plain(apt_change((), ("stand-tool",), purge=True)),
    "remove both": _plain(apt_change((), ("stand-core", "stand-tool"))),
    "upgrade the core": _plain(apt_change((("stand-core", "2.0"),))),
    "exchange": _plain(apt_change((("stand-core", "2.0"), ("stand-more", "2.0")), ("stand-tool",))),
    "install more": _plain(apt_change((("stand-more", "2.0"),))),
    "ask for the core that is there": _plain(
        apt_change((ONE[0], ("stand-more", "2.0")), expect_install=(("stand-more", "2.0"),))
    ),
    "finish what waits": _plain({"verb": "configure"}),
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
    menu = {**FILES, **CHANGES} if packages else FILES
    chosen = draw(st.lists(st.sampled_from(sorted(menu)), min_size=1, max_size=5, unique=True))
    kills = st.one_of(POINTS, STOPS) if packages else POINTS
    names = (*(["keep"] if packages else []), *chosen)
    keep = {"keep": _plain(keep_debs(*ONE))}
    return Example(
        steps=tuple({**menu, **keep}[name] for name in names),
        names=names,
        killed=draw(kills),
        edits=tuple(draw(st.lists(st.sampled_from(sorted(EDITS)), max_size=2, unique=True))),
        goes_on=draw(st.booleans()),
        again=draw(kills),
    )


def carry_out(root: Root, run: str, steps: tuple[Event, ...], killed: str) -> None:
    """All steps, each whatever comes of it, up to where it is killed."""
    before: tuple[str, ...] = ()
    place = killed.removeprefix("all of ")
    if killed.startswith("fsync "):
        inject = f"inject=fsync:signal=SIGKILL:when={killed.split()[1]}"
        before = ("strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync", "-e", inject)
        place = ""
    with (
        stopped_at(root, *filter(None, [place])),
        killed_when_reached(root, place, whole=killed.startswith("all of ")),
        talk(root, *steps, run=run, before=before) as conversation,
    ):
        for number in range(1, len(steps) + 1):
            if conversation.first["event"] != "ready" or conversation.do(number)["event"] == "gone":
                break
    wait_until(lambda: not root.running(), "the root is quiet")


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


def changed_by(world: World, run: str) -> set[str]:
    """Paths that are otherwise by this run."""
    file = world.root.path(f"{RUNS}/{run}/journal.jsonl")
    lines = file.read_text().splitlines() if file.exists() else []
    noted = {record.get("path", "") for record in map(json.loads, filter(str.strip, lines))}
    return noted & changed(world.before[0], state(world.root)[0]).keys()


def obeys(world: World, example: Example) -> None:
    """Carry an example out and look at everything: it is as before, but for what others wrote."""
    root, run = world.root, world.new_run()
    steps = tuple(step(root) for step in example.steps)
    carry_out(root, run, steps, example.killed)
    ours = changed_by(world, run) if example.edits else set()
    edits = dict(EDITS[name] for name in example.edits if EDITS[name][0] in ours)
    for path, text in edits.items():
        root.write(path, text)
    if example.goes_on:
        carry_out(root, run, steps, example.again)
    if not root.path(f"{RUNS}/{run}/UNDO.sh").exists():  # nothing was begun
        edits = {}
    else:
        done = undo(root, run)
        note(done.stdout + done.stderr)
        assert done.returncode == (1 if edits else 0)
        for path, text in edits.items():
            assert root.path(path).read_text() == text
            assert f"NOT UNDONE: {path}" in done.stdout
            root.path(path).unlink()
        if edits:
            assert undo(root, run).returncode == 0
    files, packages = state(root)
    assert packages == world.before[1]
    assert changed(world.before[0], files, *TOLERATED, FOLDER) == {}


def tried(world: World, example: Example) -> None:
    """The same, with a new root for whatever comes after a failure."""
    try:
        obeys(world, example)
    except BaseException:
        world.renew()
        raise


LAW = settings(
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
    print_blob=False,
)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
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
