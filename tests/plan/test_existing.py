"""Plans for environments that exist: what goes, what stays, what would not get on."""

from __future__ import annotations

import configparser
from dataclasses import replace

import pytest

from tests.handmade import HOME, clean_jammy
from wizard.core.fact import Unknown
from wizard.core.own_files import places
from wizard.host.contents import Contents
from wizard.host.distributions import Distribution, conflicts
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.resolve import Resolve
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.operations.write_file import WriteFile
from wizard.plan.choice import Choice
from wizard.plan.existing import torch_family
from wizard.plan.impossible import PlanImpossible
from wizard.plan.new_environment import with_constraint
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan

VENV = f"{HOME}/ComfyUI/venv"


def dist(name: str, version: str = "1.0", *requires: str, **facts: str | bool) -> Distribution:
    wheel = Distribution(name, version, requires, True, "pip", True, "")
    return replace(wheel, **facts)  # type: ignore[arg-type]


CUDA = (
    dist("torch", "2.1.0+cu118", "nvidia-cublas-cu11==11.11", "triton==2.1.0", "filelock"),
    dist("torchvision", "0.16.0+cu118", "torch==2.1.0", "numpy"),
    dist("triton", "2.1.0", "filelock"),
    dist("nvidia-cublas-cu11", "11.11", requested=False),
    dist("numpy", "1.26.0"),
    dist("filelock", "3.0"),
    dist("einops", "0.7"),
)


def there(*more: Distribution, **facts: object) -> Contents:
    made = Contents(
        path=VENV,
        kind="venv",
        python="3.10",
        starts=True,
        site=f"{VENV}/lib/python3.10/site-packages",
        closed=False,
        pip_conf="",
        conda=(),
        distributions=(*CUDA, *more),
        user_site="",
        user_first=False,
        user_distributions=(),
    )
    return replace(made, **facts)  # type: ignore[arg-type]


def plan_for(contents: Contents, **options: bool) -> Plan:
    choice = Choice("rocm52", "venv", VENV, **options)  # type: ignore[arg-type]
    return make_plan(clean_jammy(), choice, places({}, HOME), contents)


def names(distributions: tuple[Distribution, ...]) -> set[str]:
    return {each.name for each in distributions}


def test_the_family_is_torch_its_siblings_and_the_wheels_that_only_they_need() -> None:
    assert names(torch_family(CUDA)) == {"torch", "torchvision", "triton", "nvidia-cublas-cu11"}
    shared = (*CUDA, dist("onnxruntime-gpu", "1.0", "nvidia-cublas-cu11"))
    assert "nvidia-cublas-cu11" not in names(torch_family(shared))
    asked = (*CUDA[:3], dist("nvidia-cublas-cu11", "11.11"))
    assert "nvidia-cublas-cu11" not in names(torch_family(asked))


def test_a_package_that_needs_torch_does_not_keep_the_wheels_of_torch() -> None:
    found = torch_family((*CUDA, dist("uses-torch", "1.0", "torch")))
    assert "nvidia-cublas-cu11" in names(found)
    assert "uses-torch" not in names(found)


def test_amd_s_own_wheels_belong_to_the_torch_that_brought_them() -> None:
    native = (
        dist("torch", "2.9.0+rocm7.14", "rocm[libraries]==7.14"),
        dist(
            "rocm",
            "7.14",
            "rocm-sdk-core==7.14",
            'rocm-sdk-libraries-gfx101x ; extra == "libraries"',
        ),
        dist("rocm-sdk-core", "7.14"),
        dist("rocm-sdk-libraries-gfx101x", "7.14"),
        dist("rocm-smi-tool", "1.0"),
    )
    assert names(torch_family(native)) == names(native) - {"rocm-smi-tool"}


def test_the_wheels_of_cuda_13_that_come_by_way_of_its_toolkit_belong_to_torch_too() -> None:
    newer = (
        dist("torch", "2.13.0", "cuda-toolkit[cublas]==13.0.3; platform_system == 'Linux'"),
        dist("cuda-toolkit", "13.0.3", 'nvidia-cublas==13.1; extra == "cublas"', requested=False),
        dist("nvidia-cublas", "13.1", requested=False),
    )
    assert names(torch_family(newer)) == names(newer)


