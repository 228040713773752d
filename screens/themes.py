"""The program's own colours, dark and light, for many colours and for sixteen; which fit where.

The themes of sixteen colours name these by the values that Rich's palette gives them, so that
each is met exactly. Textual's own ``ansi`` themes would leave ``NO_COLOR`` black on black.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

DARK, LIGHT = "rdna1-dark", "rdna1-light"
DARK_16, LIGHT_16 = "rdna1-dark-16", "rdna1-light-16"
TITLES = {
    DARK: "dark",
    LIGHT: "light",
    DARK_16: "dark, in 16 colors",
    LIGHT_16: "light, in 16 colors",
}
LIGHT_BACKGROUNDS = ("7", "15")
"""White and bright white, as ``COLORFGBG`` counts."""
MANY_COLOURS = ("256color", "direct", "kitty", "alacritty", "ghostty", "foot", "wezterm")
"""Ends of ``TERM`` that promise more than sixteen."""


def theme_for(environ: Mapping[str, str]) -> str:
    """The name of the theme that fits a terminal; ``TEXTUAL_THEME`` names another one."""
    if named := environ.get("TEXTUAL_THEME"):
        return named
    light = environ.get("COLORFGBG", "").split(";")[-1] in LIGHT_BACKGROUNDS
    # Without colours all themes come down to greys: sixteen would leave red dimmer than plain text.
    if has_many_colours(environ) or environ.get("NO_COLOR"):
        return LIGHT if light else DARK
    return LIGHT_16 if light else DARK_16


def has_many_colours(environ: Mapping[str, str]) -> bool:
    """True where more than sixteen can be shown: Textual then sends them."""
    if environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return True
    return environ.get("TERM", "").strip().lower().endswith(MANY_COLOURS)


def _theme(
    name: str, *, dark: bool, grounds: tuple[str, str, str], texts: Mapping[str, str]
) -> Theme:
    """A theme of three grounds, and of texts that are readable on each of them."""
    background, surface, panel = grounds
    primary, muted, foreground = texts["primary"], texts["muted"], texts["foreground"]
    named = {f"text-{kind}": texts[kind] for kind in ("primary", "success", "warning", "error")}
    return Theme(
        name,
        primary=primary,
        secondary=primary,
        accent=texts["accent"],
        success=texts["success"],
        warning=texts["warning"],
        error=texts["error"],
        foreground=foreground,
        background=background,
        surface=surface,
        panel=panel,
        dark=dark,
        variables={
            **named,
            "text": foreground,
            "text-muted": muted,
            "text-disabled": muted,
            "text-accent": texts["accent"],
            "text-secondary": primary,
            "foreground-muted": muted,
            "block-cursor-background": texts["cursor"],
            "block-cursor-foreground": texts["on cursor"],
            "block-cursor-blurred-background": panel,
            "block-cursor-blurred-foreground": foreground,
            "block-hover-background": panel,
            "footer-key-foreground": texts.get("key", texts["accent"]),
            "input-selection-background": texts["cursor"],
            "input-selection-foreground": texts["on cursor"],
            "screen-selection-background": texts["cursor"],
            "screen-selection-foreground": texts["on cursor"],
            "scrollbar": texts["mark"],
            "scrollbar-hover": primary,
            "scrollbar-active": primary,
            "scrollbar-background": background,
            "scrollbar-background-hover": background,
            "scrollbar-background-active": background,
        },
    )


THEMES = (
    _theme(
        DARK,
        dark=True,
        grounds=("#16181b", "#1d2024", "#2a2f36"),
        texts={
            "foreground": "#e3e7ec",
            "muted": "#a7b1bd",
            "primary": "#6cb6ff",
            "accent": "#f0a35e",
            "success": "#7ee2a8",
            "warning": "#ffdb66",
            "error": "#ff8a8a",
            "cursor": "#32435c",
            "on cursor": "#ffffff",
            "mark": "#7d8a99",
        },
    ),
    _theme(
        LIGHT,
        dark=False,
        grounds=("#fbfbfa", "#f1f3f5", "#e1e6eb"),
        texts={
            "foreground": "#1b2128",
            "muted": "#4d5763",
            "primary": "#0b57a4",
            "accent": "#8f4700",
            "success": "#0a5f38",
            "warning": "#6f5400",
            "error": "#a31621",
            "cursor": "#c7dcf5",
            "on cursor": "#10151b",
            "mark": "#6b7785",
        },
    ),
    _theme(
        DARK_16,
        dark=True,
        grounds=("#000000", "#000000", "#0000aa"),
        texts={
            "foreground": "#ffffff",
            "muted": "#aaaaaa",
            "primary": "#55ffff",
            "accent": "#ff55ff",
            "success": "#55ff55",
            "warning": "#ffff55",
            "error": "#ff5555",
            "cursor": "#aaaaaa",
            "on cursor": "#000000",
            "mark": "#aaaaaa",
        },
    ),
    _theme(
        LIGHT_16,
        dark=False,
        grounds=("#ffffff", "#ffffff", "#aaaaaa"),
        texts={
            "foreground": "#000000",
            "muted": "#000000",
            "primary": "#0000aa",
            "accent": "#aa00aa",
            "key": "#000000",
            "success": "#0000aa",
            "warning": "#aa5500",
            "error": "#aa0000",
            "cursor": "#0000aa",
            "on cursor": "#ffffff",
            "mark": "#0000aa",
        },
    ),
)
