"""Which wheels a Python on a machine takes."""

from __future__ import annotations

import subprocess
import sys

import pytest
from packaging.tags import sys_tags

from wizard.host.environment import Target, answered, question, tags


def names(target: Target) -> list[str]:
    return list(map(str, tags(target)))


def test_tags_end_at_the_machine_s_c_library_and_begin_with_its_newest() -> None:
    found = names(Target("3.10.13", "2.31"))
    assert found[0] == "cp310-cp310-manylinux_2_31_x86_64"
    assert not [tag for tag in found if "_2_32_" in tag]
    order = [f"cp310-cp310-manylinux{each}_x86_64" for each in ("_2_28", "2014", "_2_5", "1")]
    assert [found.index(tag) for tag in order] == sorted(found.index(tag) for tag in order)


@pytest.mark.parametrize("glibc", ["", "musl"])
def test_a_c_library_that_is_not_known_counts_as_new(glibc: str) -> None:
    assert names(Target("3.10.13", glibc))[0] == "cp310-cp310-manylinux_2_99_x86_64"


def test_a_free_threaded_python_takes_wheels_of_its_own_kind() -> None:
    found = names(Target("3.13.1", "2.36", free_threaded=True))
    assert "cp313-cp313t-manylinux_2_28_x86_64" in found
    assert "cp313-cp313-manylinux_2_28_x86_64" not in found
    assert not [tag for tag in found if "-abi3-" in tag]


def test_the_tags_of_this_very_python_are_those_that_it_names_itself() -> None:
    asked = subprocess.run(question(sys.executable), capture_output=True, text=True, check=True)
    target = answered(asked.stdout)
    assert target.python == ".".join(map(str, sys.version_info[:3]))
    assert [tag for tag in map(str, sys_tags()) if tag not in names(target)] == []
