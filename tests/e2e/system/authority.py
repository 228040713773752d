"""A certificate authority of the tests' own, so that the stand-in archive answers https too."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.e2e.system.cache import kept
from tests.e2e.system.outside import run_outside

HOST = "repo.radeon.com"
DAYS = "3650"


@dataclass(frozen=True, slots=True)
class Authority:
    """What roots trust, and what the server shows."""

    certificate: str
    """The authority's, in letters."""
    chain: Path
    """The server's own certificate with its key."""


def authority() -> Authority:
    """Made once; roots have it in their trusted certificates."""
    folder = kept("authority", _make)
    return Authority((folder / "ca.crt").read_text(), folder / "server.pem")


def _make(folder: Path) -> None:
    folder.mkdir()
    _new(folder, "ca", "/CN=rdna1-setup tests", "-addext", "keyUsage=keyCertSign")
    signed = ("-CA", f"{folder}/ca.crt", "-CAkey", f"{folder}/ca.key")
    names = ("-addext", f"subjectAltName=DNS:{HOST}", "-addext", "basicConstraints=CA:FALSE")
    _new(folder, "server", f"/CN={HOST}", *signed, *names)
    pair = (folder / "server.crt").read_text() + (folder / "server.key").read_text()
    (folder / "server.pem").write_text(pair)


def _new(folder: Path, name: str, subject: str, *options: str) -> None:
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    files = ("-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.crt")
    fixed = ("-subj", subject, "-days", DAYS)
    run_outside("openssl", "req", "-x509", *curve, *files, *fixed, *options)
