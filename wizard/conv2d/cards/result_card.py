"""A result card: everything of a run that somebody else needs to compare, and nobody's name."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from wizard.conv2d.shapes import Shape
from wizard.conv2d.verdicts import Loaded, Result, Verdict
from wizard.core.json_form import to_json
from wizard.core.lines import clean
from wizard.core.trouble import Trouble

SCHEMA = 1
FIGURES = ("cold_s", "warm_s", "max_abs_error", "tolerance")
COUNTS = ("nonfinite", "memory_bytes")
OWN_WORDS = ("hang_class", "phase", "process", "operation")
"""Fields of a result that hold words of this program alone, or nothing."""


@dataclass(frozen=True, slots=True)
class Chip:
    """The card that was measured, as its kernel and its ids tell of it."""

    name: str | None = None
    gfx: str | None = None
    """Its own target, whatever an override calls it; None where several cards leave it open."""
    pci_id: str | None = None
    vram_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """What it was measured with."""

    torch: str | None = None
    hip: str | None = None
    libraries: tuple[str, ...] = ()
    driver: str | None = None
    kernel: str | None = None
    distribution: str | None = None
    glibc: str | None = None


@dataclass(frozen=True, slots=True)
class ResultCard:
    """A run, fit to be given to strangers."""

    time: str
    """When it was measured: ISO, UTC, to the minute."""
    version: str
    """Of the program that wrote it."""
    finished: bool
    chip: Chip
    stack: Stack
    results: tuple[Result, ...]
    """Without free texts; what was published for a shape is left out, being no part of a run."""


LONGEST_TEXT = 400
LARGEST_COUNT = 1 << 53
LARGEST_FIGURE = 1e12


class WrongCard(Exception):
    """A file that is no result card, with the place and what is wrong there."""


class Fields:
    """A JSON object and where it stands; each reading checks, and names the place where it fails.

    Fields that we do not know are let be: later versions may write more.
    """

    def __init__(self, form: Any, place: str) -> None:
        if not isinstance(form, dict):
            raise WrongCard(f"{place}: an object is expected")
        self.form = form
        self.place = place

    def text(self, name: str) -> str:
        """A text of one printable line."""
        value = self._of(name, str, "a text")
        if len(value) > LONGEST_TEXT:
            raise self._wrong(name, f"a text of more than {LONGEST_TEXT} characters")
        if not value.isprintable():
            raise self._wrong(name, "a text with characters that cannot be displayed")
        return str(value)

    def text_or_none(self, name: str) -> str | None:
        """A text, or nothing."""
        return None if self._is_absent(name) else self.text(name)

    def one_of(self, name: str, known: Sequence[str]) -> str:
        """One of these words."""
        value = self.text(name)
        if value not in known:
            raise self._wrong(name, f"{value!r} is not one of {', '.join(known)}")
        return value

    def count(self, name: str) -> int:
        """A whole number that is not negative."""
        value = self._of(name, int, "a whole number")
        if isinstance(value, bool) or not 0 <= value <= LARGEST_COUNT:
            raise self._wrong(name, f"a whole number from 0 to {LARGEST_COUNT} is expected")
        return int(value)

    def count_or_none(self, name: str) -> int | None:
        """A whole number, or nothing."""
        return None if self._is_absent(name) else self.count(name)

    def figure_or_none(self, name: str) -> float | None:
        """A number that is not negative, or nothing."""
        if self._is_absent(name):
            return None
        value = self._of(name, (int, float), "a number")
        if isinstance(value, bool) or not 0 <= value <= LARGEST_FIGURE:
            raise self._wrong(name, f"a number from 0 to {LARGEST_FIGURE:g} is expected")
        return float(value)

    def flag(self, name: str) -> bool:
        """True or false."""
        return bool(self._of(name, bool, "true or false"))

    def texts(self, name: str, most: int) -> tuple[str, ...]:
        """A list of texts."""
        given = self._of(name, list, "a list")
        each = {f"{number}": value for number, value in enumerate(given[: most + 1], 1)}
        if len(each) > most:
            raise self._wrong(name, f"more than {most} entries")
        inside = Fields(each, f"{self.place}, {name}")
        return tuple(map(inside.text, each))

    def pairs(self, name: str, most: int) -> tuple[tuple[str, str], ...]:
        """Names and their values."""
        inside = self.inner(name)
        if len(inside.form) > most:
            raise self._wrong(name, f"more than {most} entries")
        given = {f"{number}": key for number, key in enumerate(inside.form, 1)}
        names = Fields(given, f"{self.place}, names of {name}")
        # The name first: where it cannot be shown, no message may hold it.
        return tuple((names.text(number), inside.text(key)) for number, key in given.items())

    def inner(self, name: str) -> Fields:
        """An object."""
        return Fields(self._of(name, dict, "an object"), f"{self.place}, {name}")

    def list_of(self, name: str, most: int) -> tuple[Fields, ...]:
        """A list of objects."""
        given = self._of(name, list, "a list")
        if len(given) > most:
            raise self._wrong(name, f"more than {most} entries")
        return tuple(
            Fields(form, f"{self.place}, {name} {number}") for number, form in enumerate(given, 1)
        )

    def _is_absent(self, name: str) -> bool:
        return self.form.get(name) is None

    def _of(self, name: str, kind: Any, words: str) -> Any:
        if name not in self.form:
            raise self._wrong(name, "it is missing")
        value = self.form[name]
        if not isinstance(value, kind):
            raise self._wrong(name, f"{words} is expected")
        return value

    def _wrong(self, name: str, what: str) -> WrongCard:
        return WrongCard(f"{self.place}, {name}: {what}")


KIND = "rdna1-setup conv2d results"
LARGEST_FILE = 8 << 20
"""Bytes: a thousand results have a tenth of it."""
MOST_RESULTS = 10_000
WORDS = (*OWN_WORDS, "because")
SEVERAL = 20
"""Libraries, variables: nobody has more of one kind."""


def card_text(card: ResultCard) -> str:
    """The card as a file."""
    form: dict[str, Any] = {
        "schema": SCHEMA,
        "kind": KIND,
        "time": card.time,
        "version": card.version,
        "finished": card.finished,
        "chip": to_json(card.chip),
        "stack": to_json(card.stack),
        "results": [_result_form(result) for result in card.results],
    }
    return json.dumps(form, indent=1, allow_nan=False) + "\n"


def card_from(path: Path) -> ResultCard:
    """The card in a file that somebody sent. Raises ``Trouble``."""
    name = clean(str(path))
    try:
        return read_card_file(path)
    except WrongCard as error:
        raise Trouble(
            f"{name} is not a readable result card: {clean(str(error))}.",
            "Only unmodified files exported with rdna1-setup conv2d --export can be imported.",
            "Ask the sender for the file itself: copied text is often cut off or changed.",
        ) from None
    except OSError as error:
        raise Trouble(
            f"{name} cannot be read: {error.strerror or error}.",
            "Nothing was imported.",
            "Check the file name, and make sure that you have permission to read the file.",
        ) from None


def read_card_file(path: Path) -> ResultCard:
    """The card in a file. Raises ``WrongCard``, and ``OSError`` where it cannot be read."""
    with path.open("rb") as file:
        raw = file.read(LARGEST_FILE + 1)
    if len(raw) > LARGEST_FILE:
        raise WrongCard(f"it is larger than {LARGEST_FILE >> 20} MiB")
    return read_card(raw)


def read_card(raw: bytes) -> ResultCard:
    """The card in a text. Raises ``WrongCard`` with the place and what is wrong there."""
    try:
        form = json.loads(raw.decode("utf-8"), parse_constant=_refused)
    except RecursionError:
        raise WrongCard("it is nested too deeply") from None
    except ValueError as error:  # what is no UTF-8 as well
        raise WrongCard(f"it is not valid JSON: {error}") from None
    top = Fields(form, "the card")
    if top.form.get("kind") != KIND:
        raise WrongCard("it is not a result card from rdna1-setup conv2d --export")
    if top.count("schema") != SCHEMA:
        raise WrongCard(f"its schema is {top.form['schema']}, but this version reads {SCHEMA}")
    chip, stack = top.inner("chip"), top.inner("stack")
    return ResultCard(
        time=top.text("time"),
        version=top.text("version"),
        finished=top.flag("finished"),
        chip=Chip(
            chip.text_or_none("name"),
            chip.text_or_none("gfx"),
            chip.text_or_none("pci_id"),
            chip.count_or_none("vram_bytes"),
        ),
        stack=_stack(stack),
        results=tuple(map(_result, top.list_of("results", MOST_RESULTS))),
    )


def _refused(constant: str) -> None:
    raise WrongCard(f"{constant} is not a number")


def _stack(form: Fields) -> Stack:
    texts = {
        field.name: form.text_or_none(field.name)
        for field in fields(Stack)
        if field.name != "libraries"
    }
    return Stack(**texts, libraries=form.texts("libraries", SEVERAL))


def _result_form(result: Result) -> dict[str, Any]:
    loaded = result.loaded
    form: dict[str, Any] = {
        "shape": asdict(result.shape),
        "engine": result.engine,
        "work": result.work,
        "asked": dict(result.asked),
        "verdict": result.verdict.value,
        "detail": result.detail,
        "runs": result.runs,
    }
    form |= {name: getattr(result, name) for name in (*FIGURES, *COUNTS, *WORDS)}
    names = ("torch", "hip", "device", "gfx")
    return {
        **form,
        **{name: getattr(loaded, name) for name in names},
        "setting": dict(loaded.setting),
    }


def _result(form: Fields) -> Result:
    figures: dict[str, Any] = {name: form.figure_or_none(name) for name in FIGURES}
    figures |= {name: form.count_or_none(name) for name in COUNTS}
    figures |= {name: form.text_or_none(name) for name in WORDS}
    return Result(
        shape=_shape(form.inner("shape")),
        engine=form.text("engine"),
        verdict=Verdict(form.one_of("verdict", [verdict.value for verdict in Verdict])),
        detail=form.text("detail"),
        runs=form.count("runs"),
        loaded=Loaded(
            form.text_or_none("torch"),
            form.text_or_none("hip"),
            form.text_or_none("device"),
            form.text_or_none("gfx"),
            setting=form.pairs("setting", SEVERAL * 5),
        ),
        asked=form.pairs("asked", SEVERAL),
        work=form.text("work"),
        **figures,
    )


def _shape(form: Fields) -> Shape:
    given: dict[str, Any] = {
        field.name: form.count(field.name) for field in fields(Shape) if field.type == "int"
    }
    try:
        return Shape(**given, dtype=form.text("dtype"), bias=form.flag("bias"))
    except ValueError as error:
        raise WrongCard(f"{form.place}: {error}") from None
