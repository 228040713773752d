"""A machine, claims, advice and a plan as they might be: illustrative values, not facts."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.handmade import card, noble_with_leftovers, torch
from wizard.advice.fit import Answer, Fit
from wizard.advice.recommend import Recommendation
from wizard.apt.packages import Package, PackageWork
from wizard.core.fact import Unknown
from wizard.core.journal import Kind
from wizard.host.host import Disk
from wizard.knowledge.applications import Application
from wizard.knowledge.claims import Claim, Grade, Word
from wizard.knowledge.stacks import Stack, load_stacks
from wizard.machine.facts import (
    Environment,
    Interpreter,
    Machine,
    RocmTree,
    Setting,
    Surroundings,
)
from wizard.machine.part import PartDone
from wizard.operations.check_torch import CheckTorch
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.edit_lines import PutLinesBack, TakeLinesOut
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.install_python import InstallPython
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.packages import AptChange, KeepDebs
from wizard.operations.system_files import SetSystemPathAside
from wizard.operations.write_file import WriteFile
from wizard.plan.choice import Choice
from wizard.plan.removal import system_plan
from wizard.plan.steps import Plan, Step

GB = 1_000_000_000
NASTY = "[/opt/rocm] [bold]x [gfx1010] [ 12%] \x1b[31mred\x07 \x9b2J end"


@dataclass(frozen=True, slots=True)
class Part(PartDone):
    """An answered question of detection."""

    details: tuple[str, ...] = ()


CARD = replace(card(name="AMD Radeon RX 5600 XT", revision="ca"), vram_bytes=6 * 2**30)
NOBLE = noble_with_leftovers()
MACHINE = replace(
    NOBLE,
    recorded="example",
    gpus=(CARD,),
    system=replace(
        NOBLE.system,
        pretty_name="Ubuntu 24.04.3 LTS",
        kernel="6.14.0-35-generic",
        cpu="AMD Ryzen 5 3600 6-Core Processor",
        memory_bytes=32 * 2**30,
    ),
    surroundings=Surroundings(False, "", False, "", "", True, ()),
    access=replace(
        NOBLE.access,
        user="sam",
        home="/home/sam",
        groups_in_force=("sam", "render", "video"),
        groups_in_file=("sam", "render", "video"),
    ),
    processes=(),
    disks=(Disk("/home/sam", "/", 500 * GB, 91 * GB),),
    silent=(),
    interpreters=(Interpreter("/usr/bin/python3.12", "3.12.3", True),),
    uv=Unknown("uv is not in PATH"),
    environments=(
        Environment("/home/sam/ai/venv", "venv", "3.12", torch("2.2.2+rocm5.7", rocm="5.7")),
    ),
    rocm_trees=(RocmTree("/opt/rocm-5.7.1", "5.7.1", None, "rocm-core"),),
    rocm_packages=(
        Package(
            "rocm-core",
            "5.7.1.50701-98~22.04",
            "amd",
            "index",
            "installed",
            held=False,
            missing=False,
        ),
    ),
    package_work=PackageWork("", (), interrupted=False),
    apt_sources=(),
    system_files=(),
    settings=(
        Setting(
            "HSA_OVERRIDE_GFX_VERSION",
            "10.3.0",
            "/home/sam/.bashrc",
            118,
            "runs gfx1030 code; breaks native builds",
        ),
    ),
)

PARTS = (
    Part("System", "/etc/os-release", "Ubuntu 24.04.3 LTS, kernel 6.14, glibc 2.39"),
    Part(
        "Graphics cards",
        "/sys/bus/pci, KFD topology",
        "RX 5600 XT, gfx1010, 6 GB, drives a screen",
        (
            "0000:0b:00.0  1002:731f  revision ca  amdgpu",
            "gfx1010: the kernel says so (KFD node 1)",
        ),
    ),
    Part("Access to the GPU", "access(2)", "/dev/kfd and renderD128 may be opened"),
    Part("Disks", "statvfs", "91 of 500 GB free in /home/sam"),
    Part("Pythons", "PATH, /usr/bin", "3.12.3; no 3.10 here"),
    Part("Python environments", "dist-info folders", "2.2.2+rocm5.7 in ~/ai/venv, numpy 1.26.4"),
    Part("ROCm folders", "/opt, dpkg-query", "5.7.1 in /opt/rocm-5.7.1, 1 package of AMD's"),
    Part("Settings", "environment, shell files", "HSA_OVERRIDE_GFX_VERSION in ~/.bashrc:118"),
    Part("Who uses the GPU", "/proc", "no program computes on the GPU"),
)


def stack(name: str, title: str, torch: str, system_release: str = "", one_line: str = "") -> Stack:
    """A stack with the fields that the screens show."""
    return replace(
        load_stacks()[0], id=name, title=title, torch=torch, system_release=system_release
    )


STACKS = (
    stack("rocm52", "ROCm 5.2 wheels, torch 1.13.1", "1.13.1+rocm5.2", "5.2.0"),
    stack("rocm57", "ROCm 5.7 wheels, torch 2.2.2", "2.2.2+rocm5.7", "5.7.1"),
    stack("rocm62", "ROCm 6.2 wheels, torch 2.5.1", "2.5.1+rocm6.2", "6.2.4"),
    replace(stack("native", "TheRock wheels for gfx1010", "2.12.0"), requirements=("{gfx}",)),
    replace(stack("cpu", "CPU wheels, torch 2.13.0", "2.13.0"), gfx=()),
)


def application(name: str, title: str, purpose: str = "images", floor: str = "") -> Application:
    """An application with the fields that the screens show."""
    return Application(
        id=name, title=title, purpose=purpose, torch_floor=floor, source="", date="2026-08"
    )


APPLICATIONS = (
    application("comfyui", "ComfyUI", floor="2.7"),
    application("yolo", "YOLO train", "yolo", "1.8"),
    application("a1111", "A1111", "a1111", "1.13"),
    application("small-cnn", "Small CNN", "cnn"),
    application("transformers", "LLM", "transformers", "2.2"),
    application("own", "Other", "other"),
)

CLAIMS = (
    Claim(
        id="r52-a1111-pin",
        text="The web UI pinned torch 1.13.1+rocm5.2 with the 10.3.0 override for Navi 1 cards.",
        stacks=("rocm52",),
        topic="conv2d",
        leaning="for",
        who="AUTOMATIC1111 webui.sh",
        card="Navi 1 family",
        gfx=("gfx1010", "gfx1012"),
        versions="torch 1.13.1+rocm5.2",
        date="2023",
        checked="2026-11-20",
        method="read",
        grade=Grade.SEVERAL_USERS,
        source="github.com/AUTOMATIC1111/stable-diffusion-webui, webui.sh",
        supports=(),
        contradicts=("r52-never-starts-either",),
    ),
    Claim(
        id="r52-never-starts-either",
        text="Conv2d hung at the same size with ROCm 5.2 as with 5.7 (42 passes, 44 hangs).",
        stacks=("rocm52", "rocm57"),
        topic="conv2d",
        leaning="against",
        who="hkevin01/rocm-patch",
        card="RX 5600 XT",
        gfx=("gfx1010",),
        versions="ROCm 5.2 below torch 2.2.2+rocm5.7",
        date="2025-11",
        checked="2026-11-20",
        method="ran, numbers not compared",
        grade=Grade.ONE_USER,
        source="github.com/hkevin01/rocm-patch",
        supports=(),
        contradicts=("r52-a1111-pin",),
    ),
)

WORST = {"comfyui": ("rocm52", "rocm57", "rocm62")}


def recommend(machine: Machine, applications: tuple[str, ...], preset: str = "") -> Recommendation:
    """Stacks in an order that depends on what is ticked."""
    order = ["rocm52", "native", "rocm57", "cpu", "rocm62"]
    if "comfyui" in applications:
        order = ["native", "rocm52", "rocm57", "cpu", "rocm62"]
    asked = applications or ("own",)
    return Recommendation(
        applications=asked,
        fits=tuple(fit(name, asked) for name in order),
        sentence=f"{order[0]} is recommended: best known for what you ticked.",
        reason=f"a better verdict than {order[1]}, which comes next",
        first="",
        next_best=f"{order[1]} (likely)",
        measure="the torch you have: rdna1-setup conv2d --python /home/sam/ai/venv/bin/python",
        outside=(),
    )


WORDS = {
    "native": Word.LIKELY,
    "rocm52": Word.POSSIBLE,
    "rocm57": Word.DISPUTED,
    "rocm62": Word.UNLIKELY,
    "cpu": Word.WORKS,
}


def answer(name: str, application_id: str) -> Answer:
    """A verdict with its reason."""
    if name in WORST.get(application_id, ()):
        return Answer(application_id, Word.NO, "needs torch 2.7 or later")
    if name == "native" and application_id == "yolo":
        return Answer(application_id, Word.NOT_TRIED, "no report of a training step")
    return Answer(application_id, WORDS[name], "by reports on other cards of the family")


def fit(name: str, applications: tuple[str, ...]) -> Fit:
    """One stack with sentences of realistic length."""
    possible = name != "rocm62"
    return Fit(
        stack=name,
        possible=possible,
        obstacles=()
        if possible
        else ("No interpreter that fits: it needs Python 3.10 to 3.12 with venv.",),
        needs=("Python 3.10, which uv installs (30 MB, no root)",) if name == "rocm52" else (),
        answers=tuple(answer(name, one) for one in applications),
        python="uv:3.10",
        download_bytes=205_000_000 if name == "cpu" else 1_640_000_000,
        installed_bytes=6 * GB,
    )


KEPT = system_plan(
    Kind.KEEP,
    (
        PutLinesBack(
            "Every start of this Python sees the setting.",
            "/home/sam/rdna1/rocm57/lib/python3.11/site-packages/_rdna1_setup.py",
            ((4, "os.environ['MIOPEN_DEBUG_CONV_GEMM'] = '0'"),),
            "a",
            "b",
        ),
    ),
    ("A result for one shape may not hold for another.",),
)


def make_keep(venv: str, setting: tuple[tuple[str, str], ...]) -> Plan:
    """A plan that keeps a setting."""
    return KEPT


def make_clearing(
    machine: Machine, kind: Kind, scopes: tuple[str, ...], without_rollback: bool = False
) -> Plan:
    """A plan that only takes away; there is nothing of the distribution's."""
    if "distribution" in scopes:
        raise ValueError("There is nothing to remove: no ROCm package is installed.")
    packages = (("rocm-core", "5.7.1.50701-98"), ("miopen-hip", "2.20.0.50701-98"))
    for_good = packages[:1] if without_rollback else ()
    names = tuple(name for name, _ in packages)
    home = machine.access.home
    lines = ((12, "export HSA_OVERRIDE_GFX_VERSION=10.3.0"), (13, "export ROCM_PATH=/opt/rocm"))
    steps: tuple[Step, ...] = (
        TakeLinesOut("Settings that reach every program.", f"{home}/.bashrc", lines, "a", "b"),
        KeepDebs("So that each of them can be.", packages[len(for_good) :]),
        AptChange(
            "2 packages.",
            remove=names,
            purge=True,
            expect_remove=names,
            for_good=for_good,
        ),
        SetSystemPathAside("What is left of it.", "/opt/rocm-5.7.1"),
    )
    return system_plan(kind, steps, ("Mesa and its kin are never removed.",))


