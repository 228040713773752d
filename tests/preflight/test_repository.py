"""The repository is asked before a suite or a key is written anywhere."""

from __future__ import annotations

import io
import socket
from dataclasses import replace
from pathlib import Path
from typing import cast
from urllib.error import HTTPError, URLError

import pytest

from tests.preflight.asked import (
    EXPIRED,
    EXPIRED_FINGERPRINT,
    NOW,
    VALID,
    VALID_FINGERPRINT,
    Shelf,
)
from wizard.apt.repository import fetch_key, find_suite
from wizard.core.trouble import Trouble
from wizard.knowledge.stacks import Repository, load_catalogue
from wizard.system.web import Web

PLACE = "https://repo.radeon.com/rocm/apt"
KEYS = ("https://one.example/rocm.gpg.key", "https://two.example/rocm.gpg.key")
REPOSITORY = Repository(PLACE, KEYS, VALID_FINGERPRINT)
ENTRY = load_catalogue().releases["5.2.0"]
AWAY = URLError(socket.gaierror(-2, "Name or service not known"))


def web(shelf: Shelf) -> Web:
    return cast(Web, shelf)


async def suite(shelf: Shelf, *suites: str, repository: Repository = REPOSITORY) -> str:
    return await find_suite(web(shelf), repository, ENTRY, suites)


async def key(shelf: Shelf, repository: Repository = REPOSITORY) -> str:
    return await fetch_key(web(shelf), repository, NOW)


async def test_suites_are_asked_for_in_order_until_one_is_there() -> None:
    shelf = Shelf({f"{PLACE}/5.2/dists/focal/InRelease": b"Origin: repo.radeon.com"})
    assert await suite(shelf, "ubuntu", "focal", "jammy") == "focal"
    assert shelf.asked == [f"{PLACE}/5.2/dists/{one}/InRelease" for one in ("ubuntu", "focal")]


@pytest.mark.parametrize("code", [403, 404, 410])
async def test_where_no_suite_is_there_all_that_were_asked_for_are_named(code: int) -> None:
    absent = HTTPError("", code, "", None, io.BytesIO())  # type: ignore[arg-type]
    shelf = Shelf({f"{PLACE}/5.2/dists/ubuntu/InRelease": absent})
    with pytest.raises(Trouble) as raised:
        await suite(shelf, "ubuntu", "focal")
    refusal = raised.value
    assert "ubuntu, focal" in refusal.happened
    assert "--rocm-repo" in refusal.next_step


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (AWAY, "was not found"),
        (ConnectionRefusedError(), "refused the connection"),
        (HTTPError("", 503, "", None, io.BytesIO()), "HTTP 503"),  # type: ignore[arg-type]
    ],
)
async def test_a_server_that_does_not_answer_is_not_taken_for_one_without_the_suite(
    error: Exception, words: str
) -> None:
    shelf = Shelf(
        {
            f"{PLACE}/5.2/dists/ubuntu/InRelease": error,
            f"{PLACE}/5.2/dists/focal/InRelease": b"there",
        }
    )
    with pytest.raises(Trouble) as raised:
        await suite(shelf, "ubuntu", "focal")
    assert words in raised.value.happened
    assert "Nothing was changed." in raised.value.meaning


async def test_a_mirror_may_be_a_folder(tmp_path: Path) -> None:
    (tmp_path / "5.2/dists/jammy").mkdir(parents=True)
    (tmp_path / "5.2/dists/jammy/InRelease").write_text("Origin: repo.radeon.com")
    (tmp_path / "key").write_bytes(VALID)
    here = Repository(f"file://{tmp_path}", (f"file://{tmp_path}/key",), VALID_FINGERPRINT)
    assert await suite(Shelf({}), "ubuntu", "jammy", repository=here) == "jammy"
    assert await key(Shelf({}), here) == VALID.decode()


async def test_the_key_may_lie_at_the_second_place() -> None:
    assert await key(Shelf({KEYS[1]: VALID})) == VALID.decode()


async def test_a_first_place_that_does_not_answer_keeps_nobody_from_the_second() -> None:
    assert await key(Shelf({KEYS[0]: AWAY, KEYS[1]: VALID})) == VALID.decode()


async def test_a_wrong_key_at_the_first_place_is_passed_over_for_the_right_one() -> None:
    assert await key(Shelf({KEYS[0]: EXPIRED, KEYS[1]: VALID})) == VALID.decode()


@pytest.mark.parametrize(
    ("files", "fingerprint", "words"),
    [
        ({}, VALID_FINGERPRINT, "There is no key at https://one.example"),
        ({KEYS[0]: EXPIRED}, VALID_FINGERPRINT, "instead of 91E5 9271"),
        ({KEYS[0]: EXPIRED, KEYS[1]: AWAY}, VALID_FINGERPRINT, "instead of 91E5 9271"),
        ({KEYS[1]: EXPIRED}, EXPIRED_FINGERPRINT, "valid until 2020-12-31"),
        ({KEYS[0]: AWAY, KEYS[1]: AWAY}, VALID_FINGERPRINT, "was not found"),
    ],
)
async def test_without_the_key_nothing_goes_on(
    files: dict[str, bytes | Exception], fingerprint: str, words: str
) -> None:
    with pytest.raises(Trouble) as raised:
        await key(Shelf(files), replace(REPOSITORY, fingerprint=fingerprint))
    assert words in raised.value.happened
