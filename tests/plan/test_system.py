"""The footprint venv+system: what is in the way goes, one release comes, and all of it is shown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from assets.root.files import sha256
from assets.root.places import refuse_lines
from tests.handmade import HOME, clean_jammy, node, python
from tests.plan.system_machines import (
    KEY,
    amd,
    distribution,
    offer,
    prepared,
    recorded,
    with_packages,
)
from wizard.apt.packages import LocalDeb
from wizard.apt.sources import KEYRING, PIN, PROFILE, SOURCE
from wizard.core.own_files import places
from wizard.knowledge.stacks import SETS, load_catalogue, repository_at
from wizard.machine.facts import Machine
from wizard.operations.create_environment import CreateEnvironment
from wizard.operations.groups import AddToGroups
from wizard.operations.packages import AptChange, AptUpdate, KeepDebs, MarkPackages
from wizard.operations.system_files import SetSystemPathAside, WriteSystemFile
from wizard.plan.amd_packages import SCOPES
from wizard.plan.choice import Choice
from wizard.plan.impossible import PlanImpossible
from wizard.plan.leftover_files import FilesNow
from wizard.plan.planner import make_plan
from wizard.plan.steps import Plan
from wizard.plan.system import Prepared, suites_to_ask

OURS = places({}, HOME)


def plan_for(
    machine: Machine, stack: str = "rocm52", found: Prepared | None = None, **options: Any
) -> Plan:
    choice = Choice(stack, "venv+system", f"{HOME}/ai/{stack}", **options)
    return make_plan(machine, choice, OURS, None, found)


def changes(plan: Plan) -> list[AptChange]:
    return [step for step in plan.steps if isinstance(step, AptChange)]


def file(plan: Plan, path: str) -> WriteSystemFile:
    return next(s for s in plan.steps if isinstance(s, WriteSystemFile) and s.path == path)


def test_without_an_answer_from_the_archive_a_plan_is_shown_but_cannot_be_begun() -> None:
    plan = plan_for(clean_jammy())
    assert not plan.resolved
    assert plan.download_bytes is None
    assert any(
        "rdna1-setup looks up the exact packages, versions and sizes" in note for note in plan.notes
    )
    assert "for these suites: ubuntu, focal, jammy" in file(plan, SOURCE).reason
    assert not any("50200" in str(step) for step in plan.steps), "no version is made up"


def test_with_its_answer_everything_is_exact() -> None:
    plan = plan_for(clean_jammy(), found=prepared())
    assert plan.resolved
    assert changes(plan)[0].expect_install == offer().brings
    assert file(plan, KEYRING).content == KEY
    assert f"signed-by={KEYRING}] https://repo.radeon.com/rocm/apt/5.2 ubuntu main\n" in (
        file(plan, SOURCE).content
    )
    venv = plan_for(clean_jammy()).installed_bytes
    assert venv is None
    assert plan.download_bytes == 1_300_000_000 + offer().download_bytes


def test_all_downloads_of_packages_come_before_the_first_that_goes() -> None:
    """The other source first, for apt refuses two keys for one; then ours, its lists, its files."""
    machine = with_packages(amd("rocm-core"), amd("rocminfo"))
    for found in (prepared(), None):
        plan = plan_for(machine, found=found)
        kinds = [type(step) for step in plan.steps]
        kept, fetched = (n for n, kind in enumerate(kinds) if kind is KeepDebs)
        removal, install = (n for n, kind in enumerate(kinds) if kind is AptChange)
        old = next(n for n, s in enumerate(plan.steps) if isinstance(s, SetSystemPathAside))
        update = kinds.index(AptUpdate)
        assert kept < old < kinds.index(WriteSystemFile) < update < fetched < removal < install
        assert install < kinds.index(CreateEnvironment)
        step, change = plan.steps[fetched], changes(plan)[1]
        assert isinstance(step, KeepDebs)
        local = {deb.name for deb in change.debs}
        assert step.packages == tuple(p for p in change.expect_install if p[0] not in local)


def test_another_release_of_amds_goes_first_and_the_same_release_stays() -> None:
    other = plan_for(with_packages(amd("rocm-core"), amd("rocblas")), found=prepared())
    assert changes(other)[0].remove == ("rocm-core", "rocblas")
    same = with_packages(amd("rocm-core", "5.2.0"), amd("rocblas", "5.2.0"), release="5.2.0")
    assert [step.remove for step in changes(plan_for(same, found=prepared()))] == [()]


def test_packages_of_the_same_release_that_live_beside_it_go() -> None:
    beside = amd("rocm-core5.2.0", "5.2.0")
    plan = plan_for(with_packages(beside, release="5.2.0"), found=prepared())
    assert changes(plan)[0].remove == ("rocm-core5.2.0",)


def test_with_removal_none_nothing_goes() -> None:
    plan = plan_for(with_packages(amd("rocm-core")), found=prepared(), system_removal=())
    assert [step.remove for step in changes(plan)] == [()]
    paths = {step.path for step in plan.steps if isinstance(step, WriteSystemFile)}
    assert paths == {KEYRING, SOURCE, PIN}


def test_files_that_are_right_already_are_not_written_again() -> None:
    first = plan_for(clean_jammy(), found=prepared())
    texts = {path: file(first, path).content for path in (KEYRING, SOURCE, PIN)}
    again = plan_for(clean_jammy(), found=prepared(files=FilesNow(texts)))
    assert not any(isinstance(step, WriteSystemFile) for step in again.steps)


def test_a_file_that_is_there_is_named_by_its_hash_so_that_no_other_is_overwritten() -> None:
    texts = {SOURCE: "deb https://example.org/old x main\n"}
    step = file(plan_for(clean_jammy(), found=prepared(files=FilesNow(texts))), SOURCE)
    assert step.before == sha256(texts[SOURCE].encode())
    assert "restore" in step.undo
    assert step.before[:12] in str(step)


def test_a_mirror_and_its_key_are_taken_where_they_are_named() -> None:
    plan = plan_for(
        clean_jammy(),
        found=prepared(),
        rocm_repo="http://mirror.example/rocm",
        rocm_key_fingerprint="A" * 40,
    )
    assert " http://mirror.example/rocm/5.2 ubuntu main" in file(plan, SOURCE).content
    assert "A" * 40 in file(plan, KEYRING).reason


def test_the_key_of_a_mirror_is_looked_for_beside_it_in_it_and_at_amds() -> None:
    found = repository_at(load_catalogue(), "http://mirror.example/rocm/apt/", "")
    assert found.keys == (
        "http://mirror.example/rocm/rocm.gpg.key",
        "http://mirror.example/rocm/apt/rocm.gpg.key",
        "https://repo.radeon.com/rocm/rocm.gpg.key",
    )
    assert found.fingerprint == load_catalogue().repository.fingerprint


@pytest.mark.parametrize(
    ("release", "glibc", "suites"),
    [
        ("5.2.0", "2.35", ("ubuntu", "focal", "jammy")),
        ("5.2.0", "2.39", ("ubuntu", "focal", "jammy", "noble")),
        ("5.7.1", "2.31", ("focal",)),
        ("5.7.1", "2.35", ("jammy",)),
        ("5.7.1", "2.39", ("jammy",)),
        ("6.2.4", "2.36", ("jammy",)),
        ("6.2.4", "2.39", ("noble",)),
        ("6.2.4", "2.31", ()),
    ],
)
def test_only_suites_that_the_c_library_can_run_are_asked_for(
    release: str, glibc: str, suites: tuple[str, ...]
) -> None:
    catalogue = load_catalogue()
    assert suites_to_ask(catalogue, catalogue.releases[release], glibc) == suites


def test_a_release_made_for_a_newer_c_library_is_refused() -> None:
    machine = clean_jammy()
    machine = replace(
        machine,
        system=replace(machine.system, glibc="2.31"),
        interpreters=(python("3.10"), python("3.12")),
    )
    with pytest.raises(PlanImpossible, match=r"newer C library than this system's 2\.31"):
        plan_for(machine, "rocm62")


def test_a_system_without_apt_is_refused_with_the_way_out() -> None:
    machine, _ = recorded("bc250-fedora")
    machine = replace(machine, interpreters=clean_jammy().interpreters)
    with pytest.raises(PlanImpossible, match="footprint venv needs no system packages"):
        plan_for(machine)


def test_another_release_than_the_wheels_can_be_paired_and_is_called_disputed() -> None:
    plan = plan_for(clean_jammy(), system_release="6.2.4", found=prepared())
    assert "apt/6.2.4 ubuntu main" in file(plan, SOURCE).content
    assert any("Reports disagree" in note for note in plan.notes)
    with pytest.raises(
        PlanImpossible, match=r"The available releases are: 5\.2\.0, 5\.7\.1, 6\.2\.4"
    ):
        plan_for(clean_jammy(), system_release="4.0")


def test_packages_that_were_made_for_it_are_marked_as_dependencies() -> None:
    deb = LocalDeb("/home/ada/x.deb", "c" * 64, "rdna1-setup-rocm52-compat", "1.0")
    plan = plan_for(clean_jammy(), found=prepared(deb))
    assert changes(plan)[0].debs == (deb,)
    marks = next(step for step in plan.steps if isinstance(step, MarkPackages))
    assert marks.auto == ("rdna1-setup-rocm52-compat",)


def test_the_profile_file_comes_only_when_asked_for_and_never_sets_the_loaders_path() -> None:
    plain = plan_for(clean_jammy(), found=prepared())
    assert PROFILE not in [s.path for s in plain.steps if isinstance(s, WriteSystemFile)]
    asked = file(plan_for(clean_jammy(), found=prepared(), profile_file=True), PROFILE)
    assert "LD_LIBRARY_PATH" not in asked.content
    assert "any user" in asked.reason
    refuse_lines(PROFILE, "", asked.content)  # raises for a line that may not stand


def test_what_we_write_is_what_the_helper_lets_stand_there() -> None:
    plan = plan_for(clean_jammy(), found=prepared(), rocm_repo="file:///srv/rocm/apt")
    for path in (KEYRING, SOURCE, PIN):
        refuse_lines(path, "", file(plan, path).content)


def test_a_user_outside_the_groups_joins_them_by_the_helper() -> None:
    machine = clean_jammy()
    closed = node("/dev/kfd", usable=False)
    access = replace(machine.access, kfd=closed, groups_in_file=("ada", "video"))
    plan = plan_for(replace(machine, access=access), found=prepared())
    step = next(step for step in plan.steps if isinstance(step, AddToGroups))
    assert step.request() == {"verb": "join_groups", "user": "ada", "groups": ["render"]}
    assert plan.relogin_needed


def test_every_set_and_scope_that_the_data_names_can_be_planned() -> None:
    for release in load_catalogue().releases.values():
        assert set(release.sets) == set(SETS)
    machine = with_packages(amd("rocm-core"), distribution("hipcc"))
    for scope in SCOPES:
        assert plan_for(machine, found=prepared(), system_removal=(scope,)).steps


def test_on_debian_the_plan_says_that_the_packages_were_made_for_ubuntu() -> None:
    jammy = clean_jammy()
    system = replace(
        jammy.system, distribution="debian", pretty_name="Debian GNU/Linux 12 (bookworm)"
    )
    debian = replace(jammy, system=system)
    here = "AMD made these ROCm packages for Ubuntu, but this system is Debian GNU/Linux 12 "
    assert f"{here}(bookworm)." in plan_for(debian, "rocm52").notes
    listed = "which is not on AMD's list of supported systems for ROCm 6.2.4."
    assert f"{here}(bookworm), {listed}" in plan_for(debian, "rocm62").notes
    assert not any("for Ubuntu, but" in note for note in plan_for(jammy, "rocm62").notes)


def test_a_package_of_the_distributions_that_stays_is_not_called_installed_too() -> None:
    plan = plan_for(with_packages(distribution("rocminfo")), "rocm62")
    (change,) = changes(plan)
    assert [name for name, _ in change.install] == ["rocm-core", "hsa-rocr"]
    assert any("The distribution's rocminfo 5.7.1-3build1 is kept." in note for note in plan.notes)
