"""The stacks beside each other: for each aspect of each stack a word, why, and who says so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from wizard.advice.algorithms import algorithms
from wizard.advice.card import chosen_card, target_of
from wizard.advice.fit import Answer, Fit
from wizard.advice.floors import home_room, numpy_allowed, python_need, python_obstacle
from wizard.advice.leftovers import leftovers
from wizard.advice.recommend import Recommendation
from wizard.core.amounts import capitalized, size_text, time_text
from wizard.core.fact import Unknown
from wizard.core.journal import Record
from wizard.knowledge.applications import PLAIN_TORCH, Application, applications_named
from wizard.knowledge.claims import (
    Claim,
    Question,
    Word,
    evidence,
    load_aspects,
    load_claims,
    load_purposes,
    strongest_first,
    verdict_on,
)
from wizard.knowledge.stacks import Stack, holes_of, load_stacks, torch_release
from wizard.machine.facts import Machine
from wizard.machine.system import disk_in

USES = frozenset({"applications", "image speed", "transformer", "training"})
"""Topics of claims about what a card is used for."""
NUMPY_2 = "2.0"
RUN = "run-"
"""How the ids of verdicts on applications begin."""
ANY_PROGRAM = "any program"
"""How plain torch is called in the head of a row."""
UNDO = "rdna1-setup rollback removes what it made; files you added are kept"
WITH_PACKAGES = (
    "rdna1-setup rollback undoes everything, including packages; your own files are kept"
)
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@dataclass(frozen=True, slots=True)
class Aspect:
    """What is said of one aspect of a stack."""

    id: str
    title: str
    """At most 14 characters, for the head of a row."""
    word: str
    """The verdict or the figure; ``unknown`` where nobody says anything."""
    because: str
    """The reason in words."""
    claims: tuple[str, ...] = ()
    """Ids of the claims behind it: those that its verdict names first."""
    meaning: str = ""
    topics: tuple[str, ...] = ()
    """Of a purpose: the topics of claims that bear on it."""

    def is_other_use(self, claim: Claim) -> bool:
        """True for a claim about another use of the card than this purpose."""
        own = USES & {*self.topics}
        return (
            bool(own)
            and claim.topic in USES - own
            and not (claim.topic == "image speed" and "applications" in own)
        )


@dataclass(frozen=True, slots=True)
class LineSpeed:
    """How fast this machine's line once was."""

    bytes_per_s: float
    date: str
    """ISO date of the measurement."""


@dataclass(frozen=True, slots=True)
class Column:
    """One stack with all its aspects."""

    stack: str
    head: str
    """Its rank and name."""
    torch: str
    aspects: tuple[Aspect, ...]


def columns(
    machine: Machine,
    found: Recommendation,
    *,
    system: Callable[[str], bool] = lambda _: False,
    speed: LineSpeed | None = None,
    preset: str = "",
) -> tuple[Column, ...]:
    """Every stack with its aspects, best first.

    ``system``: whether a stack is taken with its system packages. ``speed``: of this line.
    """
    stacks = {stack.id: stack for stack in load_stacks()}
    asked = applications_named(found.applications)
    return tuple(
        Column(
            fit.stack,
            f"{rank} {fit.stack}",
            stacks[fit.stack].torch.partition("+")[0],
            (
                *_verdicts(machine, asked, stacks[fit.stack], fit),
                *_reviewed(machine, stacks[fit.stack], preset),
                *_costs(machine, stacks[fit.stack], fit, system(fit.stack), speed),
            ),
        )
        for rank, fit in enumerate(found.fits, 1)
    )


def everything(stack: Stack) -> Aspect:
    """All that anybody says of a stack, as one aspect."""
    about = strongest_first(claim for claim in load_claims() if stack.id in claim.stacks)
    ids = tuple(claim.id for claim in about)
    because = f"{len(ids)} statements about {stack.title}"
    return Aspect("all", "All statements", f"{len(ids)} claims", because, ids)


