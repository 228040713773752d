"""Why there is no such plan."""

from __future__ import annotations


class PlanImpossible(ValueError):
    """There is no such plan; the text says why and what would fix it."""


class NothingToDo(PlanImpossible):
    """There is nothing that such a plan would change; the text says what was looked for."""
