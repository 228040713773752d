"""The first line of a screen: its conclusion, and a second sentence where it needs one."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from screens.words import STATUS_STYLES, shown
from wizard.diagnose.finding import Status


class Conclusion(Static):
    """One plain sentence that answers the question of its screen, marked by how things stand."""

    DEFAULT_CSS = """
    Conclusion {
        height: auto;
        max-width: 104;
        padding: 0 2;
        margin: 1 0 0 0;
        &.-silent { display: none; }
    }
    """

    def __init__(self) -> None:
        super().__init__(markup=False, id="conclusion", classes="-silent")
        self.says = ""
        """Both sentences, without their marks."""

    def tell(
        self,
        text: str,
        status: Status | None = None,
        second: str = "",
        second_status: Status | None = None,
    ) -> None:
        """Shows these sentences from now on; ``""`` gives the lines to the rest of the screen."""
        self.says = f"{shown(text)} {shown(second)}".strip()
        self.set_class(not self.says, "-silent")
        first = _sentence(text, status, bold=True)
        rest = (_sentence(second, second_status),) if second else ()
        self.update(Content("\n").join((first, *rest)))


def _sentence(text: str, status: Status | None, *, bold: bool = False) -> Content:
    mark = "" if status is None else f"{status.mark} "
    style = "" if status is None else STATUS_STYLES[status]
    return Content.assemble((mark, style), (shown(text), "bold" if bold else ""))
