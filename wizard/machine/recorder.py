"""Makes a record of the machine that was looked at: by allow-list, its owner disguised."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from wizard.machine.accounts import user_name
from wizard.machine.facts import Unknown
from wizard.machine.record_accounts import PASSWD, account_file, is_account_file
from wizard.machine.record_disguise import Disguise
from wizard.machine.record_rules import head_rule_for, rule_for
from wizard.machine.record_watch import RecordingHost

NO_ACCOUNTS = Unknown(f"{PASSWD} was not read")
FORBIDDEN = "no permission to read "
"""How a host begins its reason where the right to read is missing."""


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


def keep_files(host: RecordingHost, disguise: Disguise) -> Kept:
    """Everything on the list that detection asked about, and what the links among it lead to."""
    kept = Kept()
    waiting = deque(sorted(host.asked.paths))
    seen: set[str] = set()
    while waiting:
        path = waiting.popleft()
        if path in seen:
            continue
        seen.add(path)
        if rule_for(disguise.shortened(path)) is None and not is_account_file(path):
            _leave_out(host, path, kept)
        elif target := _target(host, path):
            kept.links[disguise.path(path)] = disguise.path(target)
            host.asked.followed.add(target)
            waiting.append(target)
        else:
            _keep(host, path, disguise, kept)
    return kept


def _leave_out(host: RecordingHost, path: str, kept: Kept) -> None:
    if isinstance(host.asked.texts.get(path), str) or isinstance(host.asked.heads.get(path), bytes):
        kept.left_out.add(path)


def _target(host: RecordingHost, path: str) -> str:
    """Where the path leads if detection follows it; ``""`` for what is no link."""
    if path not in host.asked.followed:
        return ""
    target = host.inner.link(path)
    if isinstance(target, str):
        return target
    resolved = host.inner.resolve(path)
    return resolved if resolved != path else ""


def _keep(host: RecordingHost, path: str, disguise: Disguise, kept: Kept) -> None:
    place = disguise.path(path)
    text = host.asked.texts.get(path, host.asked.folders.get(path))
    if isinstance(text, Unknown) and not text.because.startswith("there is no "):
        _keep_failure(text.because, place, disguise, kept)
    if host.inner.is_folder(path):
        kept.folders.add(place)
        return
    if not host.inner.exists(path):
        return
    kept.files[place] = _content(host, path, disguise)
    size, inode = host.asked.sizes.get(path), host.asked.inodes.get(path)
    if isinstance(size, int) and size != len(kept.files[place]):
        kept.sizes[place] = size
    if isinstance(inode, int):
        kept.inodes[place] = inode


def _keep_failure(because: str, place: str, disguise: Disguise, kept: Kept) -> None:
    if because.startswith(FORBIDDEN):
        kept.unreadable.add(place)
    else:
        kept.failures[place] = disguise.text(because)


def _content(host: RecordingHost, path: str, disguise: Disguise) -> bytes:
    text, head = host.asked.texts.get(path), host.asked.heads.get(path)
    if isinstance(text, str) and is_account_file(path):
        own = user_name(host.asked.texts.get(PASSWD, NO_ACCOUNTS), host.uid)
        return account_file(path, text, own, disguise).encode()
    rule, head_rule = rule_for(disguise.shortened(path)), head_rule_for(disguise.shortened(path))
    if isinstance(text, str) and rule is not None:
        return disguise.text(rule(text)).encode()
    return head_rule(head) if isinstance(head, bytes) and head_rule is not None else b""
