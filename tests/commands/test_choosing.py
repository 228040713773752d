"""Choices on the command line: refused early where they cannot be, named where they were taken."""

import argparse
import json
import re
import subprocess
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, answered, wizard
from wizard.cli.options import add_choice_arguments
from wizard.knowledge.stacks import SETS, load_stacks
from wizard.plan.amd_packages import SCOPES
from wizard.plan.choice import Choice

JAMMY = str(Path(__file__).parents[1] / "machines/rx5700xt-jammy-clean")
"""Its Python 3.10 makes no venvs, so that uv brings one."""


@pytest.mark.parametrize("command", ["plan", "apply --stack cpu", "--plain"])
@pytest.mark.parametrize(
    "index", ["nonsense", "htps://me:secret@host/simple", "https://", "a\x1b[1m"]
)
def test_an_index_that_is_none_is_refused_with_what_is_accepted(
    tmp_path: Path, command: str, index: str
) -> None:
    done = wizard(tmp_path, *command.split(), "--torch-index", index)
    assert (done.returncode, done.stdout) == (2, "")
    assert "http://" in done.stderr
    assert "pip" in done.stderr
    assert "secret" not in done.stderr
    assert "\x1b" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "index", ["pip", "https://mirror.example/whl/cpu", "HTTP://127.0.0.1:8000", "file:///wheels"]
)
def test_addresses_and_the_word_pip_are_accepted(tmp_path: Path, index: str) -> None:
    done = wizard(tmp_path, "plan", "--machine", MACHINE, "--stack", "cpu", "--torch-index", index)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("command", ["plan", "apply --stack cpu --yes", "--plain", "--dry-run"])
def test_a_wheelhouse_that_is_not_there_is_refused_early(tmp_path: Path, command: str) -> None:
    (tmp_path / "file").touch()
    for name, words in (("gone", "there is no such folder"), ("file", "it is not a folder")):
        house = str(tmp_path / name)
        done = wizard(tmp_path, *command.split(), "--wheelhouse", house)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"rdna1-setup: --wheelhouse {house}")
        assert words in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_on_a_recorded_machine_a_wheelhouse_may_be_anywhere(tmp_path: Path) -> None:
    options = ("--machine", MACHINE, "--stack", "cpu", "--wheelhouse", "/usb/wheels")
    assert wizard(tmp_path, "plan", *options).returncode == 0


def test_a_plan_without_a_stack_says_which_it_took_and_why_and_how_to_take_another(
    tmp_path: Path,
) -> None:
    taken = wizard(tmp_path, "plan", "--machine", MACHINE).stdout
    head = " ".join(taken.split("\nPlan ")[0].split())
    assert "AMD TheRock wheels for the card's own target (native). Possible: " in head
    assert "Why first: its verdicts are as good as those of rocm52, and its torch is newer" in head
    others = {stack.id for stack in load_stacks()} - {"native"}
    said = re.search(r"--stack ((?:\w+, )+\w+) or (\w+)", head)
    assert said is not None
    assert {*said[1].split(", "), said[2]} == others
    assert max(map(len, taken.split("\nPlan ")[0].splitlines())) < 80
    named = wizard(tmp_path, "plan", "--machine", MACHINE, "--stack", "rocm52").stdout
    assert named.startswith("Your choice: ROCm 5.2 wheels, torch 1.13.1 (rocm52)\n")
    assert "Recommended on this machine for any torch program: native" in named
    assert "\nThe indexes, versions and sizes are as of 20" in named


def test_the_recommendation_is_for_the_card_that_was_chosen(tmp_path: Path) -> None:
    done = wizard(tmp_path, "plan", "--machine", MACHINE, "--gpu", "0000:ff:00.0")
    assert done.returncode == 2
    assert "no AMD card at the PCI address 0000:ff:00.0" in done.stderr


def test_a_no_is_answered_with_what_it_means(tmp_path: Path) -> None:
    done = answered(tmp_path, "n", "apply", "--stack", "cpu")
    assert done.returncode == 2
    assert done.stderr == "Nothing was changed.\n"
    assert list(tmp_path.iterdir()) == []


