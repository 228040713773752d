"""What can be asked of indexes and repositories, for one machine and the sources it may use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from wizard.credentials import redact
from wizard.knowledge.releases import Catalogue, Release, repository_at
from wizard.knowledge.stacks import Stack
from wizard.machine.facts import Machine
from wizard.plan.pythons import chosen_python
from wizard.plan.resolve import AS_CONFIGURED
from wizard.plan.system import suites_to_ask

FAMILY = ("torch", "torchvision", "torchaudio")
"""What comes from the index of a stack; the rest comes from PyPI too."""


@dataclass(frozen=True, slots=True)
class Wheels:
    """Does this index, or this folder, have the wheels of a stack for this Python here."""

    stack: str
    number: int
    """1 for the first place of a stack, 2 for the next one that has the same wheels."""
    title: str
    place: str
    """Address of an index, or a folder of wheels; ``""`` where only pip knows."""
    in_folder: bool
    requirements: tuple[str, ...]
    python: str
    """Minor version, for example ``3.10``."""
    glibc: str
    """For example ``2.39``; ``""`` where it is not known."""
    labelled: bool
    """True where only wheels with a label, such as ``+rocm7.14.0``, are the stack's own."""
    shipped: str
    """What our data says of the place, and of when."""

    @property
    def name(self) -> str:
        """For the first column."""
        return self.stack if self.number == 1 else f"{self.stack} ({self.number})"

    @property
    def what(self) -> str:
        """What is asked for, in words."""
        return f"{self.title}, for Python {self.python}"


@dataclass(frozen=True, slots=True)
class Suites:
    """Does the repository have one of these suites of a ROCm release."""

    release: str
    place: str
    suites: tuple[str, ...]
    shipped: str

    @property
    def name(self) -> str:
        """For the first column."""
        return f"ROCm {self.release}"

    @property
    def what(self) -> str:
        """What is asked for, in words."""
        return f"system packages of ROCm {self.release}, suite {' or '.join(self.suites)}"


Question = Wheels | Suites


def shown_place(question: Question) -> str:
    """Where it is asked, without a login and without what follows ``?``: both may be secret."""
    parts = urlsplit(redact(question.place))
    return urlunsplit((*parts[:3], "", "")) or "as pip is configured"


def key_of(question: Question) -> str:
    """Under what an answer is kept: another Python, place or card is another question."""
    return f"{question.name} | {shown_place(question)} | {' '.join(_asked(question))}"


def _asked(question: Question) -> tuple[str, ...]:
    match question:
        case Wheels():
            return (*question.requirements, question.python)
        case Suites():
            return question.suites


@dataclass(frozen=True, slots=True)
class Named:
    """Sources that the user named in place of the stacks' own."""

    torch_index: str = ""
    wheelhouse: str = ""
    rocm_repo: str = ""


def questions(
    machine: Machine, stacks: tuple[Stack, ...], catalogue: Catalogue, named: Named
) -> tuple[Question, ...]:
    """Everything that can be asked for this machine, in the order of our data."""
    glibc = machine.system.glibc
    about = glibc if isinstance(glibc, str) else ""
    wheels = (each for stack in stacks for each in _wheels(machine, stack, named, about))
    repository = repository_at(catalogue, named.rocm_repo, "")
    suites = (
        each
        for entry in catalogue.releases.values()
        for each in _suites(catalogue, entry, repository.address, glibc)
    )
    return (*wheels, *suites)


def _wheels(machine: Machine, stack: Stack, named: Named, glibc: str) -> Iterator[Wheels]:
    python = _minor(machine, chosen_python(machine, (), stack)) or stack.pythons[0]
    gfx = next((gpu.gfx for gpu in machine.gpus if gpu.gfx in stack.gfx), "")
    wanted = tuple(
        each.replace("{gfx}", gfx or "gfx1010")
        for each in stack.requirements
        if _project(each) in FAMILY
    )
    for number, place in enumerate(_places(stack, named), 1):
        yield Wheels(
            stack=stack.id,
            number=number,
            title=stack.title,
            place=place,
            in_folder=bool(named.wheelhouse),
            requirements=wanted,
            python=python,
            glibc=glibc,
            labelled="+rocm" in stack.torch,
            shipped=stack.index_source if place == stack.index else _other(stack, place),
        )


def _places(stack: Stack, named: Named) -> tuple[str, ...]:
    if named.wheelhouse:
        return (named.wheelhouse,)
    if named.torch_index:
        return ("" if named.torch_index == AS_CONFIGURED else named.torch_index,)
    return (stack.index, *stack.other_indexes)


def _other(stack: Stack, place: str) -> str:
    if place in stack.other_indexes:
        return f"another address of the same wheels: {stack.index_source}"
    return "a place that you named: our data says nothing of it"


def _suites(catalogue: Catalogue, entry: Release, address: str, glibc: object) -> Iterator[Suites]:
    own = address == catalogue.repository.address
    shipped = catalogue.source if own else "a place that you named: our data says nothing of it"
    if suites := suites_to_ask(catalogue, entry, glibc):
        yield Suites(entry.version, f"{address}/{entry.directory}", suites, shipped)


def _minor(machine: Machine, python: str) -> str:
    """The minor version of a chosen Python: ``uv:3.10`` or the path of an interpreter."""
    if python.startswith("uv:"):
        return python.removeprefix("uv:")
    version = next((i.version for i in machine.interpreters if i.path == python), "")
    return ".".join(version.split(".")[:2])


def _project(requirement: str) -> str:
    return requirement.split("[")[0].split("=")[0].split("<")[0].strip()
