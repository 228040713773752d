"""The fields of a result card from somebody else: each of the kind that it must be, or named."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
