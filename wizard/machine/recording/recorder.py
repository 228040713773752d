"""Makes a record of the machine that was looked at: by allow-list, its owner disguised."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from wizard.host.accounts import user_name
from wizard.host.deadline import WaryHost
from wizard.host.host import Host
from wizard.machine.facts import Machine, Unknown
from wizard.machine.recording.accounts import PASSWD, account_file, is_account_file
from wizard.machine.recording.disguise import Disguise
from wizard.machine.recording.rules import Rule, rule_for
from wizard.machine.recording.told import is_told, told_paths
from wizard.machine.recording.watch import Asked, RecordingHost

NO_ACCOUNTS = Unknown(f"{PASSWD} was not read")
FORBIDDEN = "no permission to read "
"""How a host begins its reason where the right to read is missing."""
MISSING = "there is no "
LINK_LIMIT = 40


@dataclass(slots=True)
class Kept:
    """What of the files of a machine goes into its record, by the paths of the record."""

    files: dict[str, bytes] = field(default_factory=dict)
    folders: set[str] = field(default_factory=set)
    links: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    inodes: dict[str, int] = field(default_factory=dict)
    unreadable: set[str] = field(default_factory=set)
    failures: dict[str, str] = field(default_factory=dict)
    left_out: set[str] = field(default_factory=set)
    """Files that detection read although they are not on the list, as they are called here."""


def place_of(path: str, links: dict[str, str], *, last: bool = True) -> str:
    """The path with every recorded link on the way followed; ``last`` for one at its very end."""
    for _ in range(LINK_LIMIT):
        parts = path.split("/")
        ways = ("/".join(parts[:count]) for count in range(2, len(parts) + last))
        link = next((way for way in ways if way in links), None)
        if link is None:
            break
        path = links[link] + path[len(link) :]
    return path


def keep_files(host: RecordingHost, disguise: Disguise, machine: Machine) -> Kept:
    """Everything on the list that detection asked about, and what the links among it lead to."""
    keeper = _Keeper(host, disguise, machine)
    waiting = deque(sorted(host.asked.paths))
    seen: set[str] = set()
    while waiting:
        path = waiting.popleft()
        if path not in seen:
            seen.add(path)
            waiting.extend(keeper.look_at(path))
    return keeper.kept


class _Keeper:
    """Takes what is on the list, path by path."""

    def __init__(self, host: RecordingHost, disguise: Disguise, machine: Machine) -> None:
        self.kept = Kept()
        self._uid = host.uid
        self._asked: Asked = host.asked
        self._disguise = disguise
        self._told = told_paths(machine, host.asked)
        silent = machine.silent
        self._inner: Host = WaryHost(host.inner, silent) if silent else host.inner

    def look_at(self, path: str) -> tuple[str, ...]:
        """Keep what may be kept of a path; gives the paths that it leads to."""
        rule = rule_for(self._disguise.shortened(path))
        if rule is None and not is_account_file(path):
            self._leave_out(path)
        elif rule is None or not rule.told or is_told(path, self._told):
            if target := self._target(path):
                self.kept.links[self._disguise.path(path)] = self._disguise.path(target)
                self._asked.followed.add(target)
                self._answer_for(target, path)
                return (target,)
            self._keep(path, rule)
        return ()

    def _answer_for(self, target: str, path: str) -> None:
        """What was read through a link was its target's."""
        asked = self._asked
        if path in asked.texts:
            asked.texts.setdefault(target, asked.texts[path])
        if path in asked.heads:
            asked.heads.setdefault(target, asked.heads[path])
        if path in asked.sizes:
            asked.sizes.setdefault(target, asked.sizes[path])

    def _leave_out(self, path: str) -> None:
        answers = (self._asked.texts.get(path), self._asked.heads.get(path))
        if any(isinstance(answer, (str, bytes)) for answer in answers):
            self.kept.left_out.add(path)

    def _target(self, path: str) -> str:
        """Where the path leads if detection follows it; ``""`` for what is no link."""
        if path not in self._asked.followed:
            return ""
        target = self._inner.link(path)
        if isinstance(target, str):
            return target
        resolved = self._inner.resolve(path)
        return resolved if resolved != path and self._inner.exists(path) else ""

    def _keep(self, path: str, rule: Rule | None) -> None:
        place = self._disguise.path(path)
        answer = self._asked.texts.get(path, self._asked.folders.get(path))
        failed = isinstance(answer, Unknown) and not answer.because.startswith(MISSING)
        if isinstance(answer, Unknown) and failed:
            self._keep_failure(answer.because, place)
        if self._inner.is_folder(path):
            self.kept.folders.add(place)
        elif self._inner.exists(path):
            content = self._content(path, rule)
            if content or failed or rule is None or not rule.with_words:
                self._keep_file(path, place, content)

    def _keep_failure(self, because: str, place: str) -> None:
        if because.startswith(FORBIDDEN):
            self.kept.unreadable.add(place)
        else:
            self.kept.failures[place] = self._disguise.text(because)

    def _keep_file(self, path: str, place: str, content: bytes) -> None:
        self.kept.files[place] = content
        size, inode = self._asked.sizes.get(path), self._asked.inodes.get(path)
        if isinstance(size, int) and size != len(content):
            self.kept.sizes[place] = size
        if isinstance(inode, int):
            self.kept.inodes[place] = inode

    def _content(self, path: str, rule: Rule | None) -> bytes:
        text, head = self._asked.texts.get(path), self._asked.heads.get(path)
        if rule is None:
            own = user_name(self._asked.texts.get(PASSWD, NO_ACCOUNTS), self._uid)
            return account_file(path, text if isinstance(text, str) else "", own, self._disguise)
        if rule.head is not None:
            return rule.head(head) if isinstance(head, bytes) else b""
        return self._disguise.text(rule.keep(text)).encode() if isinstance(text, str) else b""
