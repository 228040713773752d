"""What pip says of a package that cannot come is read in pip's own words."""

from __future__ import annotations

import pytest

from wizard.run.environment.resolving import offender

NOTHING = (
    "ERROR: Could not find a version that satisfies the requirement {} (from versions: {})\n"
    "ERROR: No matching distribution found for x\n"
)
TOGETHER = """\
ERROR: Cannot install torch==1.13.1+rocm5.2 and Kornia==0.8 because these package versions have \
conflicting dependencies.

The conflict is caused by:
    The user requested torch==1.13.1+rocm5.2
    kornia 0.8 depends on torch>=2.0.0
"""


@pytest.mark.parametrize(
    ("said", "name", "why"),
    [
        (NOTHING.format("xformers==0.0.28", "none"), "xformers", "no version for this Python"),
        (NOTHING.format("kornia==9", "0.1, 0.2"), "kornia", "only the versions 0.1, 0.2"),
        (NOTHING.format("rust-thing>=2 (from kornia)", "none"), "kornia", "kornia needs rust"),
        (TOGETHER, "kornia", "it depends on torch>=2.0.0"),
    ],
)
def test_the_package_and_the_reason_are_found(said: str, name: str, why: str) -> None:
    found = offender(said, ("kornia", "xformers"))
    assert found is not None
    assert found[0] == name
    assert why in found[1]


@pytest.mark.parametrize(
    "said", ["", "ERROR: no route to host", NOTHING.format("torch==1.13.1", "none")]
)
def test_a_failure_of_the_stack_itself_is_nobody_else_s(said: str) -> None:
    assert offender(said, ("kornia", "xformers")) is None