def test_numpy_goes_only_when_the_stack_excludes_its_version() -> None:
    def aside(plan: Plan) -> dict[str, str]:
        return dict(next(s for s in plan.steps if isinstance(s, SetAsidePackages)).packages)

    assert "numpy" not in aside(plan_for(there()))
    new = [dist("numpy", "2.1.0") if d.name == "numpy" else d for d in CUDA]
    plan = plan_for(there(distributions=tuple(new)))
    assert aside(plan)["numpy"] == "2.1.0"


SYMPY = dist("sympy", "1.13.1", "mpmath<1.4", requested=False)


def with_sympy(*more: Distribution, sympy: Distribution = SYMPY) -> Plan:
    """The plan for an environment whose torch requires one version of sympy."""
    pins = ("sympy==1.13.1; python_version >= '3.9'", "lit==1.0; extra == 'x'", "cmake==1.*")
    torch = replace(CUDA[0], requires=(*CUDA[0].requires, *pins))
    return plan_for(there(distributions=(torch, *CUDA[1:], sympy, *more)))


def test_what_the_old_torch_requires_in_one_version_goes_with_it_and_comes_back() -> None:
    others = (dist("lit", requested=False), dist("cmake", requested=False))
    plan = with_sympy(*others, dist("uses-sympy", "1.0", "sympy<1.14"))
    resolve = next(s for s in plan.steps if isinstance(s, Resolve))
    assert "sympy" in resolve.leaving
    assert resolve.held[3:] == ("lit==1.0", "cmake==1.0", "uses-sympy==1.0")
    assert resolve.manifest.requirements[-2:] == ("numpy<2", "sympy")
    aside = next(s for s in plan.steps if isinstance(s, SetAsidePackages))
    assert ("sympy", "1.13.1") in aside.packages
    told = " ".join(plan.notes)
    assert "Only its torch and sympy change." in told
    assert "torchvision 0.16.0+cu118, sympy 1.13.1, triton 2.1.0, 1 nvidia wheel" in told
    assert "sympy is replaced because the old torch requires exactly version 1.13.1." in told
    assert "All other packages (6) keep their versions" in told


@pytest.mark.parametrize(
    ("sympy", "more"),
    [
        (replace(SYMPY, requested=True), ()),
        (replace(SYMPY, version="1.14.0"), ()),
        (replace(SYMPY, installer="conda"), ()),
        (replace(SYMPY, source="file:///home/me/sympy"), ()),
        (replace(SYMPY, recorded=False), ()),
        (replace(SYMPY, twice=True), ()),
        (SYMPY, (dist("xyz", "1.0", "sympy==1.13.1"),)),
    ],
)
def test_what_somebody_else_decided_on_stays_though_torch_requires_that_version_too(
    sympy: Distribution, more: tuple[Distribution, ...]
) -> None:
    plan = with_sympy(*more, sympy=sympy)
    resolve = next(s for s in plan.steps if isinstance(s, Resolve))
    assert f"sympy=={sympy.version}" in resolve.held
    assert "sympy" not in (*resolve.leaving, *resolve.manifest.requirements)
    assert "Only its torch changes." in plan.notes[0]


def test_wheels_that_others_need_too_stay_though_torch_requires_their_version() -> None:
    plan = plan_for(there(dist("onnxruntime-gpu", "1.0", "nvidia-cublas-cu11")))
    resolve = next(s for s in plan.steps if isinstance(s, Resolve))
    assert "nvidia-cublas-cu11==11.11" in resolve.held
    assert "nvidia-cublas-cu11" not in resolve.manifest.requirements


def test_everything_else_is_held_and_the_plan_says_what_goes_stays_and_comes_back() -> None:
    plan = plan_for(there())
    held = next(s for s in plan.steps if isinstance(s, Resolve))
    assert held.held == ("numpy==1.26.0", "filelock==3.0", "einops==0.7")
    assert held.leaving == ("torch", "torchvision", "triton", "nvidia-cublas-cu11")
    assert (held.venv, held.site) == (VENV, there().site)
    assert "3 installed packages kept as they are" in str(held)
    told = " ".join(plan.notes)
    assert (
        "replaces torch 2.1.0+cu118, torchvision 0.16.0+cu118, triton 2.1.0, 1 nvidia wheel" in told
    )
    assert "All other packages (3) keep their versions" in told
    assert "rdna1-setup rollback" in told
    assert not [step for step in plan.steps if isinstance(step, CreateEnvironment)]
    assert not any(step.needs_root for step in plan.steps)


