"""The server, and the one certificate that is trusted, as the tests of runs have them."""

from __future__ import annotations

from tests.run.conftest import certificates, server

__all__ = ["certificates", "server"]
