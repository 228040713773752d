"""The user's own layers as text: what is read, what is refused, and in which words."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wizard.conv2d.layers import (
    EXAMPLE,
    LARGEST_FILE,
    LONGEST_LINE,
    REPR_EXAMPLE,
    WrongLine,
    WrongList,
    layer_line,
    parse_line,
    read_layer_list,
)
from wizard.conv2d.shapes import DTYPE_BYTES, Shape, square

SHAPES = st.builds(
    lambda inner, outer, groups, kernel, **rest: Shape(
        inner * groups, outer * groups, kernel=kernel, groups=groups, **rest
    ),
    st.integers(1, 8),
    st.integers(1, 8),
    st.integers(1, 4),
    st.integers(1, 7),
    h=st.integers(40, 99),
    w=st.integers(40, 99),
    padding=st.integers(0, 4),
    n=st.integers(1, 9),
    stride=st.integers(1, 3),
    dilation=st.integers(1, 3),
    dtype=st.sampled_from(sorted(DTYPE_BYTES)),
    bias=st.booleans(),
)


def wrong(text: str) -> str:
    """What is said of a line that cannot be read."""
    with pytest.raises(WrongLine) as caught:
        parse_line(text)
    return str(caught.value)


@given(SHAPES, st.integers(1, 50))
def test_every_shape_has_its_line_and_comes_back_from_it(shape: Shape, times: int) -> None:
    line = parse_line(layer_line(shape, times))
    assert (line.shape, line.times) == (shape, times)


@given(SHAPES)
def test_the_labels_of_our_tables_are_read_as_well(shape: Shape) -> None:
    assert parse_line(shape.label).shape == shape


@given(SHAPES)
def test_what_python_shows_of_a_conv2d_is_read_with_its_size(shape: Shape) -> None:
    said = f"Conv2d({shape.c_in}, {shape.c_out}, kernel_size=({shape.kernel}, {shape.kernel})"
    said += f", stride=({shape.stride}, {shape.stride})"
    for name in ("padding", "dilation"):
        value = getattr(shape, name)
        said += f", {name}=({value}, {value})" if value != int(name == "dilation") else ""
    said += f", groups={shape.groups}" if shape.groups > 1 else ""
    said += "" if shape.bias else ", bias=False"
    line = f"  (conv.0): {said})   @{shape.h}x{shape.w} batch {shape.n} {shape.dtype}"
    assert parse_line(line).shape == shape


def test_the_examples_mean_what_they_say() -> None:
    assert parse_line(EXAMPLE).shape == Shape(64, 128, 56, 56, n=8, stride=2, dtype="float16")
    in_python = Shape(64, 128, 56, 56, n=8, stride=2, dtype="float16", bias=True)
    assert parse_line(REPR_EXAMPLE).shape == in_python


@pytest.mark.parametrize(
    ("padding", "expected"), [("same", 2), ("valid", 0), ("'same'", 2), ("(1, 1)", 1)]
)
def test_paddings_in_words_are_understood(padding: str, expected: int) -> None:
    said = f"Conv2d(4, 4, kernel_size=(3, 3), stride=(1, 1), padding={padding}, dilation=(2, 2))"
    assert parse_line(f"{said} @9x9").shape.padding == expected


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("64 128 3", "out, kernel"),
        ("64 x 3 56x56", "channels out: 'x' is not a whole number from 1"),
        ("64 128 3x1 56x56", "height and width must be the same"),
        ("64 128 3 56", "'56' is not a size: write height x width"),
        ("64 128 3 56x56 strid 2", "'strid' is not known here"),
        ("64 128 3 56x56 stride", "stride: the line lacks a whole number"),
        ("64 128 3 56x56 batch 0", "batch: '0' is not a whole number from 1"),
        ("64 128 3 56x56 groups 5", "64->128 cannot be divided into 5 groups"),
        ("64 128 9 4x4 padding 0", "does not fit"),
        ("64 128 3 60000x60000", "one of its tensors"),
        ("64 128 3 99999x99999", "from 1 to 65536"),
        ("1" * 4000 + " 1 1 1x1", f"at most {LONGEST_LINE}"),
        (
            "Conv2d(3, 4, kernel_size=(3, 3))",
            "the size of the input is missing: add it at the end, as in @56x56",
        ),
        ("Conv2d(3, 4, kernel_size=(3, 1)) @9x9", "height and width must be the same"),
        (
            "Conv2d(3, 4, kernel_size=(3, 3), stride=(2, 1)) @9x9",
            "height and width must be the same",
        ),
        (
            "Conv2d(3, 4, kernel_size=(3, 3), padding_mode=reflect) @9x9",
            "only zeros can be measured",
        ),
        ("Conv2d(3, 4) @9x9", "kernel_size is missing"),
        ("Conv2d(3, 4, kernel_size=(3, 3) @9x9", "not how Python prints a Conv2d"),
        ("nn.BatchNorm2d(64)", "out, kernel"),
    ],
)
def test_what_is_no_layer_is_refused_in_words(line: str, said: str) -> None:
    assert said in wrong(line)


@given(st.text(max_size=600))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    refusal = ""
    try:
        read_layer_list(text, "any.txt")
    except WrongList as error:
        refusal = str(error)
    assert refusal.replace("\n", "").isprintable()


@given(st.text("0123456789x@ >-Convd2(),=kerlszpigtbm'", max_size=90))
def test_no_line_that_looks_like_a_layer_does_more_either(text: str) -> None:
    with suppress(WrongLine):
        parse_line(text)


def test_a_list_counts_layers_that_occur_again() -> None:
    text = "# mine\n64 64 3 56x56\n\n64 64 3 56x56 times 3  # thrice more\n64 128 1 56x56 bias\n"
    table = read_layer_list(text, "mine.txt")
    assert table.model is not None
    assert [row.shape for row in table.rows] == [
        square(64, 64, 56),
        Shape(64, 128, 56, 56, 1, 0, bias=True),
    ]
    assert table.model.times == (4, 1)


def test_bad_lines_are_named_by_number_with_an_example() -> None:
    text = "64 64 3 56x56\n64 64 3\n[bold]\x1b[31m red 3 56x56\n"
    with pytest.raises(WrongList) as caught:
        read_layer_list(text, "mine.txt")
    told = str(caught.value).splitlines()
    assert told[0] == "2 lines in mine.txt could not be read:"
    assert told[1].startswith("  line 2: ")
    assert told[2].startswith("  line 3: channels in: '[bold]")
    assert "\x1b" not in str(caught.value)
    assert f"  {EXAMPLE}" in told
    assert f"  {REPR_EXAMPLE}" in told


def test_many_bad_lines_do_not_flood_the_terminal() -> None:
    with pytest.raises(WrongList, match="and 90 more"):
        read_layer_list("nonsense\n" * 100, "mine.txt")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "contains no layers"),
        ("# nothing\n\n", "contains no layers"),
        ("\n" * (LARGEST_FILE + 1), "characters, which is too long"),
        ("".join(f"3 {n} 3 9x9\n" for n in range(1, 1002)), "1001 shapes, but at most 1000"),
    ],
)
def test_an_empty_list_and_an_endless_one_are_refused(text: str, said: str) -> None:
    with pytest.raises(WrongList, match=said):
        read_layer_list(text, "mine.txt")
