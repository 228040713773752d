"""What all tests share: the option that rewrites golden files."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import settings

GOLDEN = Path(__file__).parent / "golden"

# No folder of examples in the source tree, which may not be ours to write; no time limit an
# example, since the machine may be busy with something else.
settings.register_profile("anywhere", database=None, deadline=None)
settings.load_profile("anywhere")

# What nohup, or a shell that runs the tests behind itself, has had ignored would be ignored by all
# that the tests start too, and by what they send it. A handler is not handed on as that is.
for number in (signal.SIGHUP, signal.SIGINT):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--golden`` writes what the tests see instead of comparing; review the difference."""
    parser.addoption("--golden", action="store_true", help="rewrite the golden files")


class Golden:
    """Compares a text with its file below ``tests/golden``, or writes it."""

    def __init__(self, rewrite: bool) -> None:
        """A comparison; with ``rewrite`` the file follows the text."""
        self._rewrite = rewrite

    def check(self, name: str, text: str) -> None:
        """Fails unless the golden file of this name holds this text."""
        path = GOLDEN / name
        if self._rewrite:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"no {path}: run pytest --golden and review what it writes"
        assert text == path.read_text(encoding="utf-8")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    """The golden files, compared or rewritten as the command line says."""
    return Golden(rewrite=bool(request.config.getoption("--golden")))
