"""Machine and choice in, plan out: the same facts give the same plan, and it says everything."""

import json
from dataclasses import replace

import pytest

from tests.handmade import HOME, card, clean_jammy, noble_with_leftovers, python
from wizard.apt.sources import KEYRING, PIN, SOURCE
from wizard.core.fact import Unknown
from wizard.core.own_files import places
from wizard.knowledge.stacks import load_stacks
from wizard.machine.facts import Machine, Setting
from wizard.operations.check_torch import CheckTorch
from wizard.operations.clear_executable_stack import ClearExecutableStack
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.fetch_wheels import FetchWheels
from wizard.operations.groups import AddToGroups
from wizard.operations.install_python import InstallPython
from wizard.operations.install_wheels import InstallWheels
from wizard.operations.resolve import Resolve
from wizard.operations.system_files import WriteSystemFile
from wizard.operations.write_file import WriteFile
from wizard.plan.choice import Choice
from wizard.plan.form import plan_form
from wizard.plan.impossible import PlanImpossible
from wizard.plan.new_environment import MODULE
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan, Step

OURS = places({}, HOME)


def plan_for(machine: Machine, stack: str = "rocm52", **options: object) -> Plan:
    footprint = str(options.pop("footprint", "venv"))
    choice = Choice(stack, footprint, f"{HOME}/ai/{stack}", **options)  # type: ignore[arg-type]
    return make_plan(machine, choice, OURS)


def file(plan: Plan, ending: str) -> WriteFile:
    return next(s for s in plan.steps if isinstance(s, WriteFile) and s.path.endswith(ending))


def steps(plan: Plan, kind: type[Step]) -> list[Step]:
    return [step for step in plan.steps if isinstance(step, kind)]


def test_the_same_facts_and_choice_give_the_same_id_and_another_choice_another() -> None:
    machine = clean_jammy()
    assert plan_for(machine).id == plan_for(machine).id
    assert plan_for(machine).id != plan_for(machine, torch_index="pip").id


def test_free_space_does_not_change_the_plan_so_that_a_cut_off_run_is_found_again() -> None:
    machine = clean_jammy()
    fuller = replace(machine, disks=tuple(d._replace(free_bytes=50 * 10**9) for d in machine.disks))
    assert plan_for(machine).id == plan_for(fuller).id


def test_a_venv_plan_needs_no_root_and_writes_only_below_its_folder_and_our_cache() -> None:
    plan = plan_for(clean_jammy())
    assert not any(step.needs_root for step in plan.steps)
    for step in plan.steps:
        if isinstance(step, WriteFile):
            assert step.path.startswith(f"{HOME}/ai/rocm52/")
        if isinstance(step, FetchWheels):
            assert step.staging.startswith(OURS.cache)


def test_rocm52_takes_python_310_although_a_newer_one_is_there() -> None:
    machine = replace(clean_jammy(), interpreters=(python("3.12"), python("3.10")))
    made = steps(plan_for(machine), CreateEnvironment)[0]
    assert isinstance(made, CreateEnvironment)
    assert made.python == "/usr/bin/python3.10"


def test_a_missing_python_is_brought_by_uv_into_our_own_folder() -> None:
    machine = replace(clean_jammy(), interpreters=(python("3.12"),))
    first, made = plan_for(machine).steps[:2]
    assert isinstance(first, InstallPython)
    assert first.argv[:3] == ("/opt/wizard/bin/uv", "python", "install")
    assert isinstance(made, CreateEnvironment)
    assert made.python == first.python
    assert made.python.startswith(OURS.data)


def test_a_python_that_uv_brought_before_makes_no_other_plan() -> None:
    machine = replace(clean_jammy(), interpreters=(python("3.12"),))
    path = f"{OURS.data}/python/cpython-3.10.22-linux-x86_64-gnu/bin/python3.10"
    brought = python("3.10")._replace(path=path, version="3.10.22")
    after = replace(machine, interpreters=(*machine.interpreters, brought))
    assert plan_for(after).id == plan_for(machine).id
    assert plan_for(after).steps == plan_for(machine).steps
    chosen = steps(plan_for(after, python=path), CreateEnvironment)[0]
    assert isinstance(chosen, CreateEnvironment)
    assert chosen.python == path
    without_uv = steps(plan_for(replace(after, uv=Unknown("there is none"))), CreateEnvironment)[0]
    assert isinstance(without_uv, CreateEnvironment)
    assert without_uv.python == path


