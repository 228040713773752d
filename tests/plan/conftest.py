"""No proxy and no login of whoever runs the tests, and one certificate in place of a bundle."""

from __future__ import annotations

from pathlib import Path

import pytest

CERTIFICATE = Path(__file__).parents[1] / "run" / "certificate.pem"


@pytest.fixture
def plain_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the environment says of the network, for each test anew."""
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("SSL_CERT_DIR", "PIP_CERT", "REQUESTS_CA_BUNDLE", "PIP_PROXY", "PIP_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    monkeypatch.setenv("NETRC", str(tmp_path / "no-netrc"))
