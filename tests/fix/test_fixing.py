"""A finding becomes a plan of just what it names, or says what to do by hand."""

from __future__ import annotations

import base64
import hashlib
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from assets.root.places import refuse_lines
from assets.root.trouble import Wrong
from tests.handmade import HOME, clean_jammy, node, torch, with_distribution_torch
from tests.machine.records import make
from tests.plan.system_machines import ROCM, distribution, source
from wizard.apt.packages import PackageWork
from wizard.apt.sources import PIN
from wizard.core.events import StepStarted
from wizard.core.journal import Kind
from wizard.diagnose.finding import Finding
from wizard.diagnose.fix import PlanImpossible, Supply, has_plan, make_fix
from wizard.diagnose.fix_settings import by_hand, without_plan
from wizard.diagnose.machine import diagnose
from wizard.machine.assignments import assignments
from wizard.machine.detect import detect
from wizard.machine.facts import ChangedLibrary, Environment, Machine, Setting, TorchInstall
from wizard.machine.recorded import RecordedHost
from wizard.operations.edit_lines import TakeLinesOut, without_lines
from wizard.operations.edit_lines import with_lines as with_lines_back
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import AptChange, FinishInterrupted, KeepDebs
from wizard.operations.resolve import Resolve
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.operations.uv_project import Manifest
from wizard.plan.form import plan_form, plan_of
from wizard.plan.steps import Plan
from wizard.report.plan import event_lines, plan_lines

VENV = f"{HOME}/venv"
SITE = f"{VENV}/lib/python3.10/site-packages"
BASHRC = f"{HOME}/.bashrc"
PROFILE = "/etc/profile.d/some.sh"
OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
MACHINES = Path(__file__).parent.parent / "machines"
INVENTED = "HIP_FORCE_COARSE_GRAIN"
OLD = torch("1.13.1+rocm5.2")
NATIVE = replace(torch("2.9.1+rocm7.14.0"), native_gfx=("gfx1010",))
LIBRARY = f"{SITE}/torch/lib/libMIOpen.so"
RIGHT = b"as the wheel brought it"


def host_with(folder: Path, files: dict[str, str | bytes]) -> RecordedHost:
    return make(folder, files, home=HOME, user="ada")


def environment(installed: TorchInstall, path: str = VENV) -> Environment:
    return Environment(path, "venv", "3.10", installed)


def set_in(path: str, line: int, name: str, value: str, effect: str = "") -> Setting:
    return Setting(name, value, path, line, effect)


def finding(machine: Machine, cause: str) -> Finding:
    return next(one for one in diagnose(machine).findings if one.cause == cause and one.counts)


def fixed(host: RecordedHost, machine: Machine, cause: str, supply: Supply | None = None) -> Plan:
    """The plan, which survives being written down and read again."""
    found = finding(machine, cause)
    assert has_plan(found)
    plan = make_fix(host, machine, found, supply=supply)
    assert plan_of(plan_form(plan)) == plan
    assert (plan.kind, plan.stack, plan.cause) == (Kind.FIX, "", cause)
    return plan


def refusal(host: RecordedHost, machine: Machine, cause: str) -> str:
    with pytest.raises(PlanImpossible) as raised:
        make_fix(host, machine, finding(machine, cause))
    return str(raised.value)


def with_lines(
    folder: Path, text: str, *lines: int, path: str = BASHRC
) -> tuple[RecordedHost, Machine]:
    """A machine with native wheels, and a file that sets the override in these lines."""
    settings = tuple(set_in(path, number, OVERRIDE, "10.3.0") for number in lines)
    machine = replace(clean_jammy(), environments=(environment(NATIVE),), settings=settings)
    return host_with(folder, {path: text}), machine


