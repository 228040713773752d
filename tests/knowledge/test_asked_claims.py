"""What claims say that MIOpen answered without a card is what ``assets/asked`` says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

import pytest

from assets import FOLDER
from wizard.knowledge.claims import Grade, load_claims
from wizard.knowledge.solvers import (
    FIND_MODE,
    Answer,
    Table,
    family_of,
    load_families,
    load_table,
    releases,
)

CLAIMS = {claim.id: claim for claim in load_claims() if claim.grade is Grade.LIBRARY}
RELEASES = releases()
FOUND = [load_table(each, database=kind) for each in RELEASES for kind in (False, True)]
TABLES = {table.file[len("rocm-") : -len(".json")]: table for table in FOUND if table}
OLD, NEW = ("5.2.0", "5.5.1"), tuple(name for name in RELEASES if name >= "5.7")
WITHOUT_WINOGRAD = ("5.5.1", "6.4.3")
"""As distributions build them."""
OWN, OVERRIDDEN = ("gfx1010", "gfx1011", "gfx1012"), "gfx1030"
FORWARD, IMAGES, WEIGHTS = DIRECTIONS = ("forward", "backward_data", "backward_weights")
FLOAT, HALF = DTYPES = ("float32", "float16")
SEARCH, NORMAL = "search", f"search {FIND_MODE}=NORMAL"
GEMM, WINOGRAD, DIRECT, IMPLICIT = (family.name for family in load_families()[:4])
CK = "ConvCkIgemmFwdV6r1DlopsNchw"
SIZES = (32, *range(40, 47), 48, 64)
NOT_COMPUTED = {"asked-ck-compile", "asked-only-solver", "asked-winograd-source"}
"""Seen beside the tables: ``method`` and ``source`` say how."""
NUMBER = re.compile(r"(?<![\w.>=-])\d+(?![\w.>-]*\w)")
"""A count: no release, shape, value of a variable or part of a name."""


def cells(
    table: Table, chip: str, key: str, directions: tuple[str, ...] = DIRECTIONS, *dtypes: str
) -> Iterator[tuple[str, Answer]]:
    """The answers under a setting, each with its shape."""
    for shape, direction, dtype in product(table.rows, directions, dtypes or DTYPES):
        answer = table.answer(shape, f"{chip} {direction} {dtype}", key)
        assert answer is not None
        yield shape, answer


@cache
def families(answer: Answer) -> set[str]:
    """The families of its solvers; each solver is in one."""
    found = {family_of(name) for name in answer.names}
    return {family.name for family in found if family}


def count(release: str, family: str, *where: object) -> int:
    """How many answers hold a solver of a family."""
    return sum(family in families(a) for _, a in cells(TABLES[release], *where))  # type: ignore[arg-type]


def same(releases: tuple[str, ...], family: str, *where: object) -> int:
    """The count, which is the same in all these releases."""
    (number,) = {count(release, family, *where) for release in releases}
    return number


def key_with(value: str, *names: str, search: bool = True) -> str:
    """The key of a setting of these families' switches."""
    variables = sorted(each.variable for each in load_families() if each.name in names)
    words = " ".join(f"{variable}={value}" for variable in variables)
    return f"{SEARCH} {words}" if search else words


ONLY_IMPLICIT = key_with("0", GEMM, WINOGRAD, DIRECT)
ROWS = len(TABLES["5.2.0"].rows)
ANSWERS = ROWS * len(DIRECTIONS) * len(DTYPES)


def no_implicit_gemm() -> tuple[int, ...]:
    for table, chip in product(TABLES.values(), OWN):
        places = [place for place, name in enumerate(table.columns) if name.startswith(chip)]
        patterns = {numbers[place] for numbers in table.rows.values() for place in places}
        found = {table.answers[number] for each in patterns for number in table.patterns[each]}
        assert not any(IMPLICIT in families(each) for each in found)
    return len(RELEASES), ROWS, len(TABLES["5.2.0"].settings)


def implicit_normal() -> tuple[int, ...]:
    assert same(NEW, IMPLICIT, OVERRIDDEN, SEARCH) == 0
    assert same(NEW, IMPLICIT, OVERRIDDEN, NORMAL, DIRECTIONS, HALF) == 0
    return same(NEW, IMPLICIT, OVERRIDDEN, NORMAL, (FORWARD,), FLOAT), ROWS