def test_with_nobody_to_ask_yes_is_asked_for(tmp_path: Path) -> None:
    done = wizard(tmp_path, "apply", "--stack", "cpu")
    assert done.returncode == 2
    assert "Nothing was changed, because" in done.stderr
    assert "--yes" in done.stderr


def test_who_leaves_the_groups_alone_gets_the_same_plan_without_that_step(tmp_path: Path) -> None:
    words = ("plan", "--machine", MACHINE, "--stack", "native", "--json")
    plans = [json.loads(wizard(tmp_path, *words, *more).stdout) for more in ((), (OPTION,))]
    kinds = [[step["kind"] for step in plan["steps"]] for plan in plans]
    assert kinds[0] == ["AddToGroups", *kinds[1]]
    assert [OPTION in plan["asked"] for plan in plans] == [False, True]
    assert plans[0]["first"] == ""
    assert "sudo usermod -aG render owner" in plans[1]["first"]


def test_the_plan_says_how_to_leave_the_groups_alone(tmp_path: Path) -> None:
    words = ("plan", "--machine", MACHINE, "--stack", "native")
    told = " ".join(wizard(tmp_path, *words).stdout.split())
    assert "as root, add owner to render" in told
    assert f"To keep your groups unchanged: {OPTION}." in told
    assert "To keep your groups" not in wizard(tmp_path, *words, OPTION).stdout


OPTION = "--without-groups"
SYSTEM = ("--stack", "rocm52", "--footprint", "venv+system")


