"""Whether a key file holds the one key that is meant, and nothing else."""

from __future__ import annotations

from datetime import datetime, timezone

from wizard.core.trouble import Trouble
from wizard.preflight.openpgp import NotAKey, PublicKey, in_letters, public_keys

BYTES_LIMIT = 256 * 1024
REMEDY = (
    "Check what is at the address. If the mirror intentionally uses another key, specify that "
    "key's fingerprint with --rocm-key-fingerprint."
)


class WrongKey(Trouble):
    """Why a key is not taken."""


def checked_key(content: bytes, fingerprint: str, address: str, now: datetime) -> str:
    """The key in letters; raises WrongKey."""
    wanted = plain_fingerprint(fingerprint)
    try:
        keys = public_keys(content[:BYTES_LIMIT])
    except NotAKey as error:
        raise WrongKey(
            f"{address} has no readable key: {error}.",
            "That address returned something other than a key, such as a login page or a proxy's "
            "message. Nothing was changed.",
            f"Open the address in a browser. {REMEDY}",
        ) from None
    # One more key in the file would be trusted just as much.
    others = [key.fingerprint for key in keys if key.fingerprint != wanted]
    if others:
        raise WrongKey(
            f"{address} contains the key {spaced(others[0])} instead of {spaced(wanted)}.",
            "This is someone else's key, and its owner could put anything into these packages. "
            "Nothing was changed.",
            REMEDY,
        )
    return _valid(keys[0], content, address, now)


def plain_fingerprint(text: str) -> str:
    """A fingerprint as it is compared, however somebody writes it."""
    return "".join(text.split()).replace(":", "").upper().removeprefix("0X")


def spaced(fingerprint: str) -> str:
    """A fingerprint for people, in groups of four."""
    return " ".join(fingerprint[start : start + 4] for start in range(0, len(fingerprint), 4))


def _valid(key: PublicKey, content: bytes, address: str, now: datetime) -> str:
    if key.expires is not None and key.expires <= now.timestamp():
        end = datetime.fromtimestamp(key.expires, timezone.utc)
        raise WrongKey(
            f"The key at {address} was valid until {end:%Y-%m-%d}, but today is {now:%Y-%m-%d}.",
            "apt would refuse everything signed with it. Either the file is an old copy, or this "
            "machine's clock is wrong. Nothing was changed.",
            "Check the date. Then ask the operator of the mirror for the newer key, or use AMD's "
            "server.",
        )
    if key.created > now.timestamp():
        raise WrongKey(
            f"The key at {address} has a creation date later than today's date, {now:%Y-%m-%d}.",
            "This machine's clock is slow, so apt would refuse signatures from the future. "
            "Nothing was changed.",
            "Set the clock (timedatectl shows it), then run the same command again.",
        )
    return in_letters(content)