def implicit_normal_52() -> tuple[int, ...]:
    solver = "ConvHipImplicitGemmV4R4Fwd"
    assert solver in CLAIMS["asked-implicit-normal-52"].text
    numbers = set()
    for release in OLD:
        default = cells(TABLES[release], OVERRIDDEN, SEARCH)
        assert not any(solver in each.names for _, each in default)
        normal = cells(TABLES[release], OVERRIDDEN, NORMAL, (FORWARD,), FLOAT)
        numbers.add(sum(solver in each.names for _, each in normal))
    (number,) = numbers
    return number, ROWS


def implicit_backward() -> tuple[int, ...]:
    assert same(RELEASES, IMPLICIT, OVERRIDDEN, NORMAL, (IMAGES, WEIGHTS), HALF) == 0
    images = same(RELEASES, IMPLICIT, OVERRIDDEN, NORMAL, (IMAGES,), FLOAT)
    return images, ROWS, same(RELEASES, IMPLICIT, OVERRIDDEN, NORMAL, (WEIGHTS,), FLOAT)


def implicit_only_refused() -> tuple[int, ...]:
    for release in NEW:
        answers = [each for _, each in cells(TABLES[release], OVERRIDDEN, ONLY_IMPLICIT)]
        assert {each.word for each in answers} == {"nothing"}
        assert len(answers) == ANSWERS
    return (ANSWERS,)


def implicit_only_52() -> tuple[int, ...]:
    assert same(OLD, IMPLICIT, OVERRIDDEN, ONLY_IMPLICIT, (IMAGES, WEIGHTS)) == 0
    half = same(OLD, IMPLICIT, OVERRIDDEN, ONLY_IMPLICIT, (FORWARD,), HALF)
    assert half == same(OLD, IMPLICIT, OVERRIDDEN, ONLY_IMPLICIT, (FORWARD,), FLOAT)
    return half, ROWS


def three_64() -> tuple[int, ...]:
    shapes = [shape for shape in TABLES["5.2.0"].rows if shape.startswith("3->64 3x3")]
    for release in RELEASES:
        answers = dict(cells(TABLES[release], OVERRIDDEN, NORMAL, (FORWARD,), FLOAT))
        assert not any(IMPLICIT in families(answers[shape]) for shape in shapes)
    return (len(shapes),)


def half_native() -> tuple[int, ...]:
    with_it = tuple(each for each in RELEASES if each not in WITHOUT_WINOGRAD)
    for chip in (*OWN, OVERRIDDEN):
        assert same(WITHOUT_WINOGRAD, WINOGRAD, chip, SEARCH) == 0
    assert same(RELEASES, WINOGRAD, "gfx1010", SEARCH, DIRECTIONS, HALF) == 0
    number = same(with_it, WINOGRAD, "gfx1011", SEARCH, DIRECTIONS, HALF)
    assert number == same(with_it, WINOGRAD, "gfx1012", SEARCH, DIRECTIONS, HALF)
    return number, ROWS * len(DIRECTIONS)


def half_override() -> tuple[int, ...]:
    releases = ("5.2.0", "5.7.0", "6.2.0")
    assert same(releases, WINOGRAD, "gfx1010", SEARCH, DIRECTIONS, HALF) == 0
    number = same(releases, WINOGRAD, OVERRIDDEN, SEARCH, DIRECTIONS, HALF)
    return number, ROWS * len(DIRECTIONS)


def ck_default() -> tuple[int, ...]:
    lists = set()
    for release, dtype in product(OLD, DTYPES):
        answers = cells(TABLES[release], OVERRIDDEN, SEARCH, (FORWARD,), dtype)
        lists.add(tuple(shape for shape, each in answers if CK in each.names))
    (shapes,) = lists
    assert not any(shape.startswith("16->32") for shape in shapes)
    return len(shapes), ROWS


def ck_off() -> tuple[int, ...]:
    for table in (TABLES[release] for release in NEW):
        assert not any(CK in answer.names for answer in table.answers)
    return ()


def database() -> tuple[int, ...]:
    found = {}
    for release in ("5.7.0", "6.2.0"):
        table = TABLES[f"{release}-database"]
        found[release] = [
            sum(
                each.word == "find-db"
                for _, each in cells(table, OVERRIDDEN, SEARCH, (way,), FLOAT)
            )
            for way in DIRECTIONS
        ]
    assert found["6.2.0"] == [0, 0, 0]
    (number,) = set(found["5.7.0"])
    return number, ROWS


def only_off() -> tuple[int, ...]:
    ones = key_with("1", *(family.name for family in load_families()), search=False)
    chips = (*OWN, OVERRIDDEN)
    for table, chip in product(TABLES.values(), chips):
        assert list(cells(table, chip, ones)) == list(cells(table, chip, ""))
    return 1, ANSWERS * len(chips)


