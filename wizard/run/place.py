"""Whether there is a place for a new folder: tried, for only the file system itself knows."""

from __future__ import annotations

import os
from pathlib import Path

from wizard.run.lines import clean
from wizard.run.trouble import Trouble


def require_place(folder: Path) -> None:
    """Raise Trouble unless files can be put there; leaves nothing behind."""
    missing = [path for path in (folder, *folder.parents) if not os.path.lexists(path)]
    tried = missing[-1] if missing else folder / ".rdna1-setup-tries"
    try:
        tried.mkdir()
        tried.rmdir()
    except OSError as error:
        raise Trouble(
            f"No folder can be made at {clean(str(folder))}: {error.strerror or error}.",
            "What is above it takes no files of yours: it belongs to somebody else, is read-only "
            "or full, is a file, or is the kernel's own, such as /proc.",
            "Choose a folder of your own with --venv DIR.",
        ) from None