def test_uv_installs_the_one_of_the_machine_or_the_one_that_is_found() -> None:
    (known,) = steps(plan_for(clean_jammy()), InstallWheels)
    assert isinstance(known, InstallWheels)
    assert known.argv[:3] == ("/opt/wizard/bin/uv", "pip", "install")
    without_uv = replace(clean_jammy(), uv=Unknown("uv was not found"))
    (unknown,) = steps(plan_for(without_uv), InstallWheels)
    assert isinstance(unknown, InstallWheels)
    assert unknown.argv[:3] == ("uv", "pip", "install")
    assert f" && uv pip check --python {HOME}/ai/rocm52/bin/python" in str(unknown)


def test_uv_takes_a_missing_python_from_the_place_that_is_named() -> None:
    machine, place = replace(clean_jammy(), interpreters=(python("3.12"),)), "file:///stick/python"
    first = plan_for(machine, python_mirror=place).steps[0]
    assert isinstance(first, InstallPython)
    assert first.argv[:5] == ("/opt/wizard/bin/uv", "python", "install", "--mirror", place)
    assert "https://***@mirror/python" in str(
        plan_for(machine, python_mirror="https://me:pw@mirror/python").steps[0]
    )
    there = plan_for(clean_jammy(), python_mirror=place)
    assert there.id == plan_for(clean_jammy()).id


def test_the_variables_of_the_stack_are_set_and_the_loader_s_path_is_taken_away() -> None:
    text = file(plan_for(clean_jammy()), f"{MODULE}.py").content
    assert "os.environ['HSA_OVERRIDE_GFX_VERSION'] = '10.3.0'" in text
    assert "os.environ.pop('LD_LIBRARY_PATH', None)" in text


def test_native_wheels_are_those_of_the_card_and_the_override_is_taken_away() -> None:
    plan = plan_for(clean_jammy(card("gfx1012")), "native")
    (resolve,) = map(str, steps(plan, Resolve))
    assert "torch[device-gfx1012]" in resolve
    assert "{gfx}" not in resolve
    text = file(plan, f"{MODULE}.py").content
    assert "os.environ.pop('HSA_OVERRIDE_GFX_VERSION', None)" in text
    assert "os.environ.pop('LD_LIBRARY_PATH', None)" in text
    assert "os.environ['AMDGCN_USE_BUFFER_OPS'] = '0'" in text
    assert not any("Settings" in note for note in plan.notes)


def test_native_starts_without_what_a_login_sets_for_other_wheels() -> None:
    override = "HSA_OVERRIDE_GFX_VERSION"
    names = (override, f"{override}_1", "MIOPEN_DEBUG_CONV_GEMM", "MIOPEN_LOG_LEVEL")
    login = tuple(Setting(name, "0", f"{HOME}/.bashrc", 7, "") for name in names)
    own = Setting("MIOPEN_FIND_ENFORCE", "3", f"{HOME}/x/.env", 1, "", within=f"{HOME}/x")
    machine = replace(clean_jammy(), settings=(*login, *login, own))
    plan = plan_for(machine, "native")
    module, launcher = file(plan, f"{MODULE}.py").content, file(plan, "rdna1-python").content
    assert "os.environ.pop('HSA_OVERRIDE_GFX_VERSION_1', None)" in module
    # Conv2d's search sets these on top of the venv's own Python: the module must not undo that.
    assert "MIOPEN_DEBUG_CONV_GEMM" not in module
    unset = [line.split()[1] for line in launcher.splitlines() if line.startswith("unset ")]
    assert unset == [
        "HSA_OVERRIDE_GFX_VERSION",
        "LD_LIBRARY_PATH",
        "HSA_OVERRIDE_GFX_VERSION_1",
        "MIOPEN_DEBUG_CONV_GEMM",
    ]
    assert (
        "Programs started with rdna1-python do not get these variables from your login: "
        "HSA_OVERRIDE_GFX_VERSION, HSA_OVERRIDE_GFX_VERSION_1, MIOPEN_DEBUG_CONV_GEMM. bin/python "
        "still gets those that begin with MIOPEN_. Your files stay as they are."
    ) in plan.notes
    kept = file(plan_for(machine, "rocm57"), "rdna1-python").content
    assert "unset" not in kept


