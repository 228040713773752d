"""What can be asked of a runner, as data: a closed union, its JSON form, its name, its events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Union

from wizard.conv2d.client import run_sweep
from wizard.conv2d.journal import journal_named, request_id
from wizard.conv2d.presets import Row
from wizard.conv2d.search.compare_settings import CompareRequest, compare
from wizard.conv2d.search.find_limit import LimitRequest, find_limit
from wizard.conv2d.search.find_setting import find_smallest
from wizard.conv2d.search.setting_request import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest, find_workarounds
from wizard.conv2d.sweep import Sweep, SweepEvent
from wizard.conv2d.worker.questions import Ask
from wizard.core.typed import WrongForm, typed
from wizard.jsonform import to_json

Request = Union[  # noqa: UP007 - one closed union, matched exhaustively
    Sweep, LimitRequest, SettingRequest, CompareRequest, WorkaroundRequest
]
KINDS: dict[str, type[Request]] = {
    "sweep": Sweep,
    "limit": LimitRequest,
    "setting": SettingRequest,
    "comparison": CompareRequest,
    "workarounds": WorkaroundRequest,
}
"""Every request by the name that its form bears."""


def request_form(request: Request) -> dict[str, Any]:
    """A request as JSON types."""
    kind = next(name for name, known in KINDS.items() if isinstance(request, known))
    return {"kind": kind, **to_json(request)}


def request_of(form: Mapping[str, Any]) -> Request:
    """The request of a form. Raises ``ValueError`` for what is none."""
    try:
        fields = {name: value for name, value in form.items() if name != "kind"}
        request: Request = typed(fields, KINDS[form["kind"]])
    except (WrongForm, TypeError, LookupError, AttributeError) as error:
        raise ValueError(f"not a request: {error}") from error
    return request


def events_of(
    request: Request, *, ask: Ask | None = None, passed: Sequence[Row] = (), **where: Any
) -> AsyncGenerator[SweepEvent, None]:
    """Carries it out; ``where`` is what ``run_sweep`` takes.

    ``ask`` is how a search asks MIOpen, and ``passed`` are rows that passed elsewhere.
    """
    match request:
        case Sweep():
            return run_sweep(request, **where)
        case LimitRequest():
            return find_limit(request, ask=ask, **where)
        case SettingRequest():
            return find_smallest(request, ask=ask, passed=passed, **where)
        case CompareRequest():
            return compare(request, **where)
        case WorkaroundRequest():
            return find_workarounds(request, **where)


def name_of(request: Request, environ: Mapping[str, str]) -> str:
    """The name of this very request: the same one again finds its journal.

    How many hangs it may cost does not count: a larger number goes on where a smaller one stopped.
    That of a search for a limit does, for its probes follow from it.
    """
    match request:
        case Sweep():
            return request_id(request, environ)
        case LimitRequest():
            sweep = replace(request.sweep, rows=(), hangs=None)
            return request_id(replace(request, sweep=sweep), environ)
        case SettingRequest() | CompareRequest() | WorkaroundRequest():
            return request_id(replace(request, hangs=0), environ)


def journal_of(request: Request, environ: Mapping[str, str]) -> Path:
    """Where its journal lies."""
    return journal_named(name_of(request, environ), environ)


def sweep_in(request: Request) -> Sweep:
    """How it is measured."""
    return request if isinstance(request, Sweep) else request.sweep


def with_hangs(request: Request, hangs: int | None) -> Request:
    """The same request with so many hangs allowed in all."""
    match request:
        case Sweep():
            return replace(request, hangs=hangs)
        case LimitRequest():
            return replace(request, sweep=replace(request.sweep, hangs=hangs))
        case SettingRequest() | CompareRequest() | WorkaroundRequest():
            return request  # it counts its hangs itself, over all its goes


def described(request: Request) -> str:
    """A request in a few words."""
    match request:
        case Sweep():
            count = len(request.rows)
            noun = "operation" if any(row.operation for row in request.rows) else "shape"
            return f"{count} {noun}{'' if count == 1 else 's'} on {request.device}"
        case LimitRequest():
            ends = f"{request.smallest}-{request.largest}"
            return f"limit of {request.axis} in {ends} on {request.sweep.device}"
        case SettingRequest():
            return f"setting for {request.row.label} on {request.sweep.device}"
        case CompareRequest():
            return f"comparison of settings on {request.sweep.device}"
        case WorkaroundRequest():
            return f"workarounds for {request.row.label} on {request.sweep.device}"
