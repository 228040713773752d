"""What was measured, as one sentence and what to do next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from wizard.conv2d.requests import Request, sweep_in
from wizard.conv2d.search.compare_settings import CompareRequest
from wizard.conv2d.search.experiment import FIXABLE, smallest_failure
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.limit import Limit
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.search.workarounds import WorkaroundRequest, tried
from wizard.conv2d.shapes import Row
from wizard.conv2d.sweep import SettingAnswer, Sweep, SweepDone, setting_text
from wizard.conv2d.text import INSTALL_FOR_IT, WITH_A_CARD, channels_of
from wizard.conv2d.verdicts import RIGHT, Result, Verdict
from wizard.core.amounts import listed
from wizard.core.lines import shown
from wizard.core.wording import by_keys
from wizard.diagnose.finding import Status
from wizard.report.conv2d_answers import answer_lines, trouble_lines

VERBS = {
    Verdict.HUNG: ("hangs", "hang"),
    Verdict.CRASHED: ("crashes", "crash"),
    Verdict.WRONG: ("gives wrong numbers", "give wrong results"),
    Verdict.FLAKY: ("is right only sometimes", "are right only sometimes"),
    Verdict.ERROR: ("ends with an error", "end with an error"),
    Verdict.OUT_OF_MEMORY: ("needs more memory", "need more memory"),
    Verdict.SLOW: ("is right but slow", "are right but slow"),
    Verdict.UNUSABLE: ("was not measured", "were not measured"),
}
"""Of one and of several, the worst first."""
MOST_NAMED = 3
"""So many sizes or channels are named; more are counted."""
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NO_CARD = "This machine has no graphics card, so there is nothing more to measure."


@dataclass(frozen=True, slots=True)
class Measured:
    """What the table holds, and what the last request came to."""

    request: Request
    done: SweepDone
    rows: tuple[Row, ...] = ()
    results: Mapping[int, Result] = field(default_factory=dict)
    is_sweep: bool = False
    """True where the table is a sweep's: what is searched after it is about it."""
    limit: tuple[Row, str] | None = None
    """The limit that was found last with this Python, and of which row."""

    @property
    def known(self) -> list[tuple[Row, Result]]:
        """Rows with their results."""
        return [(self.rows[number - 1], result) for number, result in self.results.items()]

    @property
    def failed(self) -> Row | None:
        """The smallest shape that another setting may fix; None where there is none."""
        return smallest_failure(self.known)

    def goes_on(self, request: Request) -> bool:
        """True for a search about the table that was measured."""
        if not self.is_sweep or isinstance(request, Sweep):
            return False
        one, other = sweep_in(self.request), sweep_in(request)
        return (one.python, one.device) == (other.python, other.device)

    def after(self, request: Request, done: SweepDone) -> Measured:
        """The same table, with what a later request came to."""
        limit = self.limit
        if isinstance(request, LimitRequest) and done.limit is not None:
            limit = request.row, limit_text(request, done.limit, done.results)
        return replace(self, request=request, done=done, limit=limit)


@dataclass(frozen=True, slots=True)
class Concluded:
    """The sentence above the grid, and what follows from it."""

    text: str
    status: Status
    second: str = ""
    fixable: bool = False
    """True where a setting may fix it."""
    keeps: bool = False
    """True where a setting was found."""
    second_status: Status | None = None


def concluded(measured: Measured, has_card: bool | None) -> Concluded:
    """What it all comes to; ``has_card``: None where nobody knows."""
    request, done = measured.request, measured.done
    match request:
        case SettingRequest() if done.setting is not None:
            return _of_setting(measured, request, done.setting)
        case LimitRequest() if done.limit is not None:
            text = f"{limit_text(request, done.limit, done.results)}."
            all_pass = done.limit.known.hangs > done.limit.largest
            fixable = not all_pass and request.sweep.device != "cpu"
            return Concluded(text, Status.OK if all_pass else Status.FAULT, fixable=fixable)
        case WorkaroundRequest() if done.results and done.trouble is None:
            return _of_ways(request, done.results)
        case CompareRequest() if done.results and done.trouble is None:
            return Concluded(
                "The settings were compared.",
                Status.OK,
                "Press a to see the time for each setting.",
            )
        case _:
            return _of_table(measured, has_card)