def test_the_plan_warns_of_every_variable_that_affects_the_stack_and_stays_set() -> None:
    fish = f"{HOME}/.config/fish"
    machine = replace(
        clean_jammy(),
        settings=(
            Setting("MIOPEN_FIND_MODE", "2", f"{fish}/conf.d/rocm.fish", 1, "effective: a way"),
            Setting("MIOPEN_FIND_MODE", "2", f"{fish}/conf.d/rocm.fish", 7, "effective: a way"),
            Setting("CUDA_VISIBLE_DEVICES", "0", f"{fish}/conf.d/rocm.fish", 2, "effective: sees"),
            Setting("HSA_ENABLE_SDMA", "0", f"{fish}/fish_variables", 3, "effective: slower"),
            Setting("HSA_ENABLE_SDMA", "0", "", 0, "effective: slower"),
            Setting("HSA_OVERRIDE_GFX_VERSION", "10.3.0", "", 0, "effective: makes"),
            Setting("ROCM_PATH", "/opt/rocm", f"{HOME}/.bashrc", 4, "build-time: read"),
            Setting("MIOPEN_FORCE_RDNA1", "1", f"{HOME}/.bashrc", 5, "invented: nothing reads it"),
            Setting("HSA_XNACK", "1", f"{HOME}/x", 3, "effective: faults", f"{HOME}/venv"),
        ),
    )
    said = (
        "The plan does not unset these variables, which also affect this stack: "
        "MIOPEN_FIND_MODE=2, CUDA_VISIBLE_DEVICES=0 (~/.config/fish/conf.d/rocm.fish:1); "
        "HSA_ENABLE_SDMA=0 (~/.config/fish/fish_variables:3)."
    )
    for stack in ("rocm52", "native"):
        assert said in plan_for(machine, stack).notes
    assert not any("does not unset" in note for note in plan_for(machine, "cpu").notes)
    assert not any("does not unset" in note for note in plan_for(clean_jammy()).notes)


def test_the_plan_warns_that_the_loaders_path_reaches_the_python_of_the_folder() -> None:
    path = Setting("LD_LIBRARY_PATH", "/opt/rocm/lib", f"{HOME}/.bashrc", 3, "effective: its")
    machine = replace(clean_jammy(), settings=(path,))
    said = (
        "Programs started with rdna1-python do not get this variable from your login: "
        "LD_LIBRARY_PATH. bin/python still gets LD_LIBRARY_PATH. Your files stay as they are."
    )
    assert said in plan_for(machine, "rocm52").notes
    assert said not in plan_for(machine, "rocm57").notes  # its wheels ignore the variable


def test_beside_an_integrated_gpu_the_card_is_the_only_one_that_rocm_sees() -> None:
    apu = replace(
        card("gfx1031"), pci_address="0000:05:00.0", kfd_node=1, integrated=True, rdna1=False
    )
    both = clean_jammy(apu, replace(card(), kfd_node=2))
    assert "ROCR_VISIBLE_DEVICES'] = '1'" in file(plan_for(both), f"{MODULE}.py").content
    alone = file(plan_for(clean_jammy()), f"{MODULE}.py").content
    assert "ROCR_VISIBLE_DEVICES" not in alone


