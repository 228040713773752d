"""The conditions of a road as a table: one row each, with what is said where it is not met.

An obstacle rules the road out; a need does not, since it can be met before or after installing; a
condition that could not be read is said to be unknown and rules nothing out.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.handmade import GIGABYTE, HOME, card, clean_jammy, node, python
from tests.handmade import torch as installed
from wizard.advice.fit import INTERNET, Fit, Supply, fit
from wizard.core.fact import Unknown
from wizard.host.host import Disk
from wizard.knowledge.applications import applications_named
from wizard.knowledge.claims import Word
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Environment, FoundApplication, Gpu, Machine, Process, Surroundings

STACKS = {stack.id: stack for stack in load_stacks()}
DARK = Unknown("no permission")
CLEAN = clean_jammy()
NVIDIA = replace(card(), name="NVIDIA GPU 10de:2484", pci_id="10de:2484", gfx=DARK, rdna1=False)
STUCK = Process(4211, "python3", "D", ("/dev/kfd",), compute=True)
IDLE = Process(4212, "python3", "S", ("/dev/kfd",), compute=True)


def held(
    machine: Machine, stack: str, applications: tuple[str, ...] = (), supply: Supply = INTERNET
) -> Fit:
    return fit(machine, applications_named(applications), STACKS[stack], supply)


def system(**facts: object) -> Machine:
    return replace(CLEAN, system=replace(CLEAN.system, **facts))  # type: ignore[arg-type]


def inside(gpus: tuple[Gpu, ...] = (), **around: object) -> Machine:
    surroundings = CLEAN.surroundings._replace(**around)  # type: ignore[arg-type]
    return replace(CLEAN, gpus=gpus, surroundings=surroundings)


def with_card(**facts: object) -> Machine:
    return clean_jammy(replace(card(), **facts))  # type: ignore[arg-type]


def without_kfd(container: str) -> Machine:
    around = CLEAN.surroundings._replace(container=container)
    access = replace(CLEAN.access, kfd=CLEAN.access.kfd._replace(present=False))
    return replace(CLEAN, access=access, surroundings=around)


def with_room(count: int) -> Machine:
    return replace(CLEAN, disks=(Disk(HOME, "/home", 500 * GIGABYTE, count),))


NO_PYTHON = replace(CLEAN, interpreters=(python("3.14"),), uv=DARK)
NO_VENV = replace(CLEAN, interpreters=(python("3.10", makes_venvs=False),), uv=DARK)
UV_ONLY = replace(CLEAN, interpreters=())

RULED_OUT: dict[str, tuple[Machine, str, str, str]] = {
    "no card": (replace(CLEAN, gpus=()), "rocm52", "no AMD card was found", "lspci"),
    "another maker's card": (inside((NVIDIA,)), "native", "no AMD card", "CUDA wheels"),
    "WSL": (inside(wsl=True), "native", "this is WSL", "boot Linux itself"),
    "a container without devices": (
        inside(container="podman"),
        "rocm57",
        "inside podman",
        "pass /dev/kfd",
    ),
    "a virtual machine": (
        inside(virtual_machine="QEMU"),
        "rocm52",
        "virtual machine (QEMU)",
        "PCI passthrough",
    ),
    "a confined terminal": (
        inside(confined="flatpak"),
        "rocm52",
        "from inside flatpak",
        "terminal outside it",
    ),
    "a newer card": (clean_jammy(card("gfx1031")), "native", "is gfx1031", "own ROCm wheels"),
    "an older card": (with_card(gfx="gfx803"), "native", "is gfx803", "no stack for it"),
    "a relative": (clean_jammy(card("gfx1013")), "native", "is gfx1013", "processor works"),
    "a target unknown": (with_card(gfx=DARK), "native", "target of RX 5700 XT", "1002:731f"),
    "another processor": (system(architecture="aarch64"), "rocm52", "is aarch64", "machine"),
    "glibc too old": (system(glibc="2.27"), "native", "glibc 2.28 or newer; this", "container"),
    "glibc too old for the processor's": (system(glibc="2.17"), "cpu", "2.28", "newer release"),
    "glibc far too old": (system(glibc="2.12"), "rocm52", "2.17", "newer release"),
    "no Python": (NO_PYTHON, "rocm52", "it needs Python 3.10, 3.9, 3.8", "install Python 3.10"),
    "no venv": (
        NO_VENV,
        "rocm52",
        "lacks parts of its standard library",
        "install python3.10, or uv",
    ),
}

NEEDED: dict[str, tuple[Machine, str, str]] = {
    "a Python that uv installs": (UV_ONLY, "rocm52", "Python 3.10, which uv installs"),
    "another driver": (with_card(driver="vfio-pci"), "native", "used by vfio-pci"),
    "no driver": (with_card(driver=""), "native", "not used by any driver"),
    "kfd": (without_kfd(""), "rocm52", "/dev/kfd, which appears when amdgpu"),
    "kfd in a container": (
        without_kfd("docker"),
        "rocm52",
        "start the container with --device=/dev/kfd",
    ),
    "rights": (
        replace(CLEAN, access=replace(CLEAN.access, kfd=node("/dev/kfd", usable=False))),
        "rocm52",
        "permission to open /dev/kfd",
    ),
    "PCIe atomics": (
        with_card(atomics=False, mec_firmware=140, kfd_node=None),
        "native",
        "PCIe atomics, which the slot of RX 5700 XT does not support",
    ),
    "a process that cannot end": (
        replace(CLEAN, processes=(IDLE, STUCK)),
        "native",
        "a restart: python3 (4211) uses the card",
    ),
    "an executable stack": (system(glibc="2.41"), "rocm57", "glibc 2.41 refuses them"),
    "memory": (system(memory_bytes=4 * GIGABYTE), "rocm62", "this machine has 3.7 GiB"),
}

NOT_READ: dict[str, tuple[Machine, str, str]] = {
    "glibc": (system(glibc=DARK), "native", "glibc is not known (no permission)"),
    "glibc of the old": (system(glibc=DARK), "rocm52", "glibc is not known (no permission)"),
    "a C library that is none": (system(glibc="musl"), "cpu", "glibc calls itself musl"),
    "memory": (system(memory_bytes=DARK), "rocm52", "how much this machine has is not known"),
    "processor": (system(architecture=DARK), "rocm52", "could not be identified (no permission)"),
    "driver": (with_card(driver=DARK), "rocm52", "the card's driver is not known ("),
    "firmware": (
        with_card(atomics=False, mec_firmware=DARK, kfd_node=None),
        "rocm52",
        "compute firmware 145 or newer",
    ),
}


@pytest.mark.parametrize(("machine", "stack", "why", "fix"), RULED_OUT.values(), ids=RULED_OUT)
def test_what_rules_a_road_out_names_its_mend(
    machine: Machine, stack: str, why: str, fix: str
) -> None:
    found = held(machine, stack, ("own",))

    assert not found.possible
    assert why in found.obstacles[0]
    assert fix in found.obstacles[0]
    assert found.answers[0].word is Word.NO
    assert found.answers[0].why == found.obstacles[0]


@pytest.mark.parametrize(("machine", "stack", "words"), NEEDED.values(), ids=NEEDED)
def test_what_is_missing_is_needed_and_rules_nothing_out(
    machine: Machine, stack: str, words: str
) -> None:
    found = held(machine, stack)

    assert found.possible
    assert words in "\n".join(found.needs)


@pytest.mark.parametrize(("machine", "stack", "words"), NOT_READ.values(), ids=NOT_READ)
def test_what_could_not_be_read_is_said_to_be_unknown(
    machine: Machine, stack: str, words: str
) -> None:
    found = held(machine, stack)

    assert found.possible
    assert words in "\n".join(found.needs)


@pytest.mark.parametrize("stack", STACKS)
def test_where_every_condition_is_met_nothing_is_said(stack: str) -> None:
    found = held(replace(CLEAN, processes=(IDLE,)), stack)

    assert (found.obstacles, found.needs, found.card_closed) == ((), (), "")


def test_atomics_matter_only_to_a_card_that_the_driver_refused() -> None:
    taken = with_card(atomics=False, mec_firmware=140, kfd_node=1)
    new_enough = with_card(atomics=False, mec_firmware=145, kfd_node=None)

    assert held(taken, "native").needs == held(new_enough, "native").needs == ()


@pytest.mark.parametrize("name", ["another driver", "kfd in a container", "rights"])
def test_a_card_that_cannot_be_used_yet_is_told_apart_from_other_needs(name: str) -> None:
    machine, stack, words = NEEDED[name]
    found = held(machine, stack)

    assert words in found.card_closed
    assert found.card_closed in found.needs
    assert held(machine, "cpu").card_closed == ""


# Free space in the home folder, which rules nothing out: a plan may go to another disk.

SHORT = "9.0 GB of free disk space (1.3 GB to download and 7.7 GB installed), but /home has 2.0 GB"


@pytest.mark.parametrize(
    ("machine", "stack", "words"),
    [
        (with_room(2 * GIGABYTE), "rocm52", SHORT),
        (with_room(GIGABYTE), "rocm57", "how much is not known; /home has 1.0 GB free"),
        (replace(CLEAN, disks=()), "rocm52", "your home folder could not be read"),
        (replace(CLEAN, disks=()), "cpu", "your home folder could not be read"),
        (with_room(90 * GIGABYTE), "rocm52", ""),
    ],
)
def test_a_full_home_folder_is_told_and_rules_no_stack_out(
    machine: Machine, stack: str, words: str
) -> None:
    found = held(machine, stack)

    assert found.possible
    assert words in found.room
    assert bool(words) is bool(found.room)


# Places that the user named.

WHEELS = Supply(wheelhouse="/media/wheels")


def test_a_folder_of_wheels_brings_no_python() -> None:
    found = held(UV_ONLY, "rocm52", (), WHEELS)

    assert found.possible
    assert "for uv to download Python" in found.needs[-1]


def test_with_a_python_from_the_folder_too_nothing_needs_a_network() -> None:
    found = held(UV_ONLY, "rocm52", (), WHEELS._replace(python_mirror="file:///media/python"))

    assert found.possible
    assert found.needs == ("Python 3.10, which uv installs without root",)


# What an application asks of the machine, beside its stack.


def test_with_a_card_of_less_memory_than_its_makers_ask_for_it_is_possible_at_most() -> None:
    answer = held(with_card(vram_bytes=6_425_673_728), "native", ("fooocus",)).answers[0]

    assert answer.word is Word.POSSIBLE
    assert (
        "Fooocus needs a card with 8 GB, according to its makers; RX 5700 XT has 6 GiB"
        in answer.why
    )
    assert answer.needs == ("a card with 8 GB, according to its makers; RX 5700 XT has 6 GiB",)


def test_the_part_that_the_driver_keeps_does_not_make_a_card_too_small() -> None:
    assert held(with_card(vram_bytes=8_573_157_376), "native", ("fooocus",)).answers[0].needs == ()


def test_a_card_whose_memory_is_not_known_is_said_to_be_so() -> None:
    answer = held(with_card(vram_bytes=DARK), "native", ("invokeai",)).answers[0]

    assert answer.word is Word.WORKS
    assert answer.needs == ("a card with 4 GB: its memory is not known (no permission)",)


def test_more_memory_is_asked_for_where_the_card_stays_unused() -> None:
    machine = system(memory_bytes=16 * GIGABYTE)

    assert held(machine, "native", ("fooocus",)).answers[0].needs == ()
    assert "32 GB of memory on the processor" in held(machine, "cpu", ("fooocus",)).answers[0].why


def test_memory_of_a_machine_that_is_not_known_is_said_to_be_so() -> None:
    answer = held(system(memory_bytes=DARK), "cpu", ("fooocus",)).answers[0]
    assert answer.needs == ("32 GB of memory: how much there is is not known (no permission)",)


def test_what_an_application_takes_on_the_disk_is_named_where_it_is_tight() -> None:
    tight = held(with_room(30 * GIGABYTE), "native", ("invokeai",)).answers[0]

    assert tight.needs == (
        "40.0 GB of disk space for itself and its models; /home has 30.0 GB free",
    )
    assert held(with_room(90 * GIGABYTE), "native", ("invokeai",)).answers[0].needs == ()


@pytest.mark.parametrize(
    ("stack", "application", "asked"),
    [
        ("rocm52", "transformers", "pip install 'transformers<4.48' 'accelerate<1.3'"),
        ("rocm57", "transformers", "pip install 'transformers<5'"),
        ("rocm52", "diffusers", "pip install 'diffusers<0.37' 'accelerate<1.3'"),
    ],
)
def test_an_older_torch_is_possible_with_an_older_release(
    stack: str, application: str, asked: str
) -> None:
    answer = held(CLEAN, stack, (application,)).answers[0]

    assert answer.word is not Word.NO
    assert answer.needs[0] == f"an older release: {asked}"


def test_an_environment_that_holds_the_stack_is_named() -> None:
    there = Environment(f"{HOME}/venv", "venv", "3.10", installed("2.2.2+rocm5.7"))
    machine = replace(CLEAN, environments=(there,))

    assert held(machine, "rocm57").there == f"{HOME}/venv"
    assert held(machine, "rocm52").there == ""


@pytest.mark.parametrize(("glibc", "named"), [("2.41", ""), ("2.40", f"{HOME}/venv")])
def test_a_torch_that_this_glibc_refuses_to_load_is_not_one_that_is_had(
    glibc: str, named: str
) -> None:
    flagged = replace(installed("1.13.1+rocm5.2"), executable_stack=("libamdhip64.so",))
    there = Environment(f"{HOME}/venv", "venv", "3.10", flagged)
    system = replace(CLEAN.system, glibc=glibc)
    machine = replace(CLEAN, system=system, environments=(there,))

    assert held(machine, "rocm52").there == named


@pytest.mark.parametrize(("asked", "named"), [("yolo", ""), ("a1111", f"{HOME}/webui/venv")])
def test_the_torch_in_the_venv_of_a_program_is_had_for_that_program_alone(
    asked: str, named: str
) -> None:
    there = Environment(f"{HOME}/webui/venv", "venv", "3.10", installed("1.13.1+rocm5.2"))
    webui = FoundApplication("a1111", f"{HOME}/webui", there.path, "")
    library = FoundApplication("transformers", there.path, there.path, "")
    machine = replace(CLEAN, environments=(there,), applications=(webui, library))

    assert held(machine, "rocm52", (asked,)).there == named


def test_a_library_makes_an_environment_no_program_of_its_own() -> None:
    there = Environment(f"{HOME}/venv", "venv", "3.10", installed("1.13.1+rocm5.2"))
    library = FoundApplication("yolo", there.path, there.path, "")
    machine = replace(CLEAN, environments=(there,), applications=(library,))

    assert held(machine, "rocm52", ("small-cnn",)).there == there.path


def test_a_card_beside_that_no_stack_is_for_does_not_matter() -> None:
    beside = replace(card("gfx1031"), name="Cezanne", gfx="gfx90c", integrated=True)
    both = replace(CLEAN, gpus=(NVIDIA, beside, card("gfx1012")))

    assert held(both, "native").possible
    assert held(both, "native").needs == ()


def test_surroundings_do_not_matter_where_the_card_is_there() -> None:
    around = Surroundings(DARK, "docker", False, "QEMU", "snap", DARK, ())
    assert held(replace(CLEAN, surroundings=around), "native").possible