def _of_table(measured: Measured, has_card: bool | None) -> Concluded:
    known = measured.known
    trouble = measured.done.trouble
    stopped = (
        "" if trouble is None else (f"It stopped: {trouble.happened} Press a to see what to do.")
    )
    right = [row for row, result in known if result.verdict in RIGHT]
    noun = "operation" if any(row.operation for row, _ in known) else "shape"
    if len(right) < len(known):
        fixable = isinstance(measured.request, Sweep) and measured.failed is not None
        status = Status.FAULT if _worst(known) in FIXABLE else Status.WARNING
        return Concluded(failures_text(known, len(measured.rows)), status, stopped, fixable)
    if stopped or not known:
        done = f"; {len(right)} {noun}s were right until then" if right else ""
        happened = "Nothing was measured." if trouble is None else shown(trouble.happened)
        return Concluded(
            f"It stopped: {happened.rstrip('.')}{done}.", Status.FAULT, "Press a to see what to do."
        )
    slow = sum(result.verdict is Verdict.SLOW for _, result in known)
    text = f"All {len(known)} {noun}s are right" if len(known) > 1 else f"The {noun} is right"
    text += f", {slow} of them slow." if slow else "."
    on_processor = any(result.on_processor for _, result in known)
    return Concluded(text, Status.OK, _of_processor(known, has_card) if on_processor else "")


def _of_processor(known: Sequence[tuple[Row, Result]], has_card: bool | None) -> str:
    if has_card is False:
        return NO_CARD
    if known[-1][1].loaded.hip:
        return (
            "This was measured on the CPU and says nothing about the GPU. Press o to change "
            "the device."
        )
    return "This was measured on the CPU. This PyTorch cannot use a GPU."


def _worst(known: Iterable[tuple[Row, Result]]) -> Verdict:
    verdicts = {result.verdict for _, result in known}
    return next(verdict for verdict in VERBS if verdict in verdicts)


def failures_text(known: Sequence[tuple[Row, Result]], total: int) -> str:
    """Which shapes fail how: the worst by name, the rest counted."""
    worst = _worst(known)
    rest = [result.verdict for _, result in known if result.verdict not in (worst, *RIGHT)]
    right = any(result.verdict in RIGHT for _, result in known)
    others = "; the rest is right." if right and len(known) == total else "."
    more = f"; also {tally(rest)}." if rest else others
    places = _places(known, worst)
    if len(places) == 1:
        ((where, channels),) = places.items()
        if len(channels) <= MOST_NAMED:
            return f"{listed(channels)} {VERBS[worst][len(channels) > 1]} {where}".rstrip() + more
    count = sum(result.verdict is worst for _, result in known)
    return f"{count} of {total} shapes {VERBS[worst][count > 1]}{more}"


def _places(known: Sequence[tuple[Row, Result]], worst: Verdict) -> dict[str, list[str]]:
    """Channels, or operations, by the sizes at which they fail."""
    found: dict[str, list[str]] = {}
    for what in dict.fromkeys(_what(row) for row, _ in known):
        rows = sorted(
            ((row, result.verdict) for row, result in known if _what(row) == what),
            key=lambda each: each[0].shape.h * each[0].shape.w,
        )
        failed = [row for row, verdict in rows if verdict is worst]
        if failed:
            found.setdefault(_where(failed, [row for row, _ in rows]), []).append(what)
    return found


def _what(row: Row) -> str:
    return channels_of(row) if row.operation is None else row.operation.title


def _where(failed: list[Row], rows: list[Row]) -> str:
    if failed[0].operation is not None:
        return ""
    if len(failed) == len(rows) > 1:
        return "at every size"
    if len(failed) > 1 and failed == rows[-len(failed) :]:
        return f"from {_size(failed[0])} on"
    if len(failed) > MOST_NAMED:
        return f"at {len(failed)} of {len(rows)} sizes"
    return f"at {listed([_size(row) for row in failed])}"


def _size(row: Row) -> str:
    return f"{row.shape.h}x{row.shape.w}"


def at_text(row: Row) -> str:
    """A row by its channels and size, or by its operation."""
    return f"{channels_of(row)} at {_size(row)}" if row.operation is None else row.operation.title


def limit_text(request: LimitRequest, limit: Limit, results: Sequence[Result]) -> str:
    """Where something stops being right, without a full stop."""
    what, known = channels_of(request.row), limit.known
    unit = {"size": "{0}x{0}"}.get(limit.axis, f"{limit.axis} {{0}}")
    if not limit.edge_runs:
        return f"{what} is not right even at {unit.format(known.hangs)}"
    right, wrong = (unit.format(each) for each in (known.passes, known.hangs))
    if known.hangs > limit.largest:
        return f"{what} is right up to {right}, the largest you asked for"
    if limit.edge_passes < limit.edge_runs:
        return f"{what} is right only sometimes at {right}"
    if not known.is_exact:
        return f"{what} is right up to {right} and fails at {wrong}"
    shape = request.row_at(known.hangs).shape
    failed = (each.verdict for each in results if each.shape == shape)
    verdict = next((each for each in failed if each not in RIGHT), Verdict.HUNG)
    return f"{what} {VERBS[verdict][0]} above {right}"


