"""Data, and the scripts that run elsewhere."""

from pathlib import Path

FOLDER = Path(__file__).parent
"""Where the files of this package lie."""
