"""Undoing a run: what it would do, doing it, and what of the user's own stays."""
