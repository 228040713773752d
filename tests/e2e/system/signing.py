"""Throwaway keys and the signatures that they make; their agent is gone afterwards."""

from __future__ import annotations

import base64
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.system.outside import run_outside

LONG_AGO = "20200101T000000!"


@dataclass(frozen=True, slots=True)
class Keys:
    """Two keys that lie in a folder of gpg's: ours, and one of somebody else."""

    home: Path
    own: str
    """Its fingerprint."""
    stale: str
    """Our public key as it was published first, with an end that has passed."""
    stranger: str

    def public(self, fingerprint: str) -> str:
        """The public key as it is now, in letters."""
        return _gpg(self.home, "--armor", "--export", fingerprint)

    def clear_signed(self, text: str, fingerprint: str) -> str:
        """The text with a signature round it, as in InRelease."""
        return _gpg(self.home, "--local-user", fingerprint, "--clear-sign", text=text)

    def signature(self, text: str, fingerprint: str) -> str:
        """The signature alone, as in Release.gpg."""
        return _gpg(self.home, "--local-user", fingerprint, "--armor", "--detach-sign", text=text)


def binary(armored: str) -> bytes:
    """A public key as ``gpg --dearmor`` writes it."""
    body = armored.partition("\n\n")[2].partition("\n=")[0].partition("-----END")[0]
    return base64.b64decode(body)


@contextmanager
def throwaway_keys() -> Iterator[Keys]:
    """Keys whose secret halves are gone when this is left."""
    # Not below pytest's folders: the path of the agent's socket has a limit of 108 characters.
    with tempfile.TemporaryDirectory(prefix="gpg") as name:
        home = Path(name)
        try:
            own = _new(home, "Stand-in of ROCm's archive (tests of rdna1-setup)", "--then")
            stale = _gpg(home, "--armor", "--export", own)
            _gpg(home, "--quick-set-expire", own, "0")  # as AMD does: the same key, a later end
            yield Keys(home, own, stale, _new(home, "Stranger (tests of rdna1-setup)"))
        finally:
            run_outside("gpgconf", "--homedir", name, "--kill", "all", check=False)


def _new(home: Path, name: str, then: str = "") -> str:
    """The fingerprint of a new key; with ``then`` it was made long ago, for a year."""
    when = ("--faked-system-time", LONG_AGO) if then else ()
    key = ("--quick-generate-key", name, "rsa2048", "sign", "1y" if then else "never")
    status = _gpg(home, *when, "--status-fd", "1", *key)
    rows = (line.split() for line in status.splitlines())
    return next(row[3] for row in rows if row[1:2] == ["KEY_CREATED"])


def _gpg(home: Path, *arguments: str, text: str = "") -> str:
    options = ("--homedir", str(home), "--batch", "--quiet", "--passphrase", "")
    return run_outside("gpg", *options, *arguments, text=text).stdout
