"""Reads who we are and which GPU devices we may open, without opening one."""

from __future__ import annotations

from wizard.host.accounts import Account, groups_of, user_name
from wizard.host.host import Host
from wizard.machine.facts import Access, DeviceNode, Fact, Unknown
from wizard.machine.part import Found, Part

KFD = "/dev/kfd"
DRI = "/dev/dri"
GROUP_FILE = "/etc/group"


def read_access(host: Host) -> Found[Access]:
    """Our groups now and after the next login, and the devices that ROCm needs."""
    names = host.names(DRI)
    renders = () if isinstance(names, Unknown) else names
    return Found(
        Access(
            user=host.user,
            uid=host.uid,
            home=host.home,
            groups_in_force=host.groups_in_force(),
            groups_in_file=_groups_in_file(host),
            kfd=_node(host, KFD),
            render_nodes=tuple(
                _node(host, f"{DRI}/{name}") for name in renders if name.startswith("renderD")
            ),
        )
    )


def _groups_in_file(host: Host) -> Fact[tuple[str, ...]]:
    text = host.read(GROUP_FILE)
    if isinstance(text, Unknown):
        return text
    account = user_name(host.read("/etc/passwd"), host.uid)
    return groups_of(text, account if account.name else Account(name=host.user))


def _node(host: Host, path: str) -> DeviceNode:
    return DeviceNode(
        path=path, present=host.exists(path), usable=host.usable(path), group=host.group_of(path)
    )


def groups_after_login(access: Access) -> tuple[str, ...]:
    """Groups that are in the file but not yet in force: a new login brings them."""
    if isinstance(access.groups_in_file, Unknown) or isinstance(access.groups_in_force, Unknown):
        return ()
    return tuple(name for name in access.groups_in_file if name not in access.groups_in_force)


def _tell(access: Access) -> tuple[str, tuple[str, ...]]:
    nodes = (access.kfd, *access.render_nodes)
    later = groups_after_login(access)
    details = [_line(node) for node in nodes]
    details.append(f"active groups: {_words(access.groups_in_force)}")
    details.append(f"groups in {GROUP_FILE}: {_words(access.groups_in_file)}")
    if later:
        details.append(f"active after the next login: {', '.join(later)}")
    return f"{access.user}: {_summary(access, later)}", tuple(details)


def _summary(access: Access, later: tuple[str, ...]) -> str:
    if not access.kfd.present:
        return f"there is no {KFD}"
    if may_compute(access):
        return f"can use {KFD} and a render node"
    blocked = KFD if not access.kfd.usable else "any render node"
    return f"cannot open {blocked}" + (" until the next login" if _helps(access, later) else "")


def may_compute(access: Access) -> bool:
    """True where both the compute device and a render node may be opened."""
    return access.kfd.usable and any(node.usable for node in access.render_nodes)


def _helps(access: Access, later: tuple[str, ...]) -> bool:
    return any(node.group in later for node in (access.kfd, *access.render_nodes))


def _line(node: DeviceNode) -> str:
    if not node.present:
        return f"{node.path}: missing"
    group = node.group.because if isinstance(node.group, Unknown) else f"group {node.group}"
    return f"{node.path}: {'usable' if node.usable else 'not usable'} ({group})"


def _words(names: Fact[tuple[str, ...]]) -> str:
    return f"unknown, because {names.because}" if isinstance(names, Unknown) else ", ".join(names)


def _nothing(why: Unknown) -> Access:
    kfd = DeviceNode(KFD, present=False, usable=False, group=why)
    return Access("", -1, "", why, why, kfd, ())


ACCESS: Part[Access] = Part(
    title="Access to the GPU",
    source=f"{KFD}, {DRI}, {GROUP_FILE}, access(2)",
    read=read_access,
    without=_nothing,
    tell=_tell,
)
"""Who we are, and which devices we may open."""
