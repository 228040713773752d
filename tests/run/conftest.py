"""The one certificate that these tests trust: reading a whole bundle takes longer than they do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.server import WheelServer


@pytest.fixture(scope="package", autouse=True)
def certificates() -> Iterator[None]:
    """In place of the system's and the site's own; no test here speaks TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(Path(__file__).parent / "certificate.pem"))
        for name in ("SSL_CERT_DIR", "PIP_CERT", "REQUESTS_CA_BUNDLE"):
            patch.delenv(name, raising=False)
        yield


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[WheelServer]:
    """Serves what a test gives it, on this machine alone."""
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with WheelServer() as running:
        yield running
