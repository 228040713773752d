"""The resolver's argv for every source of wheels."""

from __future__ import annotations

import pytest

from wizard.plan.resolve import BY_RANGE, resolve_argv, second_try

INDEX = "https://download.example/whl/rocm5.2"


def argv(
    *, torch_index: str = "", wheelhouse: str = "", replaces: bool = False, index: str = INDEX
) -> tuple[str, ...]:
    return resolve_argv(
        "/v/bin/python",
        ("torch==1.13.1+rocm5.2", "numpy<2"),
        index=index,
        index_replaces_pypi=replaces,
        torch_index=torch_index,
        wheelhouse=wheelhouse,
        report="/w/report.json",
    )


def test_it_is_one_call_that_installs_nothing_and_takes_only_wheels() -> None:
    words = argv()
    assert words[:4] == ("/v/bin/python", "-m", "pip", "install")
    assert {"--dry-run", "--ignore-installed", "--no-input", "--only-binary=:all:"} <= set(words)
    assert words[-4:] == ("--report", "/w/report.json", "torch==1.13.1+rocm5.2", "numpy<2")


@pytest.mark.parametrize(
    ("words", "sources"),
    [
        (argv(), (BY_RANGE, "--extra-index-url", INDEX)),
        (argv(replaces=True), (BY_RANGE, "--index-url", INDEX)),
        (
            argv(torch_index="https://mirror.example/rocm"),
            (BY_RANGE, "--extra-index-url", "https://mirror.example/rocm"),
        ),
        (argv(torch_index="pip"), (BY_RANGE,)),
        (argv(torch_index="pip", replaces=True), (BY_RANGE,)),
        (argv(index=""), (BY_RANGE,)),
        (argv(wheelhouse="/house"), ("--isolated", "--no-index", "--find-links", "/house")),
        (
            argv(wheelhouse="/house", torch_index=INDEX),
            ("--isolated", "--no-index", "--find-links", "/house"),
        ),
    ],
)
def test_the_sources_are_those_that_were_chosen(
    words: tuple[str, ...], sources: tuple[str, ...]
) -> None:
    after, before = words.index("--only-binary=:all:") + 1, words.index("--report")
    assert words[after:before] == sources


def test_the_second_try_asks_for_no_ranges() -> None:
    words = argv()
    assert second_try(words) == tuple(word for word in words if word != BY_RANGE)
    assert second_try(second_try(words)) == ()