def _of_setting(measured: Measured, request: SettingRequest, answer: SettingAnswer) -> Concluded:
    """What is wrong, then the setting that fixes it."""
    what, limit = at_text(request.row), measured.limit
    if answer.changes is None:
        more = " Press o to allow more hangs and continue." if answer.goes_on else ""
        said = f"{len(answer.tried)} of {answer.possible} were tried.{more}"
        return Concluded(f"No setting is known to fix {what}.", Status.WARNING, said)
    if not answer.changes:
        return Concluded(f"{what} gives the right result without any changes.", Status.OK)
    wrong = f"{what} is not right."
    if limit is not None and channels_of(limit[0]) == channels_of(request.row):
        wrong = f"{limit[1]}."
    elif measured.failed is not None:
        wrong = failures_text(measured.known, len(measured.rows))
    times = f"{_number(answer.passes)} of {_number(answer.repeats)} times"
    surely = answer.passes == answer.repeats
    fixed = f"{setting_text(answer.changes)} {'fixes' if surely else 'fixed'} {what}, {times}."
    second = Status.OK if surely else Status.WARNING
    return Concluded(wrong, Status.FAULT, fixed, keeps=True, second_status=second)


def _number(count: int) -> str:
    return NUMBERS[count] if count < len(NUMBERS) else str(count)


def _of_ways(request: WorkaroundRequest, results: Sequence[Result]) -> Concluded:
    what = at_text(request.row)
    if results[0].verdict is Verdict.PASS:
        return Concluded(f"{what} gives the right result, so it needs no workaround.", Status.OK)
    ways = tried(request, results)
    right = sum(each.passes for each in ways)
    count = f"{right} of {len(ways)} workarounds" if right else "None of the workarounds"
    status = Status.OK if right else Status.WARNING
    return Concluded(
        f"{count} for {what} {'work' if right > 1 else 'works'}.", status, "Press a to list them."
    )


def tally(verdicts: Iterable[Verdict]) -> str:
    """How often each verdict came, the right ones first."""
    found = list(verdicts)
    parts = [f"{count} right"] if (count := found.count(Verdict.PASS)) else []
    for verdict in VERBS:
        if count := found.count(verdict):
            one, many = VERBS[verdict]
            word = "wrong" if verdict is Verdict.WRONG else one if count == 1 else many
            parts.append(f"{count} {word}")
    return ", ".join(parts)


def progress_text(request: Request, total: int, verdicts: Sequence[Verdict]) -> str:
    """What is measured, how far it is, and what came out so far."""
    found = tally(verdicts)
    if isinstance(request, Sweep):
        noun = "operations" if any(row.operation for row in request.rows) else "shapes"
        if not found:
            return f"Measuring {total} {noun if total > 1 else noun[:-1]}."
        return f"Measuring {len(verdicts)} of {total} {noun}: {found}."
    return f"{_search(request)}: {len(verdicts)} measured{f', {found}' if found else ''}."


def _search(request: LimitRequest | SettingRequest | CompareRequest | WorkaroundRequest) -> str:
    match request:
        case LimitRequest():
            return f"Looking for the limit of {channels_of(request.row)}"
        case SettingRequest():
            return f"Looking for a setting that fixes {at_text(request.row)}"
        case CompareRequest():
            return "Comparing settings"
        case WorkaroundRequest():
            return f"Looking for workarounds for {channels_of(request.row)}"


def answer_text(request: Request, done: SweepDone, has_card: bool | None = None) -> str:
    """What it came to, and why it could not go on; ``""`` where nothing can be told."""

    def tell(text: str) -> str:
        # Nobody needs a stack for a card that is not there.
        if has_card is False and text == WITH_A_CARD.format(INSTALL_FOR_IT):
            return NO_CARD
        return by_keys(text)

    trouble = done.trouble
    stopped = [] if trouble is None else [by_keys("\n\n".join(trouble_lines(trouble))), ""]
    return "\n".join((*stopped, *answer_lines(request, done, tell))).strip()
