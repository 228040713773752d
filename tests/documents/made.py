"""What is made from the program: man page, completions, SCREENS.md, the graph in ARCHITECTURE.md.

``python -m tests.documents.made`` writes them; ``test_made.py`` holds that they fit the program.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

from argparse_manpage.manpage import Manpage

from tests.documents.completions import SHELLS, completion
from tests.documents.import_graph import graph_lines
from tests.documents.screen_pages import pages
from wizard import __version__
from wizard.cli.options import parser

ROOT = Path(__file__).parents[2]
ARCHITECTURE = ROOT / "ARCHITECTURE.md"
BEGIN, END = "<!-- graph -->\n```\n", "```\n<!-- end of graph -->"
MANUAL = Path(__file__).with_name("manual.roff")
"""The man page's sections on what no option can say; a hyphen in it is one to be copied."""


def made() -> Iterator[tuple[Path, str]]:
    """Each file, and what must stand in it."""
    yield ROOT / "assets" / "man" / "rdna1-setup.1", man_page()
    for shell in SHELLS:
        path = ROOT / "assets" / "completions" / f"rdna1-setup.{shell}"
        yield path, completion(shell)
    yield ROOT / "SCREENS.md", "\n".join(pages()).rstrip("\n") + "\n"
    yield ARCHITECTURE, with_graph(ARCHITECTURE.read_text("utf-8"))


def man_page() -> str:
    """The man page in roff, the same on every terminal and every day."""
    data = {
        "project_name": "rdna1-setup",
        "version": __version__,
        "manual_title": "User Commands",
        "date": " ",
    }
    command_line = parser()
    command_line.man_short_description = command_line.description  # type: ignore[attr-defined]
    with patch.dict(os.environ, COLUMNS="100"):
        page = str(Manpage(command_line, data)) + MANUAL.read_text("utf-8").replace("-", r"\-")
    return "\n".join(line.rstrip() for line in page.splitlines()) + "\n"


def with_graph(text: str) -> str:
    """The page with the graph as it is now."""
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}{chr(10).join(graph_lines())}\n{END}{after}"


if __name__ == "__main__":
    for path, text in made():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