def test_nothing_is_moved_before_every_file_is_there() -> None:
    kinds = [type(step).__name__ for step in plan_for(there()).steps]
    order = [
        kinds.index(k) for k in ("Resolve", "FetchWheels", "SetAsidePackages", "InstallWheels")
    ]
    assert order == sorted(order)


def test_every_step_keeps_to_the_site_folder_of_the_environment_s_own_python() -> None:
    steps = [step for step in plan_for(there()).steps if hasattr(step, "site")]
    assert {type(step).__name__ for step in steps} >= {"InstallWheels", "SetAsidePackages"}
    assert {step.site for step in steps} == {there().site}


def test_the_plan_is_the_same_while_the_environment_is_remembered_the_same() -> None:
    assert plan_for(there()).id == plan_for(there()).id
    assert plan_for(there()).id != plan_for(there(dist("new-one"))).id


@pytest.mark.parametrize(
    ("requires", "told"),
    [
        ("torch>=2.0", "xyz 1.0 needs torch>=2.0, but torch 1.13.1+rocm5.2 would be installed"),
        ("torch==2.1.0", "xyz 1.0 needs torch==2.1.0, but torch 1.13.1+rocm5.2 would be installed"),
        ("torch>=1.10", ""),
        ("torch>=2.0 ; extra == 'gpu'", ""),
        ("torch>=2.0 ; python_version < '3.9'", ""),
        ("no requirement at all !", ""),
    ],
)
def test_who_asks_for_another_torch_is_named(requires: str, told: str) -> None:
    asking = there(dist("xyz", "1.0", requires))
    if not told:
        plan_for(asking)
        return
    with pytest.raises(PlanImpossible) as refused:
        plan_for(asking)
    assert told in str(refused.value)
    assert f"--venv {VENV}-rocm52" in str(refused.value)


def test_a_sibling_of_torch_that_the_stack_does_not_bring_is_told_and_missed_by_name() -> None:
    def plan(contents: Contents) -> Plan:
        return make_plan(clean_jammy(), Choice("cpu", "venv", VENV), places({}, HOME), contents)

    assert any(
        "torchvision is removed, because it was built for the old torch" in n
        for n in plan(there()).notes
    )
    with pytest.raises(
        PlanImpossible, match=r"timm 1\.0 needs torchvision, which would be removed"
    ):
        plan(there(dist("timm", "1.0", "torchvision")))


def test_what_was_broken_before_is_no_conflict_of_ours() -> None:
    asking = dist("xyz", "1.0", "torch>=9")
    assert conflicts([asking], CUDA[:1], {"torch": "1.13.1"}, "3.10") == ()


def test_who_needs_what_goes_and_does_not_return_is_named() -> None:
    asking = dist("unsloth", "1.0", "triton>=2")
    found = conflicts([asking], CUDA, {"torch": "2.5.1"}, "3.10")
    assert found == ("unsloth 1.0 needs triton>=2, which would be removed",)


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"python": "3.12"}, "it has Python 3.12, and rocm52 needs Python 3.10, 3.9, 3.8"),
        ({"python": "", "site": ""}, "its Python version cannot be read"),
        ({"starts": False}, "its own Python is missing"),
        ({"kind": "conda", "closed": True}, "it is closed to pip"),
        ({"kind": "conda", "conda": ("pytorch",)}, "conda installed pytorch"),
    ],
)
def test_an_environment_that_cannot_be_changed_gets_a_new_venv_beside(
    changed: dict[str, object], why: str
) -> None:
    plan = plan_for(there(**changed))
    assert plan.venv == f"{VENV}-rocm52"
    assert why in plan.notes[0]
    assert f"{VENV} is not changed" in plan.notes[0]
    carried = next(s for s in plan.steps if isinstance(s, Resolve)).carried
    assert dict(carried) == {"filelock": "3.0", "einops": "0.7"}
    written = [step.path for step in plan.steps if isinstance(step, WriteFile)]
    assert all(path.startswith(f"{VENV}-rocm52/") for path in written)