def also(
    machine: Machine, stack: Stack, fit: Fit, asked: tuple[Application, ...]
) -> tuple[str, ...]:
    """What else its user meets: leftovers, what applications take and spoil, presets, cautions."""
    accepted = {each.application: each for each in fit.answers if each.word is not Word.NO}
    takes = [
        f"{each.title} needs {need}"
        for each in asked
        if each.id in accepted
        for need in accepted[each.id].needs
        if need not in accepted[each.id].why
    ]
    spoils = [
        text if text.split()[0] == each.title else f"{each.title}: {text}"
        for each in asked
        if each.id in accepted and stack.gfx
        for text in _spoils(each, stack)
    ]
    presets = [f"optional variables: --preset '{p.name}' ({p.source})" for p in stack.presets]
    return (*leftovers(machine, stack), *takes, *spoils, *presets, *stack.cautions)


def _spoils(application: Application, stack: Stack) -> tuple[str, ...]:
    """What installing the application would do to a stack for the card."""
    texts = [application.spoils]
    if not numpy_allowed(stack, NUMPY_2):
        texts.append(application.spoils_numpy_1)
    return tuple(text for text in texts if text)


def _verdicts(
    machine: Machine, asked: tuple[Application, ...], stack: Stack, fit: Fit
) -> Iterator[Aspect]:
    """Whether what was asked for runs."""
    purposes = {purpose.id: purpose for purpose in load_purposes()}
    for application, answer in zip(asked, fit.answers, strict=True):
        title = ANY_PROGRAM if application.id == PLAIN_TORCH else application.title
        purpose = purposes[application.purpose]
        yield Aspect(
            f"{RUN}{application.id}",
            capitalized(title),
            answer.word.value,
            answer.why,
            _ids(machine, purpose, stack, answer),
            purpose.meaning,
            purpose.topics,
        )


def _ids(machine: Machine, purpose: Question, stack: Stack, answer: Answer) -> tuple[str, ...]:
    """A floor of its makers or of this machine rests on no claim."""
    if not answer.claims:
        return ()
    verdict = verdict_on(purpose.id, stack.id, _gfx(machine, stack))
    others = evidence(purpose, stack.id, verdict)
    return tuple(dict.fromkeys((*answer.claims, *(claim.id for claim in others))))


def _reviewed(machine: Machine, stack: Stack, preset: str) -> Iterator[Aspect]:
    """What the card can do with it, what hangs are put down to, and whether AMD stands by."""
    gfx = _gfx(machine, stack)
    for question in load_aspects():
        verdict = verdict_on(question.id, stack.id, gfx, preset)
        word = verdict.word.value if verdict else Word.UNKNOWN.value
        why = verdict.why if verdict else "not reviewed yet"
        claims = tuple(claim.id for claim in evidence(question, stack.id, verdict))
        yield Aspect(question.id, question.short, word, why, claims, question.meaning)


def _algorithms(machine: Machine, stack: Stack) -> Aspect:
    word, because = algorithms(stack, _gfx(machine, stack))
    return Aspect("algorithms", "Algorithms", word, because, _about("algorithms", stack))


def _gfx(machine: Machine, stack: Stack) -> str:
    return target_of(chosen_card(machine)) if stack.gfx else ""


def _costs(
    machine: Machine, stack: Stack, fit: Fit, system: bool, speed: LineSpeed | None
) -> Iterator[Aspect]:
    """What taking it costs, in the order in which it is shown."""
    yield _age(stack)
    yield _security(stack)
    yield _algorithms(machine, stack)
    yield _python(machine, stack, fit)
    yield _download(stack, speed)
    yield _disk(machine, stack)
    yield _root(stack, fit, system)
    yield Aspect("undo", "Undo", "rollback", WITH_PACKAGES if system else UNDO)


def _age(stack: Stack) -> Aspect:
    torch = stack.torch.partition("+")[0]
    release, claims = torch_release(torch), _about("age", stack)
    if release is None:
        because = f"this program does not know when torch {torch} was released"
        return Aspect("age", "Age of torch", Word.UNKNOWN.value, because, claims)
    year, month, _ = release.released.split("-")
    because = f"torch {torch} was released on {release.released} ({release.source})"
    if stack.torch_prefix != stack.torch:
        because += "; the index may have a newer release now"
    return Aspect("age", "Age of torch", f"{MONTHS[int(month) - 1]} {year}", because, claims)


