"""The JSON form of our values: plain dictionaries out, typed values back in; TOML's tables too."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from reprlib import repr as shown
from sys import float_info
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from wizard.core.fact import Unknown

SCHEMA = 1
"""Version of a JSON document that has no number of its own; it only grows."""


def to_json(value: Any) -> Any:
    """The value as JSON types; an ``Unknown`` becomes ``{"unknown": why}``."""
    if isinstance(value, Unknown):
        return {"unknown": value.because}
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    if hasattr(value, "_asdict"):  # a named tuple
        return {name: to_json(item) for name, item in value._asdict().items()}
    if isinstance(value, (tuple, list)):
        return [to_json(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    return value


T = TypeVar("T")
Reader = Callable[[Any], Any]
SORTS: Mapping[type, tuple[str, tuple[type, ...]]] = {
    str: ("a text", (str,)),
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    float: ("a number", (float, int)),
    NoneType: ("null", (NoneType,)),
}
"""How a plain value is called, and what may stand for it."""


class WrongForm(ValueError):
    """A form is not that of the value that it should be; its text begins with the field."""

    def __init__(self, why: str, path: tuple[str, ...] = ()) -> None:
        """``why`` goes on after the names of the fields that lead there."""
        super().__init__(f"{'.'.join(path)} {why}" if path else why)
        self.why, self.path = why, path

    def below(self, name: str) -> WrongForm:
        """The same, in a field of this name."""
        return WrongForm(self.why, (name, *self.path))


def typed(form: object, kind: type[T], *, exact: bool = False) -> T:
    """The value of a form: a data class, a named tuple, or what these hold.

    Raises WrongForm, which names the field. Of several data classes a form names its own as
    ``kind``. ``exact`` refuses unknown fields, which a later version may have written.
    """
    return cast(T, _reader(cast(Hashable, kind), exact)(form))


@cache
def _reader(kind: Any, exact: bool) -> Reader:
    """What reads a value of this kind; it is made once, for there may be hundreds."""
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return _record_reader(kind, exact)
    if kind in SORTS:
        return partial(_plain, kind)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return partial(_member, kind)
    return _compound_reader(get_origin(kind), get_args(kind), exact)


def _compound_reader(origin: Any, parts: Sequence[Any], exact: bool) -> Reader:
    of = partial(_reader, exact=exact)
    if origin is re.Pattern:
        return _pattern
    if origin is frozenset or (origin is tuple and parts[-1] is ...):
        return partial(_sequence, origin, of(parts[0]))
    if origin is tuple:
        return partial(_row, tuple(map(of, parts)))
    if origin is dict:
        return partial(_mapping, of(parts[0]), of(parts[1]))
    if origin in (Union, UnionType):
        known = [part for part in parts if part is not NoneType]
        read = of(known[0]) if len(known) == 1 else partial(_one_of, _named(known, exact))
        return partial(_optional, read) if NoneType in parts else read
    raise TypeError(f"no form is known for {origin}")


def _named(kinds: Sequence[Any], exact: bool) -> dict[str, Reader]:
    return {kind.__name__: _reader(kind, exact) for kind in kinds}


def _record_reader(kind: Any, exact: bool) -> Reader:
    if is_dataclass(kind):
        names = [field.name for field in fields(kind)]
        needed = frozenset(
            field.name
            for field in fields(kind)
            if field.default is MISSING and field.default_factory is MISSING
        )
    else:
        names = kind._fields
        needed = frozenset(names) - kind._field_defaults.keys()
    hints = get_type_hints(kind)
    readers = {name: _reader(hints[name], exact) for name in names}
    return partial(_record, kind, readers, needed, exact)


def _record(
    kind: Any, readers: Mapping[str, Reader], needed: frozenset[str], exact: bool, form: Any
) -> Any:
    if not isinstance(form, Mapping):
        raise WrongForm(f"must be an object, not {shown(form)}")
    if lacking := ", ".join(sorted(needed - form.keys())):
        raise WrongForm(f"{kind.__name__} lacks {lacking}: {shown(form)}")
    if exact and not form.keys() <= readers.keys():
        raise WrongForm(f"unknown keys in {kind.__name__}: {form.keys() - readers.keys()}")
    values = {}
    for name, read in readers.items():
        if name not in form:
            continue
        try:
            values[name] = read(form[name])
        except WrongForm as error:
            raise error.below(name) from None
    try:
        return kind(**values)
    except ValueError as error:  # what the class itself refuses
        raise WrongForm(f"{kind.__name__}: {error}") from None


def _plain(kind: type, form: Any) -> Any:
    called, sorts = SORTS[kind]
    no_float = kind is float and type(form) is int and abs(form) > float_info.max
    if type(form) not in sorts or no_float:
        raise WrongForm(f"must be {called}, not {shown(form)}")
    return form


def _pattern(form: Any) -> re.Pattern[str]:
    try:
        return re.compile(form)
    except (re.error, TypeError) as error:
        raise WrongForm(f"must be a regular expression, not {shown(form)} ({error})") from None


def _sequence(kind: type, read: Reader, form: Any) -> Any:
    if not isinstance(form, (list, tuple)):
        raise WrongForm(f"must be a list, not {shown(form)}")
    return kind(map(read, form))


def _row(readers: Sequence[Reader], form: Any) -> tuple[Any, ...]:
    if not isinstance(form, (list, tuple)) or len(form) != len(readers):
        raise WrongForm(f"must be a list of {len(readers)} values, not {shown(form)}")
    return tuple(read(value) for read, value in zip(readers, form, strict=True))


def _mapping(key: Reader, read: Reader, form: Any) -> dict[Any, Any]:
    if not isinstance(form, Mapping):
        raise WrongForm(f"must be an object, not {shown(form)}")
    values = {}
    for name, value in form.items():
        try:
            values[key(name)] = read(value)
        except WrongForm as error:
            raise error.below(str(name)) from None
    return values


def _optional(read: Reader, form: Any) -> Any:
    return None if form is None else read(form)


def _one_of(readers: Mapping[str, Reader], form: Any) -> Any:
    kind = form.get("kind") if isinstance(form, Mapping) else None
    if not isinstance(kind, str) or kind not in readers:
        raise WrongForm(f"must be one of {', '.join(readers)}, not {shown(form)}")
    return readers[kind]({name: value for name, value in form.items() if name != "kind"})


def _member(kind: type[Enum], form: Any) -> Enum:
    try:
        return kind(form)
    except ValueError as error:
        raise WrongForm(str(error)) from None