def test_where_no_installer_noted_what_was_asked_for_what_nothing_requires_comes_along() -> None:
    silent = tuple(replace(d, requested=False) for d in CUDA)
    plan = plan_for(there(distributions=silent, python="3.12"))
    carried = next(s for s in plan.steps if isinstance(s, Resolve)).carried
    assert dict(carried) == {"einops": "0.7"}


def test_a_torch_that_pip_installed_into_a_conda_environment_is_replaced_there() -> None:
    plan = plan_for(there(kind="conda", conda=("python", "openssl")))
    assert plan.venv == VENV
    assert "your conda environment" in plan.notes[0]


def test_a_torch_without_a_list_of_its_files_is_not_touched() -> None:
    bare = tuple(replace(d, recorded=d.name != "torch") for d in CUDA)
    plan = plan_for(there(distributions=bare))
    assert "torch cannot be moved safely without a list of files" in plan.notes[0]


def test_a_torch_that_stands_there_in_two_versions_is_not_touched() -> None:
    twice = tuple(replace(d, twice=d.name == "torch") for d in CUDA)
    assert "it contains torch in two versions" in plan_for(there(distributions=twice)).notes[0]


def test_what_came_from_a_folder_of_its_owner_is_told_and_not_fetched() -> None:
    own = dist("my-nodes", "0.1", source="git+https://me:secret@host/x")
    plan = plan_for(there(own, python="3.12"))
    note = next(note for note in plan.notes if "my-nodes" in note)
    assert "Install this package yourself" in note
    assert "secret" not in note


def test_a_torch_in_the_user_site_is_moved_only_when_asked() -> None:
    seen = there(
        user_site=f"{HOME}/.local/lib/python3.10/site-packages",
        user_first=True,
        user_distributions=(dist("torch", "2.0.1"), dist("black")),
    )
    left, moved = plan_for(seen), plan_for(seen, user_torch_aside=True)
    assert any("To move it out of the way, use --user-torch-aside" in note for note in left.notes)
    assert (left.user_torch, moved.user_torch, plan_for(there()).user_torch) == (
        "left",
        "aside",
        "",
    )
    roots = [step.root for step in moved.steps if isinstance(step, SetAsidePackages)]
    assert roots == [VENV, f"{HOME}/.local"]
    aside = [step for step in moved.steps if isinstance(step, SetAsidePackages)][1]
    assert aside.packages == (("torch", "2.0.1"),)
    assert len([s for s in left.steps if isinstance(s, SetAsidePackages)]) == 1


@pytest.mark.parametrize("fault", [{"twice": True}, {"recorded": False}])
def test_a_torch_in_the_user_site_that_cannot_be_moved_whole_is_told_before_anything_moves(
    fault: dict[str, bool],
) -> None:
    seen = there(
        user_site=f"{HOME}/.local/lib/python3.10/site-packages",
        user_distributions=(
            replace(dist("torch", "2.0.1"), **fault),  # type: ignore[arg-type]
            replace(dist("black"), **fault),  # type: ignore[arg-type]
        ),
    )
    plan_for(seen)
    with pytest.raises(
        PlanImpossible, match=r"torch in .* cannot be moved safely: it is installed in two versions"
    ):
        plan_for(seen, user_torch_aside=True)


def test_a_python_of_the_environment_s_own_is_enough() -> None:
    machine = replace(clean_jammy(), interpreters=(), uv=Unknown("none"))
    plan = make_plan(machine, Choice("rocm52", "venv", VENV), places({}, HOME), there())
    assert not any("Python 3.10, 3.9" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("text", "constraint"),
    [
        ("", "/v/c.txt"),
        ("[global]\ntimeout = 60\n", "/v/c.txt"),
        ("[install]\nno-index = true", "/v/c.txt"),
        ("[install]\nconstraint = mine.txt\n[global]\nx = 1\n", "/v/c.txt mine.txt"),
        ("[install]\nconstraint =\n    a.txt\n    b.txt\n", "/v/c.txt \na.txt\nb.txt"),
        ("[list]\nconstraint = other\n", "/v/c.txt"),
    ],
)
def test_a_pip_conf_keeps_its_lines_and_gets_our_constraint(text: str, constraint: str) -> None:
    fixed = with_constraint(text, "/v/c.txt")
    parser = configparser.RawConfigParser()
    parser.read_string(fixed)
    assert parser.get("install", "constraint").split() == constraint.split()
    assert all(line in fixed for line in text.splitlines() if not line.startswith("constraint"))
