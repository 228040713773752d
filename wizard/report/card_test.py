"""What a test of a card came to, as lines and as files, and where its result can be sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path

from wizard.conv2d.card_test import Measurement, Part
from wizard.conv2d.cards.make_card import look_here, make_card
from wizard.conv2d.cards.result_card import card_text
from wizard.conv2d.search.find_limit import LimitRequest
from wizard.conv2d.search.setting_search import SettingRequest
from wizard.conv2d.sweep import SweepDone
from wizard.conv2d.verdicts import results_text
from wizard.core.lines import clean, wrapped
from wizard.core.own_files import Places
from wizard.host.host import Host
from wizard.report.bundle import ReportFiles, preview_lines, report_files_of
from wizard.report.conv2d import limit_lines, table_lines
from wizard.report.conv2d_answers import setting_lines, trouble_lines
from wizard.report.conv2d_runs import holds_text
from wizard.report.private import Redaction
from wizard.report.sources import gather
from wizard.run.executor import now

CARD_FILE = "result-card.json"
SEND = "To share it, send {0}, and the rest of the folder if you like, to {1}"
NO_ADDRESS = (
    "There is no address to send results to yet. Keep the folder, or attach it to an issue in "
    "the project from which you got this "
    "program."
)


def outcome_of_test(card: str, tested: Sequence[Measurement]) -> Iterator[str]:
    """The conclusion for each Python, then what each part came to."""
    for each in tested:
        table = each.parts[0].done
        yield from wrapped(f"Your {clean(card)} with {clean(each.python)}:")
        yield from wrapped(f"{results_text(table.results)}.")
        for part in each.parts:
            yield ""
            yield from _answer(part)
            if part.done.trouble is not None:
                yield ""
                for text in trouble_lines(part.done.trouble):
                    yield from wrapped(text)
        yield ""


def _answer(part: Part) -> Iterator[str]:
    """What one part came to. What ``conv2d`` advises is about its own options, and left out."""
    match part.request, part.done:
        case LimitRequest(), SweepDone(limit=limit) if limit is not None:
            yield from limit_lines(limit)
        case SettingRequest() as request, SweepDone(setting=setting) if setting is not None:
            yield from setting_lines(setting, request.sweep.python)
        case _, done:
            yield from table_lines(done.results) if done.results else ()


def report_files_of_test(tested: Sequence[Measurement], host: Host, places: Places) -> ReportFiles:
    """A result card for each torch that was measured, then the report."""
    here, cards = look_here(host), []
    for number, each in enumerate(tested, 1):
        card = make_card(each.results, now(), here, finished=each.finished)
        name = CARD_FILE if number == 1 else CARD_FILE.replace(".", f"-{number}.")
        about = f"the result card: {holds_text(card)}"
        # A card holds only what is listed as fit for it: there is nothing to replace.
        cards.append((name, about, partial(_as_it_is, card_text(card))))
    return report_files_of(gather(host, places), None, cards)


def written_lines(report_files: ReportFiles, folder: Path, address: str) -> Iterator[str]:
    """What lies where, what is in it, and where it can go."""
    yield "You can send these files if you want to. They are in this folder:"
    yield f"    {clean(str(folder))}"
    yield ""
    yield from preview_lines(report_files)
    yield ""
    yield from wrapped(SEND.format(CARD_FILE, address) if address else NO_ADDRESS)


def results_address() -> str:
    """Where results are taken in, as the package names it; ``""`` where it names none."""
    try:
        named = metadata("rdna1-setup").get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    pairs = (str(each).partition(", ") for each in named)
    return next((address for name, _, address in pairs if name == "Results"), "")


def _as_it_is(text: str, _: Redaction) -> str:
    return text