def test_of_two_cards_the_chosen_one_is_the_only_one_that_programs_see_and_is_named() -> None:
    first = replace(card(), pci_address="0000:03:00.0")
    second = replace(card("gfx1012"), pci_address="0000:23:00.0", kfd_node=2)
    for number, chosen in enumerate((first, second)):
        plan = plan_for(clean_jammy(first, second), gpu=chosen.pci_address)
        mask = f"ROCR_VISIBLE_DEVICES={number}"
        assert f"export {mask}\n" in file(plan, "bin/rdna1-python").content
        told = (
            f"This environment uses only the {chosen.name} at PCI address "
            f"{chosen.pci_address} ({mask})."
        )
        assert told in plan.notes
    one = clean_jammy(first, replace(second, kfd_node=None))
    assert "ROCR_VISIBLE_DEVICES" not in "".join(plan_for(one).notes)


def test_a_card_that_is_not_there_cannot_be_chosen() -> None:
    with pytest.raises(PlanImpossible, match=r"0000:99:00\.0"):
        plan_for(clean_jammy(), gpu="0000:99:00.0")


@pytest.mark.parametrize(
    ("glibc", "cleared"), [("2.39", False), ("2.41", True), (Unknown("no file"), True)]
)
def test_the_executable_stack_is_cleared_where_glibc_refuses_it_or_may(
    glibc: str | Unknown, cleared: bool
) -> None:
    machine = clean_jammy()
    machine = replace(machine, system=replace(machine.system, glibc=glibc))
    assert bool(steps(plan_for(machine), ClearExecutableStack)) is cleared
    assert not steps(plan_for(machine, "cpu"), ClearExecutableStack)


def test_the_check_asks_for_the_device_unless_the_card_is_elsewhere() -> None:
    def device(plan: Plan) -> str:
        check = steps(plan, CheckTorch)[0]
        assert isinstance(check, CheckTorch)
        return check.device

    assert device(plan_for(clean_jammy())) == "cuda"
    assert device(plan_for(clean_jammy(), "cpu")) == "cpu"
    assert device(plan_for(clean_jammy(), without_card=True)) == "none"


def test_the_system_footprint_shows_source_key_pin_and_packages_as_root_steps() -> None:
    plan = plan_for(noble_with_leftovers(), footprint="venv+system")
    written = {s.path: s for s in plan.steps if isinstance(s, WriteSystemFile)}
    assert "CA8BB4727A47B4D09B4EE8969386B48A1A693C5C" in written[KEYRING].reason
    assert "apt/5.2 ubuntu main" in written[SOURCE].content
    assert "Pin-Priority: 600" in written[PIN].content
    assert all(step.needs_root for step in written.values())
    assert not steps(plan, AddToGroups), "the user is in both groups already"


def test_a_stack_without_system_packages_refuses_the_system_footprint() -> None:
    with pytest.raises(PlanImpossible, match=r"no system packages"):
        plan_for(clean_jammy(), "cpu", footprint="venv+system")


def test_an_unknown_stack_is_refused_with_the_known_ones() -> None:
    with pytest.raises(PlanImpossible, match=", ".join(stack.id for stack in load_stacks())):
        plan_for(clean_jammy(), "rocm99")


@pytest.mark.parametrize("folder", ["relative", ""])
def test_a_folder_that_is_no_absolute_path_is_refused(folder: str) -> None:
    with pytest.raises(PlanImpossible, match=r"absolute path"):
        make_plan(clean_jammy(), Choice("cpu", "venv", folder), OURS)


def test_a_python_that_the_stack_cannot_use_is_refused_by_name() -> None:
    machine = replace(clean_jammy(), interpreters=(python("3.12"), python("3.10")))
    with pytest.raises(PlanImpossible, match=r"needs Python 3\.10"):
        plan_for(machine, python="/usr/bin/python3.12")
    with pytest.raises(PlanImpossible, match=r"Found on this machine: /usr/bin/python3\.12"):
        plan_for(machine, python="/nowhere/python3")


def test_json_tells_the_kind_and_the_text_of_every_step() -> None:
    plan = plan_for(clean_jammy())
    form = plan_form(plan)
    assert [step["text"] for step in form["steps"]] == [str(step) for step in plan.steps]
    assert {step["kind"] for step in form["steps"]} >= {
        "CreateEnvironment",
        "FetchWheels",
        "WriteFile",
    }