def around_42() -> tuple[int, ...]:
    for release, chip, way, dtype in product(RELEASES, (*OWN, OVERRIDDEN), DIRECTIONS, DTYPES):
        answers = dict(cells(TABLES[release], chip, SEARCH, (way,), dtype))
        assert len({answers[f"16->32 3x3 @{size}x{size}"] for size in SIZES}) == 1
    assert "10 sizes" in CLAIMS["asked-42"].versions
    assert len(SIZES) == 10
    return ()


def two_left() -> tuple[int, ...]:
    shapes = [shape for shape in TABLES["5.2.0"].rows if " 3x3 " in shape]
    two = frozenset({"GemmFwdRest", "ConvDirectNaiveConvFwd"})
    for release in WITHOUT_WINOGRAD:
        answers = dict(cells(TABLES[release], "gfx1010", SEARCH, (FORWARD,), FLOAT))
        assert {frozenset(answers[shape].names) for shape in shapes} == {two}
    return (len(shapes),)


def winograd_off() -> tuple[int, ...]:
    """That a search succeeds was seen beside the tables; they say what it chooses from."""
    switched = key_with("0", WINOGRAD, search=False)
    for release in ("7.1.1", "7.2.4"):
        assert count(release, WINOGRAD, "gfx1010", SEARCH, (FORWARD,), FLOAT) > 0
        for _, each in cells(TABLES[release], "gfx1010", switched, (FORWARD,), FLOAT):
            assert each.names
            assert WINOGRAD not in families(each)
    return ()


COMPUTED = {
    "asked-no-implicit-gemm": no_implicit_gemm,
    "asked-implicit-normal": implicit_normal,
    "asked-implicit-normal-52": implicit_normal_52,
    "asked-implicit-backward": implicit_backward,
    "asked-implicit-only-refused": implicit_only_refused,
    "asked-implicit-only-52": implicit_only_52,
    "asked-3-64": three_64,
    "asked-half-native": half_native,
    "asked-half-override": half_override,
    "asked-ck-default": ck_default,
    "asked-ck-off": ck_off,
    "asked-database": database,
    "asked-only-off": only_off,
    "asked-42": around_42,
    "asked-two-left": two_left,
    "asked-winograd-off": winograd_off,
}


def test_each_claim_of_this_grade_is_computed_or_says_how_else_it_was_seen() -> None:
    assert CLAIMS.keys() == COMPUTED.keys() | NOT_COMPUTED


@pytest.mark.parametrize("claim", COMPUTED)
def test_a_claim_says_what_the_tables_say(claim: str) -> None:
    numbers = tuple(map(int, NUMBER.findall(CLAIMS[claim].text)))
    assert numbers == COMPUTED[claim]()


def test_a_claim_names_tables_that_exist_and_where_their_library_comes_from() -> None:
    origins = {table.file: table.origin for table in TABLES.values()}
    for claim in (CLAIMS[each] for each in COMPUTED.keys() - {"asked-winograd-off"}):
        tables, made, origin = claim.source.partition(", made by tests/miopen/tables.py from ")
        assert made, claim.id
        for file in re.findall(r"rocm-\S+\.json", tables):
            known = re.search(r"Ubuntu \S+|Debian \w+|rocm-[\d.]+", origins[file])
            assert known, file
            assert known[0].rstrip(",") in origin, claim.id


def test_the_explanation_says_what_the_tables_say() -> None:
    text = " ".join((FOLDER / "explain" / "miopen.md").read_text("utf-8").split())
    releases, layers, settings = no_implicit_gemm()
    assert f"in {releases} releases of ROCm, from 5.2 to 7.2, about {layers} layers" in text
    assert f"under {settings} settings" in text
    assert "for {} of {} layers forward".format(*implicit_normal()) in text
    assert f"which ROCm 5.7 reads for {database()[0]} layers" in text
    assert f"by default, for {ck_default()[0]} layers" in text
    assert around_42() == ()
    for size in SIZES:
        column = (f"16->32 3x3 @{size}x{size}", f"{OVERRIDDEN} {FORWARD} {FLOAT}", SEARCH)
        old, new = (TABLES[release].answer(*column) for release in ("5.2.0", "5.7.0"))
        assert old
        assert new
        assert set(old.names) == set(new.names)


def test_every_solver_of_the_tables_has_a_family() -> None:
    names = {name for table in TABLES.values() for each in table.answers for name in each.names}
    assert [name for name in sorted(names) if family_of(name) is None] == []


def test_what_was_asked_is_not_older_than_the_claims() -> None:
    assert {table.date for table in TABLES.values()} == {claim.date for claim in CLAIMS.values()}
    assert all((FOLDER / "asked" / table.file).is_file() for table in TABLES.values())
