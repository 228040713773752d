"""Talks with the root helper in a throwaway root, as the wizard does."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from tests.e2e.system.bases import PREFIX
from tests.e2e.system.roots import Root

PATIENCE_S = 120
RUN = "20250101-000000-abcdef"
RUNS = "/var/lib/rdna1-setup/runs"
Event = dict[str, Any]


def site_packages(root: Root) -> str:
    """Where our packages lie in a root."""
    return f"{PREFIX}/lib/python{root.suite.python}/site-packages"


def helper_in(root: Root) -> str:
    """Where the helper lies in a root."""
    return f"{site_packages(root)}/assets/root"


def argv(root: Root) -> tuple[str, ...]:
    """How it is started."""
    return ("/usr/bin/python3", "-I", "-B", helper_in(root))


def plan_of(*steps: Event, run: str = RUN, **more: Any) -> str:
    """The first line."""
    return json.dumps({"schema": 1, "run": run, "steps": list(steps), "yes": True, **more})


@dataclass
class Conversation:
    """A helper that is at work, and what it has said."""

    process: subprocess.Popen[str]
    first: Event = field(default_factory=dict)

    def say(self, line: str) -> None:
        """Send a line, if anybody is there to read it."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def hear(self) -> Event:
        """The next event; ``{"event": "gone"}`` when nobody can send one any more."""
        assert self.process.stdout is not None
        line = "" if self.process.stdout.closed else self.process.stdout.readline()
        if not line.endswith("\n"):  # a helper that gave us up leaves a torn line
            return {"event": "gone"}
        event: Event = json.loads(line)
        return event

    def events(self, number: int) -> Iterator[Event]:
        """Ask for a step and hear it to its end."""
        self.say(json.dumps({"do": number}))
        while True:
            event = self.hear()
            yield event
            if event["event"] in ("done", "failed", "gone"):
                return

    def do(self, number: int) -> Event:
        """Ask for a step; how it ended."""
        return list(self.events(number))[-1]

    def until(self, event: str, text: str = "") -> Event:
        """Hear until an event of this kind with this text in it."""
        while True:
            heard = self.hear()
            if heard["event"] == event and text in json.dumps(heard):
                return heard
            assert heard["event"] not in ("done", "failed", "gone"), heard

    def hear_out(self) -> list[Event]:
        """Everything until nobody can send any more."""
        events = [self.hear()]
        while events[-1]["event"] != "gone":
            events.append(self.hear())
        return events

    def end(self) -> None:
        """Close the input and hear on until nobody can send any more."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        while self.hear()["event"] != "gone":
            pass


@contextmanager
def talk(
    root: Root,
    *steps: Event,
    before: tuple[str, ...] = (),
    inside: tuple[str, ...] = (),
    line: str = "",
    **more: Any,
) -> Iterator[Conversation]:
    """Send a plan as plain root without a terminal, and hear the answer.

    ``before`` is a program on our side that starts it, such as strace, and ``inside`` one in the
    root; ``line`` is sent instead of a plan of these steps.
    """
    with subprocess.Popen(
        (*before, *root.command(*inside, *argv(root))),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        errors="surrogatepass",
        start_new_session=True,  # it must not ask at the terminal of whoever runs the tests
    ) as process:
        conversation = Conversation(process)
        try:
            conversation.say(line or plan_of(*steps, **more))
            conversation.first = conversation.hear()
            yield conversation
        finally:
            conversation.end()


def do_all(root: Root, *steps: Event, **more: Any) -> list[Event]:
    """Carry out all steps of a plan, one after the other; how each ended."""
    with talk(root, *steps, **more) as conversation:
        assert conversation.first["event"] == "ready", conversation.first
        return [conversation.do(number) for number in range(1, len(steps) + 1)]


def done_all(root: Root, *steps: Event, **more: Any) -> list[Event]:
    """The same, and every step must have worked."""
    events = do_all(root, *steps, **more)
    assert [event["event"] for event in events] == ["done"] * len(steps), events
    return events


def journal(root: Root, run: str = RUN) -> list[Event]:
    """The journal of a run."""
    text = root.path(f"{RUNS}/{run}/journal.jsonl").read_text()
    return [json.loads(line) for line in text.splitlines()]


def undo(root: Root, run: str = RUN) -> subprocess.CompletedProcess[str]:
    """Run UNDO.sh, without a network, whatever it returns."""
    return root.run("unshare", "--net", "sh", f"{RUNS}/{run}/UNDO.sh", check=False)


def wait_until(holds: Any, what: str, seconds: float = PATIENCE_S) -> None:
    """Wait for something outside of our hands; fails when it never comes."""
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, f"{what} never came true"
        time.sleep(0.05)


def apt_change(
    install: tuple[tuple[str, str], ...] = (),
    remove: tuple[str, ...] = (),
    *,
    purge: bool = False,
    debs: tuple[tuple[str, str], ...] = (),
    expect_install: tuple[tuple[str, str], ...] | None = None,
    expect_remove: tuple[str, ...] | None = None,
    for_good: tuple[tuple[str, str], ...] = (),
) -> Event:
    """A request for one transaction; what is expected is what is asked, unless told.

    ``for_good`` are the packages that go without a file of them.
    """
    expected = install if expect_install is None else expect_install
    gone = remove if expect_remove is None else expect_remove
    return {
        "verb": "apt_change",
        "install": [list(pair) for pair in install],
        "remove": list(remove),
        "purge": purge,
        "debs": [{"path": path, "sha256": digest} for path, digest in debs],
        "expect": {"install": [list(pair) for pair in expected], "remove": list(gone)},
        "for_good": [list(pair) for pair in for_good],
    }


def keep_debs(*packages: tuple[str, str]) -> Event:
    """A request to keep package files."""
    return {"verb": "keep_debs", "packages": [list(pair) for pair in packages]}


def write_file(path: str, content: str, before: str | None = None, mode: int = 0o644) -> Event:
    """A request to write a file."""
    fields = {"path": path, "content": content, "mode": mode, "before": before}
    return {"verb": "write_file", **fields}


def set_aside(path: str) -> Event:
    """A request to move something into the backup."""
    return {"verb": "set_aside", "path": path}


def put_back(path: str) -> Event:
    """A request to move it back."""
    return {"verb": "put_back", "path": path}