def test_every_step_says_why_and_how_it_is_undone() -> None:
    for stack in (each.id for each in load_stacks()):
        machine = replace(clean_jammy(), interpreters=(python("3.10"), python("3.12")))
        plan = plan_for(machine, stack)
        for step in plan.steps:
            assert step.reason
            assert plan.undo_of(step)


def test_scarce_space_is_told_in_a_note_and_does_not_change_the_plan() -> None:
    machine = clean_jammy()
    scarce, scarcer = (
        replace(machine, disks=tuple(d._replace(free_bytes=gb * 10**9) for d in machine.disks))
        for gb in (7, 3)
    )
    assert plan_for(scarce, "native").notes != plan_for(scarcer, "native").notes
    assert plan_for(scarce, "native").id == plan_for(scarcer, "native").id


@pytest.mark.parametrize("venv", ["/", "/home", HOME, f"{HOME}/", f"{HOME}/x/..", "//"])
def test_a_folder_that_holds_the_home_is_no_place_for_a_venv(venv: str) -> None:
    with pytest.raises(PlanImpossible, match="a separate folder"):
        make_plan(clean_jammy(), Choice("cpu", "venv", venv), OURS)


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31m", "a\udcff", "a\u202eb"])
def test_names_that_cannot_be_shown_are_refused(name: str) -> None:
    for choice in (
        Choice("cpu", "venv", f"{HOME}/{name}"),
        Choice("cpu", "venv", f"{HOME}/ai", wheelhouse=f"/{name}"),
        Choice("cpu", "venv", f"{HOME}/ai", torch_index=f"http://{name}"),
    ):
        with pytest.raises(PlanImpossible, match="cannot be displayed"):
            make_plan(clean_jammy(), choice, OURS)


def test_of_two_cards_the_one_that_was_chosen_is_judged() -> None:
    newer = replace(card("gfx1031"), pci_address="0000:03:00.0")
    both = clean_jammy(newer, card())
    assert not any("gfx1031" in note for note in plan_for(both).notes)
    notes = " ".join(plan_for(both, gpu="0000:03:00.0").notes)
    assert "RX 6700 XT is gfx1031" in notes


def test_a_new_environment_holds_what_python_itself_would_put_there() -> None:
    (resolve,) = steps(plan_for(clean_jammy()), Resolve)
    assert isinstance(resolve, Resolve)
    assert resolve.manifest.requirements[-2:] == ("pip", "setuptools; python_version < '3.12'")


def test_a_folder_of_wheels_is_the_only_source() -> None:
    choice = Choice("rocm52", "venv", f"{HOME}/ai", wheelhouse="/wheels")
    (resolve,) = steps(make_plan(clean_jammy(), choice, OURS), Resolve)
    assert str(resolve).endswith(" from /wheels alone")


def test_what_the_index_of_torch_serves_is_asked_for_by_name() -> None:
    (resolve,) = steps(plan_for(clean_jammy(), "rocm57"), Resolve)
    assert isinstance(resolve, Resolve)
    assert "pytorch-triton-rocm" in resolve.manifest.requirements


@pytest.mark.parametrize(
    ("chosen", "index"),
    [
        ("", "https://download.pytorch.org/whl/rocm5.2"),
        ("https://mirror.example/whl", "https://mirror.example/whl"),
        ("pip", ""),
    ],
)
def test_another_index_takes_the_place_of_the_stack_s(chosen: str, index: str) -> None:
    (resolve,) = steps(plan_for(clean_jammy(), torch_index=chosen), Resolve)
    assert isinstance(resolve, Resolve)
    assert resolve.manifest.index == index


def test_a_login_of_an_index_is_in_no_text_and_no_file() -> None:
    plan = plan_for(clean_jammy(), torch_index="https://me:secret@mirror.example/whl")
    told = json.dumps(plan_form(plan)) + "".join(map(str, plan.steps))
    assert "secret" not in told
    assert "https://***@mirror.example/whl" in told


def test_that_the_program_to_run_is_not_installed_is_the_first_thing_to_know() -> None:
    plan = plan_for(clean_jammy(), "native", applications=("comfyui",))
    assert plan.notes[0].startswith("This plan prepares PyTorch but does not install ComfyUI.")