def test_only_the_line_that_the_finding_names_goes(tmp_path: Path) -> None:
    text = f"# ROCm\nexport {OVERRIDE}=10.3.0\nexport MIOPEN_LOG_LEVEL=4\n"
    plan = fixed(*with_lines(tmp_path, text, 2), "stale-override")
    (step,) = plan.steps
    assert isinstance(step, TakeLinesOut)
    assert (step.path, step.lines) == (BASHRC, ((2, f"export {OVERRIDE}=10.3.0"),))
    assert not step.needs_root
    assert any("open a new terminal" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        (f"if true; then\n  export {OVERRIDE}=10.3.0\nfi\n", 2, "is kept, because"),
        (f"if a\n  b; then\n  export {OVERRIDE}=10.3.0\nfi\n", 3, "is kept, because"),
        (f"if a\n  export {OVERRIDE}=10.3.0\nthen b\nfi\n", 2, "is kept, because"),
        (f"{{\n  export {OVERRIDE}=10.3.0\n  # no\n}}\n", 2, "is kept, because"),
        (f"{{\n  (\n  export {OVERRIDE}=10.3.0\n  b )\n}}\n", 3, "is kept, because"),
        (f"{{\n  a &&\n  export {OVERRIDE}=10.3.0\n  b\n}}\n", 3, "is kept, because"),
        (f"export {OVERRIDE}=10.3.0 HSA_ENABLE_SDMA=$X\n", 1, "it also sets HSA_ENABLE_SDMA"),
        (f"export {OVERRIDE}=10.3.0 && echo set\n", 1, "it does more"),
        (f"cat > x <<END\nexport {OVERRIDE}=10.3.0\nEND\n", 2, "is kept, because"),
    ],
    ids=[
        "alone in an if",
        "alone after a test of two lines",
        "in a test",
        "alone but for a comment",
        "in a shell of its own",
        "after a condition",
        "with a variable",
        "with a command",
        "in a text",
    ],
)
def test_a_line_that_does_more_is_left_to_its_owner(
    tmp_path: Path, text: str, line: int, why: str
) -> None:
    told = refusal(*with_lines(tmp_path, text, line), "stale-override")
    assert f"~/.bashrc:{line} is kept" in told
    assert why in told


IN_BLOCKS = (
    "if true; then\n  {line}\n  echo a\nfi\n",
    "if true\nthen\n  echo a\n  {line}\nelse\n  echo b\nfi\n",
    "if false; then\n  echo a\nelse\n  if true; then\n    {line}\n    :\n  fi\n  echo b\nfi\n",
    "f() {{\n  echo a\n  {line}\n}}\nf\n",
    "for x in 1 2; do\n  cat <<END\n{line}\nEND\n  {line}\ndone\n",
)


@pytest.mark.parametrize("text", IN_BLOCKS)
def test_a_line_in_a_block_goes_while_another_command_stays_there(
    tmp_path: Path, text: str
) -> None:
    line = f"export {OVERRIDE}=10.3.0"
    whole = text.format(line=line)
    number = whole[: whole.index(f"  {line}")].count("\n") + 1
    host, machine = with_lines(tmp_path, whole, number)
    (step,) = fixed(host, machine, "stale-override").steps
    assert isinstance(step, TakeLinesOut)
    assert [at for at, _ in step.lines] == [number]
    rest = without_lines(whole, step.lines)
    assert says(rest) == says(whole)