def system_plan(home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return wizard(home, "plan", "--machine", MACHINE, *SYSTEM, *options)


def test_a_mirror_its_key_a_release_and_a_profile_file_reach_the_plan(tmp_path: Path) -> None:
    options = ("--rocm-repo", "https://mirror.example/rocm/", "--system-release", "5.7.1")
    done = system_plan(
        tmp_path, *options, "--rocm-key-fingerprint", "aa" * 20, "--profile-file", "--json"
    )
    assert done.returncode == 0, done.stderr
    steps = json.loads(done.stdout)["steps"]
    written = {step["path"]: step for step in steps if step["kind"] == "WriteSystemFile"}
    source = written["/etc/apt/sources.list.d/rdna1-setup-rocm.list"]
    assert " https://mirror.example/rocm/5.7.1 jammy main" in source["content"]
    assert "A" * 40 in written["/etc/apt/keyrings/rdna1-setup-rocm.asc"]["reason"]
    assert "/etc/profile.d/rdna1-setup-rocm.sh" in written


def test_a_place_of_pythons_reaches_the_plan_and_what_it_was_asked_with(tmp_path: Path) -> None:
    place = "https://me:secret@mirror.example/python"
    machine = JAMMY.replace("rx5700xt-jammy-clean", "rx5600xt-noble-rocm702")
    words = ("plan", "--machine", machine, "--stack", "rocm52", "--python-mirror", place, "--json")
    done = wizard(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    form = json.loads(done.stdout)
    (step,) = (step for step in form["steps"] if step["kind"] == "InstallPython")
    assert step["mirror"] == "https://***@mirror.example/python"
    assert "secret" not in done.stdout
    assert "--python-mirror=https://***@mirror.example/python" in form["asked"]
    assert "secret" not in done.stdout


def test_the_full_set_is_what_is_asked_for(tmp_path: Path) -> None:
    assert "rocm-dev" not in system_plan(tmp_path).stdout
    assert "rocm-dev" in system_plan(tmp_path, "--system-set", "full").stdout


@pytest.mark.parametrize(
    "options",
    [
        ("--rocm-repo", "ftp://mirror.example/rocm"),
        ("--rocm-repo", "https://user:secret@mirror.example/rocm"),
        ("--rocm-repo", "https://mirror.example/rocm?x=1"),
        ("--rocm-repo", "mirror.example"),
        ("--rocm-key-fingerprint", "9386B48A1A693C5C"),
        ("--python-mirror", "/media/stick/python"),
        ("--python-mirror", "file://media/stick/python"),
        ("--python-mirror", "ftp://mirror.example/python"),
        ("--system-removal", "amd,mesa"),
        ("--system-removal", ""),
        ("--system-set", "everything"),
    ],
)
def test_what_apt_could_not_take_or_nobody_knows_is_refused_early(
    tmp_path: Path, options: tuple[str, str]
) -> None:
    done = system_plan(tmp_path, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert options[0] in done.stderr
    assert "secret" not in done.stderr


def test_the_options_name_what_the_plans_know() -> None:
    parser = argparse.ArgumentParser()
    add_choice_arguments(parser)
    for name in SETS:
        assert parser.parse_args(["--system-set", name]).system_set == name
    everything = parser.parse_args(["--system-removal", ",".join(SCOPES)])
    assert everything.system_removal == SCOPES
    assert parser.parse_args(["--system-removal", "none"]).system_removal == ()
    plain = parser.parse_args([])
    unnamed = Choice("x", "y", "z")
    assert (plain.system_set, plain.system_removal) == (unnamed.system_set, unnamed.system_removal)


def test_what_is_to_run_decides_the_stack_and_is_kept_in_a_plan_for_programs(
    tmp_path: Path,
) -> None:
    options = ("plan", "--machine", MACHINE, "--json")
    done = wizard(tmp_path, *options, "--app", "a1111", "--app", "diffusers")
    document = json.loads(done.stdout)
    assert document["stack"] == "rocm52"
    assert [word for word in document["asked"] if word.startswith("--app")] == [
        "--app=a1111",
        "--app=diffusers",
    ]
    assert json.loads(wizard(tmp_path, *options).stdout)["asked"].count("--app=own") == 1


def test_an_application_that_nobody_knows_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    done = wizard(tmp_path, "plan", "--machine", MACHINE, "--app", "skynet")
    assert done.returncode == 2
    assert "--app: no application 'skynet'; the known ones are comfyui" in done.stderr


def test_apply_takes_the_recommended_stack_for_what_is_named(tmp_path: Path) -> None:
    done = wizard(tmp_path, "apply", "--machine", MACHINE, "--app", "a1111")
    assert ": rocm52, in the folder /home/owner/ai/rocm52" in done.stdout
    done = wizard(tmp_path, "apply", "--machine", MACHINE)
    assert done.returncode == 2
    assert "apply needs --stack or --app" in done.stderr


def test_published_settings_are_set_in_the_plan_and_told_with_their_caution(tmp_path: Path) -> None:
    options = ("plan", "--machine", MACHINE, "--stack", "rocm57")
    with_them = wizard(tmp_path, *options, "--preset", "GEMM only").stdout
    assert "os.environ['MIOPEN_DEBUG_CONV_WINOGRAD'] = '0'" in with_them
    assert "! The plan uses the settings 'GEMM only' (hkevin01/rocm-patch" in with_them
    assert "MIOPEN_DEBUG_CONV_WINOGRAD" not in wizard(tmp_path, *options).stdout
    document = json.loads(wizard(tmp_path, *options, "--preset", "GEMM only", "--json").stdout)
    assert "--preset=GEMM only" in document["asked"]


def test_settings_that_a_stack_has_not_on_offer_are_refused(tmp_path: Path) -> None:
    done = wizard(tmp_path, "plan", "--machine", MACHINE, "--stack", "cpu", "--preset", "GEMM only")
    assert done.returncode == 2
    assert "cpu has no preset 'GEMM only'. Its presets are: none." in done.stderr


def test_with_another_index_the_sizes_are_not_those_of_the_stack(tmp_path: Path) -> None:
    options = ("plan", "--machine", MACHINE, "--stack", "cpu")
    told = wizard(tmp_path, *options, "--torch-index", "pip").stdout
    assert "download and disk not known until versions are chosen" in told
    assert "download 0.2 GB" in wizard(tmp_path, *options).stdout


def test_what_the_full_set_of_rocm_52_lacks_is_told_without_asking_anybody(tmp_path: Path) -> None:
    options = ("plan", "--machine", MACHINE, "--stack", "rocm52", "--footprint", "venv+system")
    told = " ".join(wizard(tmp_path, *options, "--system-set", "full").stdout.split())
    assert "An empty package, rdna1-setup-rocm52-compat, replaces libgcc-7-dev" in told
    assert "rdna1-setup-rocm52-compat" not in wizard(tmp_path, *options).stdout
