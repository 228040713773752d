"""``report --folder DIR``: show what would leave this machine, then write it into a new folder."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.commands.looking import agreed, host_of, places_of

if TYPE_CHECKING:
    from wizard.core.fact import Fact
    from wizard.host.host import Host
    from wizard.report.bundle import Papers
    from wizard.report.sources import Gathered

TOUCHES = (
    "Running PyTorch's collect_env, which loads torch and reads the card's name. It will be "
    "stopped if it takes longer than 90 "
    "s."
)
NO_YES = (
    "rdna1-setup: nothing was written, because there is no terminal in which to prompt you. Read "
    "the text above, then run the command again with "
    "--yes."
)


def run(arguments: argparse.Namespace) -> int:
    """Show the preview, ask, write; 1 when it was not written, 2 when it cannot be."""
    from wizard.core.trouble import Trouble
    from wizard.report.bundle import require_new, write_folder

    folder = Path(arguments.folder).expanduser().absolute()
    try:
        require_new(folder, zipped=arguments.zip)
        papers = _papers(arguments)
        _show(papers, folder, arguments.zip)
        if arguments.dry_run:
            print("\nA dry run writes nothing. The report would contain:")
            return 0
        if not arguments.yes and not agreed("\nWrite it?"):
            print(NO_YES if not sys.stdin.isatty() else "Nothing was written.", file=sys.stderr)
            return 1
        written = write_folder(papers, folder, zipped=arguments.zip)
    except Trouble as trouble:
        for text in (trouble.happened, trouble.meaning, trouble.next_step):
            print(f"rdna1-setup: {text}", file=sys.stderr)
        return 2
    print(
        f"\nThe report was written to {' and '.join(map(str, written))}. Read it before you "
        "attach it."
    )
    return 0


def _papers(arguments: argparse.Namespace) -> Papers:
    from wizard.report.bundle import papers_of
    from wizard.report.sources import gather

    host = host_of(arguments)
    gathered = gather(host, places_of(host))
    return papers_of(gathered, _collected(arguments, host, gathered))


def _collected(arguments: argparse.Namespace, host: Host, gathered: Gathered) -> Fact[str] | None:
    from wizard.core.fact import Unknown
    from wizard.report.sources import collect_env, environment_for

    if arguments.collect_env is None:
        return None
    if host.name or arguments.dry_run:
        return Unknown("a machine recording and a dry run start nothing")
    print(TOUCHES, file=sys.stderr)
    environment = environment_for(arguments.collect_env, gathered.machine, gathered.records)
    return collect_env(environment, host.environ)


def _show(papers: Papers, folder: Path, zipped: bool) -> None:
    from wizard.core.lines import clean
    from wizard.report.bundle import preview_lines

    also = ", and to one .zip file of the same name" if zipped else ""
    print(f"These files would be written to {clean(str(folder))}{also}, for you to attach:\n")
    print("\n".join(preview_lines(papers)))
