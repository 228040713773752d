"""What the tests of the screens share: goldens of text, and an app at a size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual._compositor import Compositor
from textual.pilot import Pilot

from tests.screens.driving import drawn

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent.parent / "golden" / "screens"


@pytest.fixture
def same_as_golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compares a screen's text with its file; ``--golden`` rewrites the file."""

    def compare(name: str, text: str) -> None:
        path = GOLDEN / f"{name}.txt"
        if request.config.getoption("--golden", default=False):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8"), f"{path} (pytest --golden rewrites it)"

    return compare


@pytest.fixture
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lists of changes are named from there: their path is on the screen."""
    monkeypatch.chdir(ROOT)


@pytest.fixture(scope="package", autouse=True)
def nothing_is_drawn_for_nobody_and_clicks_do_not_sleep() -> Iterator[None]:
    """Without a terminal Textual draws each update and throws it away; ``screen_text`` draws.

    The pilot sleeps before and after each event of the mouse; here it waits as for a key.
    """

    def forget(compositor: Compositor, **_: object) -> None:
        compositor._dirty_regions.clear()

    async def pause(pilot: Pilot[int], delay: float | None = None) -> None:
        await drawn(pilot.app)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compositor, "render_update", forget)
        patch.setattr(Pilot, "pause", pause)
        yield
