"""Result cards as JSON, and back: what comes in is believed in nothing."""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from wizard.conv2d.cards.card_fields import Fields, WrongCard
from wizard.conv2d.cards.result_card import (
    COUNTS,
    FIGURES,
    OWN_WORDS,
    SCHEMA,
    Chip,
    ResultCard,
    Stack,
)
from wizard.conv2d.shapes import Shape
from wizard.conv2d.verdicts import Loaded, Result, Verdict
from wizard.core.json_form import to_json
from wizard.core.lines import clean
from wizard.core.trouble import Trouble

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


def no_file(path: Path) -> Trouble:
    """Why nothing is read from a pipe or a folder where somebody waits for an answer."""
    return Trouble(
        f"{clean(str(path))} is not a file.",
        "Nothing was imported.",
        "Specify a file written by rdna1-setup conv2d --export.",
    )


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
