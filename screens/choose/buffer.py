"""How large the buffer of the GEMM algorithm is for a layer that the user has in mind."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from screens.clicks import key_line
from screens.widgets.cut_marks import PathInput
from wizard.conv2d.words.layer_lines import WrongLine, parse_line
from wizard.report.im2col import buffer_lines
from wizard.run.lines import clean

FIRST = "64 128 3 56x56"
ASKS = "A layer: channels in, channels out, kernel, height x width; then batch N, float16 ..."
WIDTH = 72


class Buffer(ModalScreen[None]):
    """A field for a layer, and below it the reckoning, which follows each key."""

    DEFAULT_CSS = """
    Buffer .dialog { height: auto; }
    Buffer #buffer-layer { margin: 1 0; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,enter", "close", "Close")]
    AUTO_FOCUS = "#buffer-layer"

    def compose(self) -> ComposeResult:
        """What is asked, the field, what follows from it."""
        with Vertical(classes="dialog") as dialog:
            dialog.border_title = Content("Buffer of the GEMM algorithm")
            dialog.border_subtitle = key_line(("Esc closes", "screen.close"))
            yield Static(ASKS, markup=False)
            yield PathInput(FIRST, id="buffer-layer", compact=True, select_on_focus=False)
            yield Static(_answer(FIRST), id="buffer-answer", markup=False)

    def on_input_changed(self, event: Input.Changed) -> None:
        """Reckons again."""
        event.stop()
        self.query_one("#buffer-answer", Static).update(_answer(event.value))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Closes: all is shown already."""
        event.stop()
        self.action_close()

    def action_close(self) -> None:
        """Goes back."""
        self.dismiss(None)


def _answer(text: str) -> Content:
    try:
        shape = parse_line(text).shape
    except WrongLine as wrong:
        return Content(clean(f"Not a layer yet: {wrong}"))
    return Content("\n".join(buffer_lines(shape, WIDTH)))
