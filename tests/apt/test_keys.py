"""The key is the one that is meant, alone, and valid now; nothing else becomes a keyring."""

from __future__ import annotations

import base64
from datetime import datetime, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.apt.asked import (
    EXPIRED,
    EXPIRED_FINGERPRINT,
    NOW,
    VALID,
    VALID_FINGERPRINT,
    WITH_CHECKSUM,
)
from wizard.apt.openpgp import NotAKey, in_letters, public_keys
from wizard.apt.repository import checked_key, plain_fingerprint
from wizard.core.trouble import Trouble

ADDRESS = "https://repo.radeon.com/rocm/rocm.gpg.key"


def raw(armored: bytes) -> bytes:
    """The key as ``gpg --dearmor`` gives it."""
    body = armored.split(b"\n\n")[1].split(b"\n-----")[0]
    return base64.b64decode(body)


def refused(content: bytes, fingerprint: str = VALID_FINGERPRINT, now: datetime = NOW) -> Trouble:
    with pytest.raises(Trouble) as raised:
        checked_key(content, fingerprint, ADDRESS, now)
    return raised.value


@pytest.mark.parametrize(
    "content", [VALID, WITH_CHECKSUM, raw(VALID), VALID.replace(b"\n", b"\r\n")]
)
def test_the_key_is_taken_by_its_fingerprint_in_letters_or_binary(content: bytes) -> None:
    found = checked_key(content, VALID_FINGERPRINT, ADDRESS, NOW)
    assert found == VALID.decode()


@pytest.mark.parametrize(
    "written",
    [
        "91E5 9271 5A56 20CA 4D13  852D 0711 2639 9FCA 592B",
        VALID_FINGERPRINT.lower(),
        f"0x{VALID_FINGERPRINT}",
    ],
)
def test_a_fingerprint_may_be_written_as_people_do(written: str) -> None:
    assert checked_key(VALID, written, ADDRESS, NOW) == VALID.decode()


@pytest.mark.parametrize("written", ["9FCA592B", "071126399FCA592B", "", "G" * 40])
def test_less_than_a_whole_fingerprint_is_none(written: str) -> None:
    refused(VALID, written)


def test_another_s_key_is_refused_with_both_fingerprints() -> None:
    found = refused(VALID, EXPIRED_FINGERPRINT)
    assert "91E5 9271" in found.happened
    assert "D465 8354" in found.happened
    assert "--rocm-key-fingerprint" in found.next_step


def test_a_second_key_in_the_file_is_refused_although_the_first_is_right() -> None:
    found = refused(raw(VALID) + raw(EXPIRED))
    assert "D465 8354" in found.happened


def test_an_expired_key_is_refused_with_its_end_and_today() -> None:
    found = refused(EXPIRED, EXPIRED_FINGERPRINT)
    assert "valid until 2020-12-31, but today is 2026-11-22" in found.happened
    assert "clock" in found.meaning


def test_a_key_from_the_future_speaks_for_a_wrong_clock() -> None:
    found = refused(VALID, now=datetime(2019, 1, 1, tzinfo=timezone.utc))
    assert "creation date later than today's date, 2019-01-01" in found.happened
    assert "Set the clock" in found.next_step


@pytest.mark.parametrize(
    "content",
    [
        b"<html>Log in to this network</html>",
        b"",
        VALID[:200],
        VALID.replace(b"mDME", b"m*ME"),
        raw(VALID)[:40],
        b"\x98\x05\x03abcd",
    ],
)
def test_what_is_no_key_is_refused_as_such(content: bytes) -> None:
    assert "has no readable key" in refused(content).happened


@given(st.binary(max_size=300))
def test_no_bytes_make_the_reader_do_anything_but_refuse(content: bytes) -> None:
    for whole in (content, raw(VALID)[:90] + content):
        try:
            keys = public_keys(whole)
        except NotAKey:
            continue
        assert all(len(key.fingerprint) == 40 for key in keys)


@given(st.integers(0, 100), st.binary(min_size=1, max_size=1))
def test_a_changed_byte_of_the_key_itself_gives_another_fingerprint(
    place: int, byte: bytes
) -> None:
    key = bytearray(raw(VALID))
    place = 2 + place % key[1]  # within the first packet, behind its head: the key itself
    if key[place : place + 1] == byte:
        return
    key[place : place + 1] = byte
    try:
        found = public_keys(bytes(key))
    except NotAKey:
        return
    assert VALID_FINGERPRINT not in [one.fingerprint for one in found]


def test_letters_are_those_of_gpg_but_for_its_checksum() -> None:
    assert in_letters(raw(EXPIRED)) == EXPIRED.decode()
    assert plain_fingerprint("91E5:9271") == "91E59271"
