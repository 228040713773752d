"""What a record keeps of apt's own files."""

from __future__ import annotations

from collections.abc import Iterator

from wizard.apt.sources import (
    AMD_WORDS,
    INLINE_KEY,
    KEY_ID,
    ORIGIN,
    AptSource,
    deb822_entries,
    holds_amds_key,
    line_entries,
    paragraphs,
)


def source_lines(text: str) -> str:
    """The entries of a ``.list`` file, each on its line; logins go with the disguise."""
    rows = {entry.line: _line(entry) for entry in line_entries(text)}
    return "".join(f"{rows.get(number, '')}\n" for number in range(1, max(rows, default=0) + 1))


def source_paragraphs(text: str) -> str:
    """The entries of a ``.sources`` file, each beginning on its line."""
    kept: list[str] = []
    for entry in deb822_entries(text):
        kept += [""] * (entry.line - 1 - len(kept))
        kept += [*_fields(entry), ""]
    return "".join(f"{line}\n" for line in kept)


def pins(text: str) -> str:
    """Pins that bear on AMD's packages."""
    wanted = (
        {name: " ".join(fields.get(name, "").split())[:80] for name in PIN_FIELDS}
        for _, fields in paragraphs(text)
    )
    return "".join(
        "".join(f"{name.title()}: {value}\n" for name, value in fields.items()) + "\n"
        for fields in wanted
        if AMD_WORDS.search(fields["pin"]) or AMD_WORDS.search(fields["package"])
    )


PIN_FIELDS = ("package", "pin", "pin-priority")


def release_head(head: bytes) -> bytes:
    """Whether a Release file is AMD's."""
    names = (f"Origin: {ORIGIN}", f"Label: {ORIGIN}")
    text = head.decode("utf-8", "replace")
    return "".join(f"{line}\n" for line in text.splitlines() if line.strip() in names).encode()


def key(head: bytes) -> bytes:
    """Whether a key file holds AMD's key: the end of its fingerprint, or nothing."""
    return KEY_ID if holds_amds_key(head) else b""


def _line(entry: AptSource) -> str:
    signed = f"[signed-by={entry.signed_by}] " if entry.signed_by else ""
    words = (*entry.uris, *entry.suites, *entry.components)
    return f"{entry.types[0]} {signed}{' '.join(words)}"


def _fields(entry: AptSource) -> Iterator[str]:
    yield f"Types: {' '.join(entry.types)}"
    yield f"URIs: {' '.join(entry.uris)}"
    yield f"Suites: {' '.join(entry.suites)}"
    if entry.components:
        yield f"Components: {' '.join(entry.components)}"
    if entry.signed_by:
        inline = entry.signed_by == INLINE_KEY
        yield f"Signed-By: {'BEGIN PGP' if inline else entry.signed_by}"
    if not entry.enabled:
        yield "Enabled: no"
