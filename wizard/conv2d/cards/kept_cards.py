"""Result cards of others that were imported, each under a name made of what it holds."""

from __future__ import annotations

import hashlib
from pathlib import Path

from wizard.conv2d.cards.card_fields import WrongCard
from wizard.conv2d.cards.card_form import card_text, read_card_file
from wizard.conv2d.cards.result_card import ResultCard
from wizard.run.lines import clean
from wizard.run.trouble import Trouble
from wizard.run.whole_file import write_whole

MOST_KEPT = 100


def card_from(path: Path) -> ResultCard:
    """The card in a file that somebody sent. Raises ``Trouble``."""
    name = clean(str(path))
    try:
        return read_card_file(path)
    except WrongCard as error:
        raise Trouble(
            f"{name} is no card that can be read: {clean(str(error))}.",
            "Only what rdna1-setup conv2d --export wrote is taken in, whole and as it was. Nothing "
            "of it was kept.",
            "Ask for it once more, as a file: a text that is copied is often cut or changed.",
        ) from None
    except OSError as error:
        raise Trouble(
            f"{name} cannot be read: {error.strerror or error}.",
            "Nothing was taken in.",
            "Look whether that is its name, and whether you may read it.",
        ) from None


def no_file(path: Path) -> Trouble:
    """Why nothing is read from a pipe or a folder where somebody waits for an answer."""
    return Trouble(
        f"{clean(str(path))} is no file.",
        "Nothing was taken in.",
        "Name the card itself: what rdna1-setup conv2d --export wrote.",
    )


def keep_card(folder: Path, card: ResultCard) -> Path:
    """Keep a card beside the runs; the same one again is kept once."""
    text = card_text(card)
    path = _below(folder) / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
    write_whole(path, text)
    return path


def kept_cards(folder: Path) -> tuple[tuple[Path, ResultCard], ...]:
    """Every card that was imported, newest first; a damaged one is left out."""
    found = []
    paths = sorted(_below(folder).glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in reversed(paths[-MOST_KEPT:]):
        try:
            found.append((path, read_card_file(path)))
        except (WrongCard, OSError):
            continue
    return tuple(found)


def _below(folder: Path) -> Path:
    return folder / "cards"