def says(text: str) -> str:
    """What a shell prints that runs the text; it must be able to read it."""
    done = subprocess.run(("/bin/sh", "-e"), input=text, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("path", [BASHRC, PROFILE])
def test_of_a_line_that_sets_more_only_what_is_named_goes(tmp_path: Path, path: str) -> None:
    text = (
        f"# mine\n\texport HSA_ENABLE_SDMA=0 {OVERRIDE}=10.3.0 HSA_XNACK=0\n"
        f"export {OVERRIDE}=10.3.0\necho a\nexport {OVERRIDE}=10.3.0 MIOPEN_LOG_LEVEL=4\n"
    )
    rest = (
        "# mine\n\texport HSA_ENABLE_SDMA=0\n\texport HSA_XNACK=0\necho a\n"
        "export MIOPEN_LOG_LEVEL=4\n"
    )
    plan = fixed(*with_lines(tmp_path, text, 2, 3, 5, path=path), "stale-override")
    (step,) = plan.steps
    if isinstance(step, TakeLinesOut):
        assert without_lines(text, step.lines, step.instead) == rest
        assert with_lines_back(rest, step.lines, step.instead) == text
        assert "new line 2: \texport HSA_ENABLE_SDMA=0" in step.content_lines()
    else:
        assert isinstance(step, WriteSystemFile)
        assert step.content == rest
        refuse_lines(path, text, rest)


def test_a_setting_that_names_a_file_does_not_get_into_a_profile_anew(tmp_path: Path) -> None:
    """Root would refuse the line as its own; the whole line stays."""
    text = f"export {OVERRIDE}=10.3.0 MIOPEN_USER_DB_PATH=x\necho a\n"
    told = refusal(*with_lines(tmp_path, text, 1, path=PROFILE), "stale-override")
    assert "some.sh:1 is kept, because it also sets MIOPEN_USER_DB_PATH" in told
    with pytest.raises(Wrong):
        refuse_lines(PROFILE, text, "export MIOPEN_USER_DB_PATH=x\necho a\n")


def test_a_plan_that_shows_a_line_never_steers_the_terminal(tmp_path: Path) -> None:
    line = f'export {OVERRIDE}="10.3.0\x1b[2K\x1b]0;x\x07"'
    machine = replace(
        clean_jammy(),
        environments=(environment(NATIVE),),
        settings=(set_in(BASHRC, 1, OVERRIDE, "10.3.0\x1b[2K\x1b]0;x\x07"),),
    )
    plan = fixed(host_with(tmp_path, {BASHRC: f"{line}\n"}), machine, "stale-override")
    (step,) = plan.steps
    assert isinstance(step, TakeLinesOut)
    assert step.lines == ((1, line),)
    shown = "\n".join((*plan_lines(plan), *event_lines(StepStarted(1, 1, f"{step}\n{line}", ""))))
    assert f'export {OVERRIDE}="10.3.0"' in shown
    assert not {character for character in shown if character < " "} - {"\n"}


def test_what_cannot_go_is_noted_beside_what_goes(tmp_path: Path) -> None:
    text = f"export {OVERRIDE}=10.3.0\nif true; then\n  export {OVERRIDE}=10.3.0\nfi\n"
    plan = fixed(*with_lines(tmp_path, text, 1, 3), "stale-override")
    assert len(plan.steps) == 1
    assert any("~/.bashrc:3 is kept" in note for note in plan.notes)


@pytest.mark.parametrize(
    ("path", "told"),
    [
        (f"{HOME}/.config/fish/fish_variables", "set --universal --erase"),
        ("/etc/environment", "Edit it yourself"),
        (f"{HOME}/.config/systemd/user/comfy.service", "Edit it yourself"),
    ],
)
def test_files_that_no_plan_edits_are_named(tmp_path: Path, path: str, told: str) -> None:
    host, machine = with_lines(tmp_path, f"{OVERRIDE}=10.3.0\n", 1, path=path)
    assert told in refusal(host, machine, "stale-override")


def test_a_file_that_is_no_utf_8_is_left_alone(tmp_path: Path) -> None:
    host, machine = with_lines(tmp_path, "", 2)
    host = host_with(tmp_path, {BASHRC: b"# \xe4\n" + f"export {OVERRIDE}=10.3.0\n".encode()})
    assert "Edit it yourself" in refusal(host, machine, "stale-override")


def test_what_this_session_alone_sets_has_no_plan(tmp_path: Path) -> None:
    session = Setting(OVERRIDE, "10.3.0", "", 0, "")
    machine = replace(clean_jammy(), environments=(environment(NATIVE),), settings=(session,))
    assert not has_plan(finding(machine, "stale-override"))


def test_a_distributions_torch_that_would_lose_the_override_is_not_told_to_keep_it(
    tmp_path: Path,
) -> None:
    host, machine = with_lines(tmp_path, f"export {OVERRIDE}=10.3.0\n", 1)
    machine = with_distribution_torch(machine)
    (note,) = (one for one in fixed(host, machine, "stale-override").notes if "dist-pack" in one)
    assert "has no code for your card" in note
    assert "bin/activate" not in note


def test_who_needs_the_override_and_would_lose_it_is_named(tmp_path: Path) -> None:
    host, machine = with_lines(tmp_path, f"export {OVERRIDE}=10.3.0\n", 1)
    other = environment(OLD, f"{HOME}/old")
    machine = replace(machine, environments=(*machine.environments, other))
    plan = fixed(host, machine, "stale-override")
    assert any("~/old (torch 1.13.1+rocm5.2) needs" in note for note in plan.notes)
    own = Setting(OVERRIDE, "10.3.0", f"{HOME}/old/bin/activate", 9, "", f"{HOME}/old")
    machine = replace(machine, settings=(*machine.settings, own))
    assert not any("~/old" in note for note in fixed(host, machine, "stale-override").notes)


@pytest.mark.parametrize(
    "path",
    [BASHRC, f"{HOME}/.profile", f"{HOME}/.config/environment.d/90-rocm.conf", PROFILE],
)
def test_an_override_under_which_the_card_hangs_goes_out_of_its_file(
    tmp_path: Path, path: str
) -> None:
    host, machine = with_lines(tmp_path, f"A=1\nexport {OVERRIDE}=10.3.0\n", 2, path=path)
    freezing = environment(torch("2.2.2+rocm5.7"), f"{HOME}/rocm57")
    machine = replace(machine, environments=(freezing,))
    plan = fixed(host, machine, "override-isa-mismatch")
    (step,) = plan.steps
    assert isinstance(step, WriteSystemFile if path == PROFILE else TakeLinesOut)
    assert step.path == path
    assert any("~/rocm57 (torch 2.2.2+rocm5.7) stops with an error" in n for n in plan.notes)
    assert not any("set it there" in note for note in plan.notes), "it would hang again"


def test_the_override_of_the_student_s_machine_has_a_plan() -> None:
    host = RecordedHost(MACHINES / "rx5600xt-noble-rocm52-mix")
    (step,) = fixed(host, detect(host), "override-isa-mismatch").steps
    assert isinstance(step, WriteSystemFile)
    assert step.path == "/etc/profile.d/rocm-rdna1-52.sh"
    before = host.read(step.path)
    assert isinstance(before, str)
    assert step.content == before.replace(f"export {OVERRIDE}=10.3.0\n", "")
    assert step.content == without_lines(before, step.lines, step.instead), "as the plan shows it"
    refuse_lines(step.path, before, step.content)  # root's part lets it through


def test_an_override_for_all_gpus_goes_where_the_processor_s_own_is_reached() -> None:
    host = RecordedHost(MACHINES / "rx5500xt-apu-vga")
    (step,) = fixed(host, detect(host), "stale-override").steps
    assert isinstance(step, TakeLinesOut)


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("/etc/environment", "sudo nano +1 /etc/environment"),
        (f"{HOME}/.config/systemd/user/my comfy.service", f"nano +1 '{HOME}/.config/"),
        (f"{HOME}/.config/fish/fish_variables", f"set --universal --erase {OVERRIDE}"),
    ],
)
def test_what_no_plan_takes_out_promises_none_and_is_told_by_hand_first(
    tmp_path: Path, path: str, command: str
) -> None:
    host, machine = with_lines(tmp_path, f"{OVERRIDE}=10.3.0\n", 1, path=path)
    (found,) = by_hand(host, machine, [finding(machine, "stale-override")])
    assert not has_plan(found)
    assert command in found.fix[0]
    assert f"{OVERRIDE}=10.3.0" in found.fix[0] or "fish" in found.fix[0]