def make_plan(machine: Machine, choice: Choice) -> Plan:
    """A plan with one step of most kinds."""
    venv = choice.venv
    python = f"{venv}/bin/python"
    return Plan(
        id="3f9a1c0b7d2e",
        kind=Kind.INSTALL,
        stack=choice.stack,
        footprint=choice.footprint,
        venv=venv,
        steps=(
            InstallPython(
                "rocm52 needs Python 3.10 and this machine has only 3.12",
                "uv",
                "3.10",
                "/home/sam/.local/share/rdna1-setup/python",
            ),
            CreateEnvironment(
                "one folder holds everything", "uv", "/usr/bin/python3.10", venv, f"{venv}/.work"
            ),
            FetchWheels(
                "resumable, and checked by hash",
                "lock.json",
                f"{venv}/.staging",
                f"{venv}/lock.txt",
            ),
            InstallWheels(
                "exactly what was fetched", "uv", venv, f"{venv}/.staging", f"{venv}/lock.txt"
            ),
            WriteFile(
                "every start of this Python sees the override",
                venv,
                f"{venv}/lib/python3.10/site-packages/rdna1_setup.pth",
                "import os; os.environ['HSA_OVERRIDE_GFX_VERSION'] = '10.3.0'\n",
                0o644,
            ),
            CheckTorch("does it start on this card", python, "1.13.1", "cuda"),
        ),
        download_bytes=1_640_000_000,
        installed_bytes=6 * GB,
        notes=("Python 3.10 gets security updates until October 2026.",),
    )


CHOICE = Choice("rocm52", "venv", "/home/sam/rdna1/rocm52", ("comfyui",))
PLAN = make_plan(MACHINE, CHOICE)
NASTY_MACHINE = replace(
    MACHINE,
    gpus=(replace(CARD, name=NASTY, gfx=Unknown(NASTY)),),
    system=replace(MACHINE.system, pretty_name=NASTY),
    access=replace(MACHINE.access, home="/home/[/opt] [bold]x"),
)
