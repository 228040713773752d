"""What a stack costs here: age, security, Python, download, disk, root, and the way back."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.durations import time_text
from wizard.knowledge.stacks import Stack
from wizard.knowledge.torches import holes_of, torch_release
from wizard.machine.facts import Machine
from wizard.plan.aspect import HERE, PUBLISHED, UNKNOWN, Aspect, LineSpeed
from wizard.plan.fit import Fit
from wizard.plan.grounds import UNDO
from wizard.plan.pythons import python_need, python_obstacle
from wizard.plan.room import disk_full, home_disk
from wizard.sizes import size_text

WITH_PACKAGES = "rdna1-setup rollback takes all of it back, packages too; yours stays"
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def cost_aspects(
    machine: Machine, stack: Stack, fit: Fit, *, system: bool, speed: LineSpeed | None
) -> Iterator[Aspect]:
    """What taking it costs, in the order in which it is shown."""
    yield _age(stack)
    yield _security(stack)
    yield _python(machine, stack, fit)
    yield _download(stack, speed)
    yield _disk(machine, stack)
    yield root_aspect(stack, fit, system=system)
    yield Aspect("undo", "Undo", "rollback", "", WITH_PACKAGES if system else UNDO, ())


def _age(stack: Stack) -> Aspect:
    torch = stack.torch.partition("+")[0]
    release = torch_release(torch)
    if release is None:
        because = f"when torch {torch} was released is not in our data"
        return Aspect("age", "Age of torch", UNKNOWN, "", because, ())
    year, month, _ = release.released.split("-")
    word = f"{MONTHS[int(month) - 1]} {year}"
    because = f"torch {torch} was released on {release.released} ({release.source})"
    if stack.torch_prefix != stack.torch:
        because += "; the index may hold a newer one by now"
    return Aspect("age", "Age of torch", word, PUBLISHED, because, ())


def _security(stack: Stack) -> Aspect:
    holes = holes_of(stack.torch)
    if holes:
        told = "; ".join(
            f"{hole.id}: {hole.what}, closed in torch {hole.closed_in} ({hole.source})"
            for hole in holes
        )
        word = f"{len(holes)} hole{'s' if len(holes) > 1 else ''}"
        because = f"known to us and open in this torch: {told}"
        return Aspect("security", "Security", word, PUBLISHED, because, ())
    if torch_release(stack.torch) is None:
        because = "this torch is not in our data"
        return Aspect("security", "Security", UNKNOWN, "", because, ())
    because = "no open hole of this torch is in our data; later fixes come with later releases"
    return Aspect("security", "Security", "none known", PUBLISHED, because, ())


def _python(machine: Machine, stack: Stack, fit: Fit) -> Aspect:
    if not fit.python:
        missing = python_obstacle(machine, stack, "")
        because = missing.text if missing else "no Python that fits was found"
        return Aspect("python", "Python", "none fits", HERE, because, ())
    if need := python_need(fit.python):
        word = f"{fit.python.removeprefix('uv:')} by uv"
        return Aspect("python", "Python", word, HERE, f"{need} (about 30 MB)", ())
    found = next((i for i in machine.interpreters if i.path == fit.python), None)
    minor = ".".join(found.version.split(".")[:2]) if found else "here"
    return Aspect("python", "Python", f"{minor}, here", HERE, f"{fit.python} is there", ())


def _download(stack: Stack, speed: LineSpeed | None) -> Aspect:
    size = stack.download_bytes
    if size is None:
        because = f"how much there is to download is not known: {stack.size_source}"
        return Aspect("download", "Download", UNKNOWN, "", because, ())
    word, because = size_text(size), f"{size_text(size)}: {stack.size_source}"
    if speed is not None and speed.bytes_per_s > 0:
        time = time_text(max(1, size / speed.bytes_per_s))
        rate = f"{size_text(round(speed.bytes_per_s))} a second"
        word = f"{word}, {time}"
        because += f"; about {time} at {rate}, as this line was on {speed.date}"
    else:
        because += "; this line's speed was not measured yet"
    return Aspect("download", "Download", word, PUBLISHED, because, ())


def _disk(machine: Machine, stack: Stack) -> Aspect:
    size, disk = stack.installed_bytes, home_disk(machine)
    free = f"{size_text(disk.free_bytes)} free on {disk.filesystem}" if disk else "free: not known"
    if full := disk_full(machine, stack):
        word = "too little"
        return Aspect("disk", "Disk", word, HERE, full.text, ())
    if size is None:
        because = f"how much it takes installed is not known; {free}"
        return Aspect("disk", "Disk", UNKNOWN, "", because, ())
    because = f"{size_text(size)} installed ({stack.size_source}); {free}"
    return Aspect("disk", "Disk", size_text(size), PUBLISHED, because, ())


def root_aspect(stack: Stack, fit: Fit, *, system: bool) -> Aspect:
    """Whether root is needed: for steps of the plan, once before it, or not at all."""
    missing = fit.missing_right
    if system:
        because = f"ROCm {stack.system_release} packages of the system are exchanged"
        return Aspect("root", "Root needed", "yes", HERE, because, ())
    if missing is not None and missing.needs_root:
        return Aspect("root", "Root needed", "once", HERE, f"before it: {missing.text}", ())
    because = missing.text if missing else "everything goes into one folder of yours"
    return Aspect("root", "Root needed", "no", HERE, because, ())
