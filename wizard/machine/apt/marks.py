"""Reads which packages apt holds for mere dependencies."""

from __future__ import annotations

from wizard.machine.apt.entries import paragraphs

STATES = "/var/lib/apt/extended_states"


def automatic(text: str) -> frozenset[str]:
    """Names in apt's ``extended_states`` that were installed because others need them."""
    return frozenset(
        fields["package"].strip()
        for _, fields in paragraphs(text)
        if fields.get("auto-installed", "").strip() == "1" and "package" in fields
    )
