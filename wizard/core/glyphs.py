"""What a terminal can show: ASCII in place of our glyphs where its locale knows no more."""

from __future__ import annotations

import codecs
from collections.abc import Mapping

_ASCII = str.maketrans(
    {
        "─": "-", "│": "|", "┌": "+", "┐": "+", "└": "+", "┘": "+", "━": "-", "╸": "-", "╺": "-",
        "╭": "+", "╮": "+", "╰": "+", "╯": "+", "▸": "+", "▾": "-",
        "✓": "*", "✗": "x", "·": "-", "…": "~", "█": "#", "░": ".", "•": "*",
        "↑": "^", "↓": "v", "←": "<", "→": ">", "⏎": "=", "“": '"', "”": '"',
        "\N{RIGHT SINGLE QUOTATION MARK}": "'", "\N{EN DASH}": "-",
        **dict.fromkeys("▁▂▃▄▅▆▇▉▊▋▌▍▎▏▔▕▐▀", " "),
    }
)  # fmt: skip
CONSOLE = "─│┌┐└┘·█░"
"""Of our glyphs, those that the fonts of the kernel's own console hold (code page 437)."""
_CONSOLE = {glyph: text for glyph, text in _ASCII.items() if chr(glyph) not in CONSOLE}
BY_NUMBER = "rdna1-glyphs"
"""Name of the way to write what an encoding lacks: our glyphs in ASCII, the rest by number."""


def to_ascii(text: str) -> str:
    """The text in ASCII, cell for cell where it is ours; foreign letters become ``?``."""
    return text.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def for_console(text: str) -> str:
    """The text in glyphs that a console font has, cell for cell."""
    return text.translate(_CONSOLE)


def is_console(environ: Mapping[str, str]) -> bool:
    """True on the kernel's own console, whose fonts hold 256 or 512 glyphs."""
    return environ.get("TERM") == "linux"


def speaks_unicode(environ: Mapping[str, str]) -> bool:
    """True unless the locale says that its terminal shows less.

    Python itself says UTF-8 in the C locale too, and may put LC_CTYPE=C.UTF-8 over LANG=C
    (PEP 538 and 540): that is how it writes, not what the terminal can show.
    """
    coerced = environ.get("LC_CTYPE") == "C.UTF-8" and not environ.get("LC_ALL")
    names = ("LC_ALL", "LANG") if coerced else ("LC_ALL", "LC_CTYPE", "LANG")
    named = next((environ[name] for name in names if environ.get(name)), "UTF-8")
    return "utf8" in named.lower().replace("-", "")


def _by_number(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    shown = lacking.translate(_ASCII).encode("ascii", "backslashreplace").decode("ascii")
    return shown, error.end


codecs.register_error(BY_NUMBER, _by_number)
