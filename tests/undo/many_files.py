"""A run that filled a new environment with very many files."""

from __future__ import annotations

from pathlib import Path

from tests.run.places import places_below, plan_of
from wizard.host.files import listing
from wizard.operations.write_file import WriteFile
from wizard.run.journal import Journal, Owned

FILES = 20_000
IN_ONE_FOLDER = 50
RUN = "20260101-000000-aaaaaa"


def run_with_many_files(home: Path, files: int = FILES) -> Path:
    """Sources and their byte code, half and half, noted as that run's; gives the environment."""
    venv = home / "venv"
    for number in range(files // (2 * IN_ONE_FOLDER)):
        folder = venv / "lib/python3.10/site-packages" / f"big{number % 10}" / f"part{number}"
        compiled = folder / "__pycache__"
        compiled.mkdir(parents=True)
        for name in range(IN_ONE_FOLDER):
            (folder / f"m{name}.py").write_text("x = 1\n")
            (compiled / f"m{name}.cpython-310.pyc").write_text("code")
    settings = venv / "pip.conf"
    settings.write_text("[install]\n")
    journal = Journal(Path(places_below(home).runs) / RUN)
    journal.folder.parent.mkdir(parents=True)
    step = WriteFile("why", str(settings.parent), str(settings), "[install]\n", 0o644)
    journal.begin(plan_of(home, step), "2026-01-01T00:00:00+00:00")
    folders = [str(venv), *map(str, venv.parents)]
    journal.intend(1, {"before": [], "folders_before": [], "made_folders": folders[:1]})
    Owned(journal.folder).add(listing(venv).files)
    journal.finish(1, "written")
    return venv