def test_a_line_that_no_plan_takes_out_is_named_by_its_number(tmp_path: Path) -> None:
    text = f"if true; then\n  export {OVERRIDE}=10.3.0\nfi\n"
    host, machine = with_lines(tmp_path, text, 2, path=PROFILE)
    (found,) = by_hand(host, machine, [finding(machine, "stale-override")])
    assert not has_plan(found)
    assert found.fix[0] == (
        f"Delete {OVERRIDE}=10.3.0 (line 2) in {PROFILE}: sudo nano +2 {PROFILE}"
    )


@pytest.mark.parametrize("name", sorted(path.name for path in MACHINES.iterdir()))
def test_no_plan_is_denied_beside_steps_that_name_one(name: str) -> None:
    host = RecordedHost(MACHINES / name)
    machine = detect(host)
    for found in by_hand(host, machine, diagnose(machine).findings):
        told, steps = without_plan(found), " ".join(found.fix)
        names = "rdna1-setup plan" in steps or "rdna1-setup clean-up" in steps
        assert bool(told) is (found.counts and not has_plan(found)), found.cause
        assert ("no plan" in told) is (bool(told) and not names), found.cause


def test_what_a_plan_takes_out_stays_as_it_was_found(tmp_path: Path) -> None:
    host, machine = with_lines(tmp_path, f"export {OVERRIDE}=10.3.0\n", 1)
    found = finding(machine, "stale-override")
    assert by_hand(host, machine, [found]) == (found,)


