"""``plan`` says what Choose says, as text of 80 columns and for programs."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.commands.running import MACHINE, wizard
from tests.conftest import Golden
from wizard.knowledge.claims import load_approaches, load_claims
from wizard.knowledge.stacks import load_stacks

STACKS = [stack.id for stack in load_stacks()]
CLAIMS = {claim.id: claim for claim in load_claims()}


def plan(home: Path, *options: str) -> str:
    """What ``plan`` prints for the recorded machine."""
    done = wizard(home, "plan", "--machine", MACHINE, *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_a_stack_all_of_them_stand_beside_each_other(tmp_path: Path) -> None:
    told = plan(tmp_path).split("\n== All stacks side by side\n")[1]
    heads = " ".join(line for line in told.splitlines() if line.startswith(" " * 16))
    named = [word for word in heads.split() if word in STACKS]
    assert named[0] == "native"
    assert sorted(named) == sorted(STACKS)
    for aspect in ("Large Conv2d", "Half (fp16)", "Vulnerable", "Download", "Root needed", "Undo"):
        assert any(line.startswith(aspect) for line in told.splitlines())


def test_what_is_said_of_the_stack_stands_below_its_plan(tmp_path: Path) -> None:
    told = plan(tmp_path, "--stack", "rocm57").split("== What is known about rocm57\n")[1]
    assert "\nLarge Conv2d: unlikely\n" in told
    assert "\nCause of hangs: disputed\n" in told
    assert "--stack rocm57 --evidence" in told
    assert all(len(line) < 80 for line in told.splitlines() if "://" not in line)


def test_the_evidence_is_every_claim_with_its_source_and_what_contradicts_it(
    tmp_path: Path,
) -> None:
    told = plan(tmp_path, "--stack", "rocm57", "--evidence").split("== What is known about")[1]
    about = [claim for claim in CLAIMS.values() if "rocm57" in claim.stacks]
    flat = " ".join(told.split())
    for claim in about:
        assert " ".join(claim.text.split()) in flat
    sides = re.findall(r"^(?:FOR IT|AGAINST IT|OPEN|REFUTED): (\d+)$", told, re.MULTILINE)
    assert sum(map(int, sides)) == len(about)
    assert "but ROCm 5.2 packages with torch 2.2.2+rocm5.7 are listed as ending in" in flat
    assert all(len(line) < 80 for line in told.splitlines() if "://" not in line)


def test_evidence_for_a_purpose_comes_first_and_says_what_is_about_another_use(
    tmp_path: Path,
) -> None:
    images = CLAIMS["native-comfyui-images"]
    told = plan(tmp_path, "--stack", "native", "--app", "small-cnn", "--evidence")
    asked = told.split("\nSmall CNN: possible\n")[-1].split("\nAll statements: ")[0]
    own, other = asked.split("ABOUT ANOTHER USE: 3\n")
    assert images.text not in " ".join(own.split())
    assert images.text in " ".join(other.split())
    assert other.count("    use      whole programs and models for images\n") == 3
    assert CLAIMS["native-batchnorm-backward"].text in " ".join(own.split())
    told = plan(tmp_path, "--stack", "native", "--app", "comfyui", "--evidence")
    assert "ABOUT ANOTHER USE" not in told.split("\nAll statements: ")[0]


def test_programs_get_the_same(tmp_path: Path) -> None:
    advice = json.loads(plan(tmp_path, "--json"))["advice"]
    assert sorted(each["stack"] for each in advice["stacks"]) == sorted(STACKS)
    assert {claim["id"] for claim in advice["claims"]} == set(CLAIMS)
    assert advice["recommended"] == advice["stacks"][0]["stack"]
    assert len(advice["roads"]) == len(load_approaches())
    large = next(
        aspect
        for stack in advice["stacks"]
        for aspect in stack["aspects"]
        if stack["stack"] == "rocm52" and aspect["id"] == "large-conv2d"
    )
    assert large["word"] == "likely"


def test_a_program_that_named_a_stack_gets_that_one_alone(tmp_path: Path) -> None:
    advice = json.loads(plan(tmp_path, "--json", "--stack", "cpu"))["advice"]
    assert [each["stack"] for each in advice["stacks"]] == ["cpu"]
    assert all("cpu" in claim["stacks"] for claim in advice["claims"])


@pytest.mark.parametrize("kind", ["--remove", "--clean-up"])
def test_what_only_takes_away_needs_no_advice(tmp_path: Path, kind: str) -> None:
    machine = str(Path(MACHINE).parent / "rx5600xt-noble-rocm57")
    done = wizard(tmp_path, "plan", "--machine", machine, kind, "--json")
    assert "advice" not in json.loads(done.stdout)


def test_about_lists_every_approach_with_its_reason(tmp_path: Path) -> None:
    told = wizard(tmp_path, "about", "approaches").stdout
    flat = " ".join(told.split())
    for road in load_approaches():
        assert f"{road.state} " in flat
        assert " ".join(road.because.split()) in flat


def test_the_summary_has_titles_sizes_and_root_and_no_commands(
    tmp_path: Path, golden: Golden
) -> None:
    told = plan(tmp_path, "--stack", "cpu", "--json", "--brief")
    golden.check("json/plan-brief.json", told)
    whole = json.loads(plan(tmp_path, "--stack", "cpu", "--json"))
    assert not any(step["text"] in told for step in whole["steps"])
    assert len(told) < len(json.dumps(whole, indent=1)) / 5


def test_the_summary_alone_is_wrong_use_and_is_never_carried_out(tmp_path: Path) -> None:
    done = wizard(tmp_path, "plan", "--machine", MACHINE, "--brief")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--brief only works with --json" in done.stderr
    file = tmp_path / "plan.json"
    file.write_text(plan(tmp_path, "--stack", "cpu", "--json", "--brief"))
    done = wizard(tmp_path, "apply", "--plan", str(file), "--yes")
    assert done.returncode == 2
    assert (
        "it is a summary made with --brief. `rdna1-setup plan --json` prints the whole"
        in done.stderr
    )
