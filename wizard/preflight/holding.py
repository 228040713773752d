"""Whether what a finished plan did to the system and to the user's files is still so."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.core.fact import Unknown
from wizard.host.host import Host
from wizard.machine.package_states import installed_rows
from wizard.operations.edit_lines import TakeLinesOut, sha256
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import AptChange
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.steps import Plan, Step


def no_longer_so(plan: Plan, host: Host) -> tuple[str, ...]:
    """What is otherwise by now, in words; looks, and believes no journal."""
    rows = installed_rows(host)
    if isinstance(rows, Unknown):
        return (f"the list of installed packages cannot be read: {rows.because}",)
    there = {row.name: row.version for row in rows}
    return (
        *_packages(plan, there),
        *(text for step in plan.steps for text in _file(step, plan, host)),
    )


def _packages(plan: Plan, there: dict[str, str]) -> Iterator[str]:
    """After the last transaction; what one of them removed, a later one may have brought."""
    wanted: dict[str, str] = {}
    for step in plan.steps:
        if isinstance(step, AptChange):
            wanted |= dict.fromkeys(step.expect_remove, "")
            wanted |= dict(step.expect_install)
    for name, version in wanted.items():
        if there.get(name, "") != version:
            now = there.get(name, "")
            yield f"{name} {now} is installed" if now else f"{name} {version} is not installed"


def _file(step: Step, plan: Plan, host: Host) -> Iterator[str]:
    match step:
        case SetSystemPathAside(path=path) if not _is_written(path, plan) and _is_there(host, path):
            yield f"{path} exists"
        case WriteSystemFile(path=path, content=content) if _hash(host, path) != sha256(content):
            yield f"{path} has changed"
        case TakeLinesOut(path=path, after=after) if _hash(host, path) != after:
            yield f"{path} has changed"
        case AddToGroups(user=user, groups=groups):
            yield from (
                f"{user} is not in the group {name}" for name in groups if not _in(host, user, name)
            )
        case _:
            return


def _is_written(path: str, plan: Plan) -> bool:
    """True for a path that the plan itself, or a package that it installs, puts there anew."""
    installs = any(isinstance(step, AptChange) and step.expect_install for step in plan.steps)
    return (installs and path.startswith("/opt/")) or any(
        isinstance(step, WriteSystemFile) and step.path == path for step in plan.steps
    )


def _is_there(host: Host, path: str) -> bool:
    return host.exists(path) or isinstance(host.link(path), str)


def _hash(host: Host, path: str) -> str:
    text = host.read(path)
    return sha256(text) if isinstance(text, str) else ""


def _in(host: Host, user: str, group: str) -> bool:
    text = host.read("/etc/group")
    lines = text.splitlines() if isinstance(text, str) else []
    cells = (line.split(":") for line in lines)
    return any(c[0] == group and user in c[3].split(",") for c in cells if len(c) > 3)