@pytest.mark.parametrize("more", ["", "umask 022\n"])
def test_a_profile_file_loses_a_line_or_goes_whole_where_that_is_all(
    tmp_path: Path, more: str
) -> None:
    setting = set_in(PROFILE, 2, INVENTED, "1", "invented: nothing reads it")
    host = host_with(tmp_path, {PROFILE: f"# mine\nexport {INVENTED}=1\n{more}"})
    (step,) = fixed(host, replace(clean_jammy(), settings=(setting,)), "noop-setting").steps
    if more:
        assert isinstance(step, WriteSystemFile)
        assert step.content == "# mine\numask 022\n"
    else:
        assert isinstance(step, SetSystemPathAside)
    assert step.path == PROFILE


def test_a_library_path_goes_only_where_it_leads_into_rocm_alone(tmp_path: Path) -> None:
    def given(value: str, folder: str) -> tuple[RecordedHost, Machine]:
        line = set_in(BASHRC, 1, "LD_LIBRARY_PATH", value)
        host = host_with(tmp_path / folder, {BASHRC: f"export LD_LIBRARY_PATH={value}\n"})
        machine = replace(clean_jammy(), environments=(environment(OLD),), settings=(line,))
        return host, machine

    (step,) = fixed(*given("/opt/rocm/lib:$LD_LIBRARY_PATH", "a"), "library-path-shadow").steps
    assert isinstance(step, TakeLinesOut)
    told = refusal(*given("/opt/rocm/lib:/opt/mine/lib", "b"), "library-path-shadow")
    assert "~/.bashrc:1 is kept" in told


def distribution_files(
    name: str, version: str, *requires: str, recorded: bool = True
) -> dict[str, str | bytes]:
    info = f"{SITE}/{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
    files: dict[str, str | bytes] = {
        f"{info}/METADATA": f"Name: {name}\nVersion: {version}\n{needs}\n"
    }
    return files | ({f"{info}/RECORD": ""} if recorded else {})


BARE: dict[str, str | bytes] = {
    f"{VENV}/pyvenv.cfg": "version = 3.10.12\n",
    f"{VENV}/bin/python": "",
    f"{SITE}/pip/__main__.py": "",
}
NUMPY_2 = replace(
    clean_jammy(), environments=(environment(replace(OLD, numpy="2.0.1")),), settings=()
)


