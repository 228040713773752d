"""The page of an index: what it lists, and what of it a Python here takes."""

from __future__ import annotations

import pytest
from packaging.requirements import Requirement

from wizard.host.environment import Target
from wizard.plan.wheel_index import fitting, read_page, wheels_in

PAGE = "https://index.example/simple/torch/"


def links(*hrefs: str) -> str:
    return f"<html><body>{''.join(f'<a href={each}>x</a>' for each in hrefs)}</body></html>"


def test_links_are_read_however_they_are_written() -> None:
    text = links(
        '"../../files/torch-1.13.1%2Brocm5.2-cp310-cp310-linux_x86_64.whl#sha256=00"',
        "'/torch-2.2.2+rocm5.7-cp310-cp310-linux_x86_64.whl'",
        "https://other.example/torch-2.5.1-cp312-cp312-manylinux_2_28_x86_64.whl?a=1&amp;b=2",
    )
    page = read_page(text, PAGE, "torch")
    assert [(str(each.version), each.address) for each in page.wheels] == [
        (
            "1.13.1+rocm5.2",
            "https://index.example/files/torch-1.13.1%2Brocm5.2-cp310-cp310-linux_x86_64.whl"
            "#sha256=00",
        ),
        (
            "2.2.2+rocm5.7",
            "https://index.example/torch-2.2.2+rocm5.7-cp310-cp310-linux_x86_64.whl",
        ),
        (
            "2.5.1",
            "https://other.example/torch-2.5.1-cp312-cp312-manylinux_2_28_x86_64.whl?a=1&b=2",
        ),
    ]


@pytest.mark.parametrize(
    ("text", "is_index"),
    [
        (links('"torch-1.0.tar.gz"'), True),
        ('<meta name="pypi:repository-version" content="1.0">', True),
        ("<html><head><title>Links for torch</title></head></html>", True),
        (links('"/login"', '"/terms.pdf"'), False),
        ("", False),
        ("\x00\xff" * 99, False),
    ],
)
def test_a_page_that_is_none_of_an_index_is_known(text: str, is_index: bool) -> None:
    assert read_page(text, PAGE, "torch").is_index is is_index


def test_wheels_of_others_on_the_same_page_do_not_count() -> None:
    names = ("torchvision-0.1-py3-none-any.whl", "torch-1.0-py3-none-any.whl", "torch.txt", "")
    assert [each.file for each in wheels_in(names, "Torch")] == ["torch-1.0-py3-none-any.whl"]


@pytest.mark.parametrize(
    ("tags", "python", "glibc", "fits"),
    [
        ("cp310-cp310-linux_x86_64", "3.10", "2.35", True),
        ("cp310-cp310-linux_x86_64", "3.11", "2.35", False),
        ("cp310-cp310-linux_x86_64", "3.1", "2.35", False),
        ("cp310-cp310-linux_aarch64", "3.10", "2.35", False),
        ("cp310-cp310-win_amd64", "3.10", "2.35", False),
        ("cp310-cp310-macosx_11_0_x86_64", "3.10", "2.35", False),
        ("cp313-cp313t-linux_x86_64", "3.13", "2.35", False),
        ("cp313-cp313-manylinux_2_28_x86_64", "3.13", "2.28", True),
        ("cp313-cp313-manylinux_2_28_x86_64", "3.13", "2.27", False),
        ("cp313-cp313-manylinux_2_28_x86_64", "3.13", "", True),
        ("cp38-cp38-manylinux2014_x86_64", "3.8", "2.31", True),
        ("cp38-cp38-manylinux1_x86_64.manylinux2014_x86_64", "3.8", "2.5", True),
        ("cp38-abi3-manylinux_2_17_x86_64", "3.12", "2.39", True),
        ("cp313-abi3-manylinux_2_17_x86_64", "3.12", "2.39", False),
        ("py3-none-any", "3.14", "2.39", True),
        ("cp310-cp310-musllinux_1_2_x86_64", "3.10", "2.39", False),
    ],
)
def test_a_wheel_fits_by_python_platform_and_c_library(
    tags: str, python: str, glibc: str, fits: bool
) -> None:
    wheels = wheels_in((f"torch-2.0-{tags}.whl",), "torch")
    assert bool(fitting(wheels, Requirement("torch"), Target(python, glibc))) is fits


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("torch==1.13.1+rocm5.2", ["1.13.1+rocm5.2"]),
        ("torch==1.13.1", ["1.13.1+rocm5.2", "1.13.1"]),
        ("torch[device-gfx1010]", ["2.12.0+rocm7.14.0", "1.13.1+rocm5.2", "1.13.1"]),
        ("torch==9", []),
    ],
)
def test_the_newest_version_that_was_asked_for_comes_first(wanted: str, found: list[str]) -> None:
    names = (
        f"torch-{version}-py3-none-any.whl"
        for version in ("1.13.1", "2.13.0rc1", "2.12.0+rocm7.14.0", "1.13.1+rocm5.2")
    )
    fits = fitting(wheels_in(names, "torch"), Requirement(wanted), Target("3.12", "2.39"))
    assert [str(each.version) for each in fits] == found


def test_a_version_before_its_release_counts_where_there_is_no_other() -> None:
    wheels = wheels_in(("torch-2.13.0a0+rocm7.15-py3-none-any.whl",), "torch")
    assert fitting(wheels, Requirement("torch[device-gfx1010]"), Target("3.12", "2.39")) == wheels
