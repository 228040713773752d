"""The one certificate that these tests trust: reading a whole bundle takes longer than they do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="package", autouse=True)
def certificates() -> Iterator[None]:
    """In place of the system's and the site's own; no test here speaks TLS."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(Path(__file__).parent / "certificate.pem"))
        for name in ("SSL_CERT_DIR", "PIP_CERT", "REQUESTS_CA_BUNDLE"):
            patch.delenv(name, raising=False)
        yield