def test_numpy_is_exchanged_and_every_other_package_held(tmp_path: Path) -> None:
    files = BARE | distribution_files("numpy", "2.0.1") | distribution_files("torch", "1.13.1")
    house = Supply(wheelhouse="/srv/wheels")
    plan = fixed(host_with(tmp_path, files), NUMPY_2, "numpy2-abi", house)
    (resolve,) = (step for step in plan.steps if isinstance(step, Resolve))
    (aside,) = (step for step in plan.steps if isinstance(step, SetAsidePackages))
    assert resolve.manifest == Manifest(("numpy<2",), wheelhouse="/srv/wheels")
    assert (resolve.held, resolve.leaving) == (("torch==1.13.1",), ("numpy",))
    assert aside.packages == (("numpy", "2.0.1"),)
    assert aside.backup == f"{VENV}/.rdna1-setup-fix"
    assert (plan.venv, plan.relogin_needed) == (VENV, False)
    assert not any(step.needs_root for step in plan.steps)


def test_who_asks_for_numpy_2_is_named_before_anything_is_begun(tmp_path: Path) -> None:
    files = BARE | distribution_files("numpy", "2.0.1")
    files |= distribution_files("opencv-python", "4.12.0", "numpy>=2")
    told = refusal(host_with(tmp_path, files), NUMPY_2, "numpy2-abi")
    assert "opencv-python 4.12.0 needs numpy>=2" in told


def test_a_numpy_that_cannot_be_moved_whole_is_left(tmp_path: Path) -> None:
    files = BARE | distribution_files("numpy", "2.0.1", recorded=False)
    told = refusal(host_with(tmp_path, files), NUMPY_2, "numpy2-abi")
    assert "pip uninstall numpy" in told


def test_an_environment_that_is_closed_to_pip_is_left_to_its_program(tmp_path: Path) -> None:
    files = BARE | distribution_files("numpy", "2.0.1")
    files[f"{VENV}/conda-meta/history"] = ""
    files[f"{VENV}/lib/python3.10/EXTERNALLY-MANAGED"] = "[externally-managed]\n"
    told = refusal(host_with(tmp_path, files), NUMPY_2, "numpy2-abi")
    assert f"{VENV} is closed to pip (EXTERNALLY-MANAGED)" in told


def test_conda_exchanges_its_numpy_itself(tmp_path: Path) -> None:
    files = BARE | distribution_files("numpy", "2.0.1")
    files[f"{VENV}/conda-meta/numpy-2.0.1-py310_0.json"] = "{}"
    told = refusal(host_with(tmp_path, files), NUMPY_2, "numpy2-abi")
    assert "conda install 'numpy<2'" in told


def test_numpy_in_a_shared_folder_has_no_plan() -> None:
    shared = replace(NUMPY_2.environments[0], path="/usr/lib/python3", kind="dist-packages")
    machine = replace(NUMPY_2, environments=(shared,))
    assert not has_plan(finding(machine, "numpy2-abi"))


def test_each_environment_has_a_finding_of_its_own() -> None:
    both = (NUMPY_2.environments[0], replace(NUMPY_2.environments[0], path=f"{HOME}/other"))
    found = [f for f in diagnose(replace(NUMPY_2, environments=both)).findings if f.counts]
    folders = [f.about.environment for f in found if f.cause == "numpy2-abi" and f.about]
    assert folders == [VENV, f"{HOME}/other"]


