"""Requests changed by chance: nothing changes outside of the allowed folders, and nothing blocks.

Every request passes the helper's own reading of a first line, called in one process. What it takes
is carried out by the real program: some hundreds of requests make a run, whose steps are one plan
of one process, asked and answered on a terminal as if sudo had started it for the owner, while
folders are exchanged for links. What it refuses is sent to the real program for two requests of
each run only: a process for each of 100,000 would take hours. Each run ends with a line that is no
command, with shells that read all of profile.d, and with UNDO.sh. A good request is rarer for apt
than for files, because of the time it takes.

``RDNA1_SETUP_MUTATIONS`` says how many; ``RDNA1_SETUP_SEED`` from which seed.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.system.bases import BOOKWORM, OWNER, base_tar
from tests.e2e.system.roots import Root, fresh_root
from tests.root.archive import add_source, publish
from tests.root.conftest import STOCK
from tests.root.conversation import (
    RUNS,
    apt_change,
    done_all,
    helper_in,
    plan_of,
    talk,
    undo,
    write_file,
)
from tests.root.exchanging import FOLDERS
from tests.root.listing import changed, listing
from tests.root.mutating import BASES, TRAP, mutated

pytestmark = pytest.mark.e2e
COUNT = int(os.environ.get("RDNA1_SETUP_MUTATIONS", "400"))
SEED = os.environ.get("RDNA1_SETUP_SEED", "1")
WELL_FORMED = 0.8
PLACES = (*FOLDERS, "/etc/udev", "/etc/apt/sources.list", "/opt/rocm", "/opt/amdgpu")
WORKSHOP = (
    "/var/lib/rdna1-setup",
    "/var/lib/dpkg",
    "/var/lib/apt",
    "/var/cache",
    "/var/log",
    "/var/backups",
    "/etc/group",  # its members are looked at one by one
    "/etc/gshadow",
    "/etc/ld.so.cache",
    "/tmp",
    "/run",
    "/srv/mutations",
)
"""What the helper's programs keep their own books in."""
SECONDS_A_REQUEST = 3
ENOUGH = 10_000
"""Requests of which some of every verb are good ones."""
MODULES = (
    "__init__.py",
    "exchanging.py",
    "mutating.py",
    "mutation_driver.py",
    "typed_session.py",
)
"""What works beside the helper."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Root]:
    """A root with a small archive alone, and a trap with what an attacker would like to have."""
    scratch = tmp_path_factory.mktemp("archive")
    with fresh_root(BOOKWORM, base_tar(BOOKWORM)) as made:
        publish(made, *STOCK, scratch=scratch)
        made.write("/etc/apt/sources.list", "")  # all of Debian would take apt seconds to read
        add_source(made, scratch)
        for folder in FOLDERS:
            made.write(f"{TRAP}{folder}/one.sh", "precious\n")
            made.write(f"{TRAP}{folder}/one.conf", "precious\n")
        made.write(f"{TRAP}/precious", "precious\n")
        made.write(f"/home/{OWNER}/precious", "precious\n", user=OWNER)
        here = Path(__file__)
        for name in MODULES:
            text = here.with_name(name).read_text()
            made.write(f"/srv/mutations/tests/root/{name}", text)
        yield made


def members(root: Root) -> dict[str, str]:
    """Who is in which group, but for the two that may change."""
    lines = root.path("/etc/group").read_text().splitlines()
    rows = (line.split(":") for line in lines)
    return {row[0]: row[3] for row in rows if row[0] not in ("render", "video")}


def test_mutated_requests_change_nothing_elsewhere_and_block_nothing(root: Root) -> None:
    before, groups = listing(root, "/"), members(root)
    folders = ("/srv/mutations", str(Path(helper_in(root)).parents[1]))
    done = root.run(
        *("/usr/bin/python3", "-B", "-m", "tests.root.mutation_driver"),
        *(SEED, str(COUNT), helper_in(root)),
        env={"PYTHONPATH": ":".join(folders)},
        timeout_s=600 + SECONDS_A_REQUEST * COUNT,
    )
    result = json.loads(done.stdout)
    print("\nseconds in steps:", {k: v // 1000 for k, v in result["milliseconds"].items()})
    show(result["counts"])
    assert result["mistakes"] == []
    assert changed(before, listing(root, "/"), *PLACES, *WORKSHOP) == {}
    assert members(root) == groups
    assert root.path(f"{TRAP}/precious").read_text() == "precious\n"
    check_nothing_blocks(root)


def show(counts: dict[str, dict[str, int]]) -> None:
    """A line a verb, and the share that was well-formed enough to be looked at closely."""
    for verb, of in sorted(counts.items()):
        print(f"{verb:14}", ", ".join(f"{count} {what}" for what, count in of.items()))
    sent = sum(of.get("sent", 0) for of in counts.values())
    reached = sum(of.get("reached the checks", 0) for of in counts.values())
    print(f"{sent} sent, {reached} reached the checks of their arguments ({reached / sent:.1%})")
    assert sent == COUNT
    assert reached >= WELL_FORMED * sent
    if sent >= ENOUGH:
        assert all(counts[verb].get("done") for verb in BASES), "each verb must work at times"


def check_nothing_blocks(root: Root) -> None:
    """A usual run works, forth and back."""
    root.run("apt-cache", "policy")
    root.run(
        "sh", "-c", "dpkg --purge --force-depends $(dpkg-query -W -f '${Package}\n' 'stand-*') || :"
    )
    path = "/etc/profile.d/usual.sh"
    done_all(
        root,
        {"verb": "configure"},
        write_file(path, "# usual\n"),
        {"verb": "apt_update"},
        apt_change((("stand-spare", "1.0"),)),
        run="usual",
    )
    assert undo(root, "usual").returncode == 0
    assert not root.path(path).exists()


@pytest.mark.parametrize("number", range(6))
def test_a_mutated_first_line_is_refused_or_carried_out_by_the_real_helper(
    root: Root, number: int
) -> None:
    """The same from the very start of the program: one answer, an end, and no lock that stays."""
    chance = random.Random(f"{SEED}-{number}")  # noqa: S311 - to be repeated, not to be secret
    for _ in range(5):
        _, text = mutated(chance)
        with talk(root, run=f"line-{number}") as conversation:
            assert conversation.first["event"] == "refused"  # a plan without a step
        line = plan_of(run=f"line-{number}").replace('"steps": []', f'"steps": [{text}]')
        with talk(root, line=line) as conversation:
            assert conversation.first["event"] in ("refused", "ready")
            if conversation.first["event"] == "ready":
                assert conversation.do(1)["event"] in ("done", "failed")
    if root.path(f"{RUNS}/line-{number}/UNDO.sh").exists():  # it may have moved what follows needs
        assert undo(root, f"line-{number}").returncode == 0
    check_nothing_blocks(root)
