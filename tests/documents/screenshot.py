"""The README's picture: Choose on the machine of the demo, drawn by the program itself.

``python -m tests.documents.screenshot`` writes it; look at it in a browser before it is kept.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from screens.app import SetupApp
from screens.start import services_for
from screens.themes import DARK
from tests.screens.collaborators import but
from tests.screens.driving import press, reach, screen_text, settled
from wizard.__main__ import parser

PICTURE = Path(__file__).parents[2] / "assets" / "screenshots" / "choose.svg"
SIZE = (110, 34)


async def drawn() -> tuple[str, str]:
    """The screen as SVG and as text."""
    services = services_for(parser().parse_args(["--demo"]))
    app = SetupApp(but(services, theme=DARK))
    async with app.run_test(size=SIZE) as pilot:
        await reach(pilot, "welcome")
        await press(pilot, "enter")
        await reach(pilot, "detect")
        await settled(pilot)
        await press(pilot, "n")
        await reach(pilot, "ask")
        await press(pilot, "space", "enter")
        await reach(pilot, "choose")
        await settled(pilot)
        return app.export_screenshot(title="rdna1-setup --demo", simplify=True), screen_text(app)


if __name__ == "__main__":
    picture, _ = asyncio.run(drawn())
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(picture, "utf-8")
