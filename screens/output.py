"""The last gate before the terminal: no control character, and ASCII where the locale asks."""

from __future__ import annotations

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from wizard.core.glyphs import for_console, to_ascii
from wizard.core.lines import clean


class SafeOutput(LineFilter):
    """Removes what a terminal would act upon, whatever widget let it through."""

    def __init__(self, ascii_only: bool, console: bool = False) -> None:
        super().__init__()
        self.ascii_only = ascii_only
        self.console = console

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """The segments with safe text."""
        return [self._safe(segment) for segment in segments]

    def _safe(self, segment: Segment) -> Segment:
        text = segment.text
        if not text.isprintable():
            text = clean(text).replace("\n", " ")
        if self.ascii_only and not text.isascii():
            text = to_ascii(text)
        elif self.console and not text.isascii():
            text = for_console(text)
        return segment if text is segment.text else Segment(text, segment.style, segment.control)
