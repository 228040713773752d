"""The sizes that a plan names: known, as old as our data, or asked of pip, and never made up."""

from dataclasses import replace

from tests.handmade import clean_jammy
from tests.plan.test_planner import plan_for
from wizard.operations.packages import UNRESOLVED, AptChange
from wizard.plan.steps import Plan
from wizard.report.plan import cost_lines, size_told
from wizard.run.preflight import NOT_TOLD, WheelsSize


def size(plan: Plan, found: WheelsSize | None = None) -> str:
    """What is said of its size."""
    return next(line for line in cost_lines(plan, found) if line.startswith("Size: "))


def test_what_comes_from_a_folder_of_wheels_is_not_downloaded() -> None:
    plan = plan_for(clean_jammy(), wheelhouse="/house", torch_index="https://mirror.example/")
    assert (plan.download_bytes, plan.installed_bytes) == (0, None)
    assert "download 0, disk not known" in size(plan)


def test_the_sizes_of_another_index_are_not_known_before_pip_was_asked() -> None:
    plan = plan_for(clean_jammy(), torch_index="pip")
    assert (plan.download_bytes, plan.installed_bytes) == (None, None)
    assert "download and disk not known until versions are chosen" in size(plan)
    assert "download 2.7 GB, disk not known" in size(plan, WheelsSize(35, 2_700_000_000))
    assert "download and disk not known" in size(plan, WheelsSize(35, None, NOT_TOLD))


def test_what_pip_says_outranks_what_was_read_months_ago() -> None:
    plan, now = plan_for(clean_jammy()), WheelsSize(5, 1_400_000_000)
    assert "download 1.3 GB, disk 9.0 GB while installing, 7.7 GB afterwards" in size(plan)
    assert "download 1.4 GB, disk 9.1 GB while installing, 7.7 GB afterwards" in size(plan, now)
    assert size_told(plan, now) == "uv currently chooses 5 wheels: 1.4 GB to download."
    unknown = WheelsSize(5, None, NOT_TOLD)
    assert "download 1.3 GB, disk 9.0 GB while installing, 7.7 GB afterwards" in size(plan, unknown)
    assert size_told(plan, unknown).endswith(f"{NOT_TOLD} The sizes are as of 2026-11-22.")


def test_what_apt_fetches_is_added_to_what_pip_fetches() -> None:
    apt = AptChange("", download_bytes=300_000_000, expect_install=(("a", "1"),))
    plan = plan_for(clean_jammy())
    both = replace(plan, steps=(apt, *plan.steps))
    assert "download 1.7 GB" in size(both, WheelsSize(5, 1_400_000_000))
    unresolved = AptChange("", install=(("rocm-dev", UNRESOLVED),))
    not_yet = replace(plan, steps=(unresolved, *plan.steps), download_bytes=None)
    assert "download not known" in size(not_yet, WheelsSize(5, 1_400_000_000))


def test_before_the_repository_is_asked_the_size_of_the_wheels_is_told_alone() -> None:
    plan = plan_for(clean_jammy(), "rocm62", footprint="venv+system")
    told = " ".join(" ".join(cost_lines(plan)).split())
    assert "Size: PyTorch: download 4.2 GB, disk not known; system packages: not known" in told
    assert "versions are chosen" not in told
    other = plan_for(clean_jammy(), "rocm62", footprint="venv+system", torch_index="pip")
    assert "PyTorch: not known until versions are chosen" in " ".join(cost_lines(other))