def _security(stack: Stack) -> Aspect:
    holes, claims = holes_of(stack.torch), _about("security", stack)
    if holes:
        told = "; ".join(
            f"{hole.id}: {hole.what}, fixed in torch {hole.closed_in} ({hole.source})"
            for hole in holes
        )
        word = f"{len(holes)} known"
        return Aspect("security", "Vulnerable", word, f"open in this torch: {told}", claims)
    if torch_release(stack.torch) is None:
        return Aspect(
            "security", "Vulnerable", "unknown", "this program does not know this torch", claims
        )
    because = (
        "this program knows of no open vulnerability in this torch; later ones are only fixed in "
        "later releases"
    )
    return Aspect("security", "Vulnerable", "none known", because, claims)


def _python(machine: Machine, stack: Stack, fit: Fit) -> Aspect:
    if not fit.python:
        missing = python_obstacle(machine, stack, "")
        because = missing.text if missing else "no suitable Python was found"
        return Aspect("python", "Python", "none found", because)
    if need := python_need(fit.python):
        word = f"{fit.python.removeprefix('uv:')} by uv"
        return Aspect("python", "Python", word, f"{need} (about 30 MB)")
    found = next((i for i in machine.interpreters if i.path == fit.python), None)
    minor = ".".join(found.version.split(".")[:2]) if found else "here"
    return Aspect("python", "Python", f"{minor}, here", f"{fit.python} is installed")


def _download(stack: Stack, speed: LineSpeed | None) -> Aspect:
    size = stack.download_bytes
    if size is None:
        because = f"the download size is not known: {stack.size_source}"
        return Aspect("download", "Download", Word.UNKNOWN.value, because)
    word, because = size_text(size), f"{size_text(size)}: {stack.size_source}"
    if speed is not None and speed.bytes_per_s > 0:
        time = time_text(max(1, size / speed.bytes_per_s))
        rate = f"{size_text(round(speed.bytes_per_s))} a second"
        word = f"{word}, {time}"
        because += f"; about {time} at {rate}, measured on {speed.date}"
    else:
        because += "; your connection's speed is not measured yet"
    return Aspect("download", "Download", word, because)


def _disk(machine: Machine, stack: Stack) -> Aspect:
    size, disk = stack.installed_bytes, disk_in(machine, machine.access.home)
    free = (
        "free space not known"
        if isinstance(disk, Unknown)
        else f"{size_text(disk.free_bytes)} free on {disk.filesystem}"
    )
    short = home_room(machine, stack)
    if short and stack.sizes_known and not isinstance(disk, Unknown):
        return Aspect("disk", "Disk", "too little", f"it needs {short}")
    if size is None:
        because = f"the installed size is not known; {free}"
        return Aspect("disk", "Disk", Word.UNKNOWN.value, because)
    because = f"{size_text(size)} installed ({stack.size_source}); {free}"
    return Aspect("disk", "Disk", size_text(size), because)


def _root(stack: Stack, fit: Fit, system: bool) -> Aspect:
    """Whether root is needed: for steps of the plan, once before it, or not at all."""
    missing = fit.missing_right
    if system:
        because = "apt installs ROCm packages on the system"
        return Aspect("root", "Root needed", "yes", because)
    if missing is not None and missing.needs_root:
        return Aspect("root", "Root needed", "once", f"first: {missing.text}")
    because = missing.text if missing else "everything is installed into one folder in your home"
    return Aspect("root", "Root needed", "no", because)


def _about(topic: str, stack: Stack) -> tuple[str, ...]:
    """What people say of a figure: topic and aspect have the same name."""
    about = [c for c in load_claims() if c.topic == topic and stack.id in c.stacks]
    return tuple(claim.id for claim in strongest_first(about))


ENOUGH_BYTES = 20_000_000
"""Less tells of the start of a connection rather than of the line."""
TOLD = re.compile(r", (\d{1,15}) of them came in (\d{1,9}\.\d) s\Z")
"""As ``Received.words`` of the downloads ends an outcome."""


def line_speed(records: Iterable[Record]) -> LineSpeed | None:
    """The speed of the newest run that fetched enough to tell; None where there is none."""
    for record in records:
        for outcome in record.outcomes.values():
            found = TOLD.search(outcome)
            if found and int(found[1]) >= ENOUGH_BYTES and float(found[2]) > 0:
                return LineSpeed(int(found[1]) / float(found[2]), record.began[:10])
    return None
