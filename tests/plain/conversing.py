"""A conversation in memory: answers go in, the transcript comes out."""

from __future__ import annotations

import io

from wizard.cli.questions import Asker


class Conversation:
    """An asker over answers that are all there before."""

    def __init__(self, *answers: str) -> None:
        self.told: list[str] = []
        self.ask = Asker(io.StringIO("".join(f"{answer}\n" for answer in answers)), self._say)

    def _say(self, *texts: str) -> None:
        self.told.extend(texts)

    @property
    def text(self) -> str:
        """All that was said."""
        return "\n".join(self.told)