def with_library(
    folder: Path, saved: bytes | None, version: str = "1.13.1+rocm5.2"
) -> tuple[RecordedHost, Machine]:
    """A torch whose MIOpen somebody exchanged, with what lies beside it."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(RIGHT).digest()).rstrip(b"=").decode()
    files = BARE | distribution_files("torch", version) | {LIBRARY: b"by hand"}
    row = f"torch/lib/libMIOpen.so,sha256={digest},{len(RIGHT)}\n"
    files[f"{SITE}/torch-{version}.dist-info/RECORD"] = row
    beside = f"{LIBRARY}.original" if saved is not None else ""
    if saved is not None:
        files[beside] = saved
    changed = (ChangedLibrary(LIBRARY, len(RIGHT), 7, beside),)
    broken = environment(replace(OLD, version=version, changed=changed))
    return host_with(folder, files), replace(clean_jammy(), environments=(broken,))


@pytest.mark.parametrize("saved", [None, RIGHT])
def test_for_a_library_of_another_size_the_same_torch_comes_anew(
    tmp_path: Path, saved: bytes | None
) -> None:
    plan = fixed(*with_library(tmp_path, saved), "wheel-library-replaced")
    (resolve,) = (step for step in plan.steps if isinstance(step, Resolve))
    index = "https://download.pytorch.org/whl/rocm5.2"
    assert resolve.manifest == Manifest(("torch==1.13.1+rocm5.2",), index)
    assert any("installed again" in note for note in plan.notes)


def test_a_torch_of_an_unknown_index_is_left_to_its_owner(tmp_path: Path) -> None:
    told = refusal(*with_library(tmp_path, None, "9.9.9+rocm9.9"), "wheel-library-replaced")
    assert "pip install --force-reinstall --no-deps torch==9.9.9+rocm9.9" in told


def without_right(group: str = "render", *, joined: tuple[str, ...] = ()) -> Machine:
    machine = clean_jammy()
    closed = node("/dev/kfd", usable=False)._replace(group=group)
    access = replace(machine.access, kfd=closed, groups_in_file=joined, groups_in_force=("ada",))
    return replace(machine, access=access)


def test_the_missing_group_is_joined_and_counts_from_the_next_login(tmp_path: Path) -> None:
    plan = fixed(host_with(tmp_path, {}), without_right(), "kfd-permission")
    (step,) = plan.steps
    assert isinstance(step, AddToGroups)
    assert (step.user, step.groups) == (clean_jammy().access.user, ("render",))
    assert plan.relogin_needed


def test_a_group_that_was_joined_already_is_not_joined_again(tmp_path: Path) -> None:
    machine = without_right(joined=("video",))
    closed = node("/dev/dri/renderD128", usable=False)._replace(group="video")
    machine = replace(machine, access=replace(machine.access, render_nodes=(closed,)))
    (step,) = fixed(host_with(tmp_path, {}), machine, "kfd-permission").steps
    assert isinstance(step, AddToGroups)
    assert step.groups == ("render",)


def test_a_right_that_no_group_gives_here_has_no_plan() -> None:
    inside = without_right()
    inside = replace(inside, surroundings=inside.surroundings._replace(container="docker"))
    for machine in (without_right(joined=("render",)), without_right("root"), inside):
        assert not has_plan(finding(machine, "kfd-permission"))


def test_a_group_that_is_not_for_gpus_is_never_joined(tmp_path: Path) -> None:
    told = refusal(host_with(tmp_path, {}), without_right("disk"), "kfd-permission")
    assert "disk" in told


def test_a_missing_pin_is_written(tmp_path: Path) -> None:
    entry = source("/etc/apt/sources.list.d/rocm.list", ROCM)
    machine = replace(clean_jammy(), apt_sources=(entry,), rocm_packages=())
    assert "no pin" in finding(machine, "apt-distro-shadows-amd").title
    (step,) = fixed(host_with(tmp_path, {}), machine, "apt-distro-shadows-amd").steps
    assert isinstance(step, WriteSystemFile)
    assert (step.path, step.before) == (PIN, None)
    assert "o=repo.radeon.com" in step.content


def test_only_packages_go_of_which_amd_has_one_of_the_name(tmp_path: Path) -> None:
    entry = source("/etc/apt/sources.list.d/rocm.list", ROCM)
    theirs = (distribution("rocminfo"), distribution("libamdhip64-5", "5.7.1-2"))
    machine = replace(clean_jammy(), apt_sources=(entry,), rocm_packages=theirs)
    lists = (
        "/var/lib/apt/lists/repo.radeon.com_rocm_apt_5.7.1_dists_jammy_main_binary-amd64_Packages"
    )
    index = "Package: rocminfo\nVersion: 1.0.0.50701-98~22.04\n\n"
    plan = fixed(host_with(tmp_path, {lists: index}), machine, "apt-distro-shadows-amd")
    keep, change, pin = plan.steps
    assert isinstance(keep, KeepDebs)
    assert keep.packages == (("rocminfo", "5.7.1-3build1"),)
    assert isinstance(change, AptChange)
    assert change.remove == change.expect_remove == ("rocminfo",)
    assert isinstance(pin, WriteSystemFile)
    assert any("libamdhip64-5" in note for note in plan.notes)


def test_dpkg_finishes_and_the_plan_says_that_this_stays(tmp_path: Path) -> None:
    work = PackageWork("", ("half-there (half-configured)",), False)
    plan = fixed(
        host_with(tmp_path, {}), replace(clean_jammy(), package_work=work), "dpkg-interrupted"
    )
    (step,) = plan.steps
    assert isinstance(step, FinishInterrupted)
    assert any("cannot be undone" in note for note in plan.notes)


def test_what_dpkg_cannot_finish_is_told_with_its_remedy(tmp_path: Path) -> None:
    work = PackageWork("", ("half-there (half-installed, must be reinstalled)",), False)
    machine = replace(clean_jammy(), package_work=work)
    told = refusal(host_with(tmp_path, {}), machine, "dpkg-interrupted")
    assert "apt-get install --reinstall half-there" in told


def test_what_a_person_must_do_has_no_plan_and_says_the_steps(tmp_path: Path) -> None:
    machine = replace(clean_jammy(), environments=(environment(torch("2.5.1+cu124", "cuda")),))
    found = finding(machine, "cuda-wheel")
    assert not has_plan(found)
    with pytest.raises(PlanImpossible, match=r"plan` makes the plan .* 1\. "):
        make_fix(host_with(tmp_path, {}), machine, found)


@pytest.mark.parametrize("break_", ["\x0c", "\x0b", "\x1c", "\u2028"])
def test_a_line_that_is_counted_otherwise_is_never_taken_for_another(
    tmp_path: Path, break_: str
) -> None:
    text = f"# page{break_}break\nexport {OVERRIDE}=10.3.0\nexport {OVERRIDE}=10.1.0\n"
    (line,) = (number for _, value, number in assignments(text) if value == "10.3.0")
    told = refusal(*with_lines(tmp_path, text, line), "stale-override")
    assert f"~/.bashrc:{line} is kept" in told


def test_among_the_user_s_own_packages_no_torch_is_exchanged(tmp_path: Path) -> None:
    _, machine = with_library(tmp_path, RIGHT)
    own = replace(machine.environments[0], path=SITE, kind="user-site")
    machine = replace(machine, environments=(own,))
    assert not has_plan(finding(machine, "wheel-library-replaced"))


def test_a_library_with_the_flag_is_told_to_be_fixed_by_hand(tmp_path: Path) -> None:
    asking = environment(replace(OLD, executable_stack=("libamdhip64.so",)))
    machine = replace(clean_jammy(), environments=(asking,))
    machine = replace(machine, system=replace(machine.system, glibc="2.41"))
    told = refusal(host_with(tmp_path, BARE), machine, "glibc-execstack")
    assert "patchelf --clear-execstack" in told


def test_a_line_is_found_that_is_faulty_only_where_nothing_was_set_before(tmp_path: Path) -> None:
    line = set_in(BASHRC, 1, "LD_LIBRARY_PATH", "/opt/rocm/lib:$LD_LIBRARY_PATH")
    session = Setting("LD_LIBRARY_PATH", "/opt/rocm/lib:", "", 0, "")
    host = host_with(tmp_path, {BASHRC: f"export LD_LIBRARY_PATH={line.value}\n"})
    plan = fixed(host, replace(clean_jammy(), settings=(session, line)), "library-path-shadow")
    (step,) = plan.steps
    assert isinstance(step, TakeLinesOut)
    assert not any("not in any file" in note for note in plan.notes)
