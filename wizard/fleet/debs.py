"""A copy of the part of AMD's archive that a release takes, signed as it was: apt checks it there.

Nothing is believed here but for the hashes on the way; the machine's apt holds InRelease against
the key whose fingerprint the plan there names.
"""

from __future__ import annotations

import asyncio
import bz2
import gzip
import lzma
import shutil
import zlib
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from wizard.credentials import redact
from wizard.fleet.archive_index import Named, Package, Taken, indexes_in, packages_in, taken_by
from wizard.fleet.chosen import Sources
from wizard.fleet.target import Target
from wizard.knowledge.releases import Release, load_catalogue, repository_at
from wizard.plan.system import suites_to_ask
from wizard.preflight.refusal import Refused
from wizard.preflight.repository import fetch_key, find_suite
from wizard.preflight.web_files import content_at
from wizard.run.acting import Act, Done, Stopped, Surroundings
from wizard.run.downloads.download import Patience, Wanted, download, wrong_hash
from wizard.run.downloads.partial import Staged, digest
from wizard.run.downloads.receive import Reached
from wizard.run.downloads.space import require
from wizard.run.downloads.web import Web, open_web
from wizard.run.events import Output, Progress
from wizard.run.lines import clean
from wizard.run.stoppable import pause
from wizard.run.trouble import Trouble
from wizard.run.whole_file import write_whole

KEY = "rocm.gpg.key"
LONGEST = 16 << 20
OPENERS: dict[str, Callable[[bytes], bytes]] = {
    ".gz": gzip.decompress,
    ".xz": lzma.decompress,
    ".bz2": bz2.decompress,
    "": bytes,
}
DAMAGED = (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error)
"""What the openers raise for what they cannot open."""
ELSEWHERE = "from-the-distribution.txt"
SIGNED = b"-----END PGP SIGNATURE-----"


async def copy_archive(
    target: Target, sources: Sources, folder: Path, now: datetime, around: Surroundings
) -> Act:
    """Suite, indexes, key and packages of the target's release. Raises Trouble."""
    catalogue = load_catalogue()
    entry = catalogue.releases[target.system_release]
    repository = repository_at(catalogue, sources.rocm_repo, sources.rocm_key_fingerprint)
    web = open_web(around.environ)
    suites = suites_to_ask(catalogue, entry, target.glibc)
    try:
        key = await fetch_key(web, repository, now)
        suite = await find_suite(web, repository, entry, suites)
    except Refused as refused:
        told = refused.refusal
        raise Trouble(told.happened, told.meaning, told.next_step) from None
    place = f"{repository.address}/{entry.directory}"
    release = await content_at(web, f"{place}/dists/{suite}/InRelease", LONGEST) or b""
    if SIGNED not in release:
        raise _not_whole(f"{place}/dists/{suite}/InRelease", "the signature at its end is missing")
    copied = _copied(place, suite, release.decode("utf-8", "replace"), target, folder, web, around)
    while (news := await asyncio.to_thread(next, copied, None)) is not None:
        yield news
    if around.cancelled():
        raise Stopped
    # Last: an archive without its InRelease is none.
    write_whole(folder / KEY, key)
    below = folder / entry.directory / "dists" / suite
    await asyncio.to_thread(_write_bytes, below / "InRelease", release)
    yield Done(f"{repository.address}, suite {suite}: {_count(folder)} packages and their indexes")


def release_of(target: Target) -> Release:
    """The release that comes with the folder."""
    return load_catalogue().releases[target.system_release]


def _copied(
    place: str,
    suite: str,
    release: str,
    target: Target,
    folder: Path,
    web: Web,
    around: Surroundings,
) -> Iterator[Progress | Output]:
    entry = release_of(target)
    below = folder / entry.directory
    packages: list[Package] = []
    indexes = indexes_in(release)
    for index in indexes:
        named = Named(f"dists/{suite}/{index.path}", index.sha256)
        yield from _one(place, named, below, web, around)
        if around.cancelled():
            return
    for path in sorted({(below / f"dists/{suite}" / i.path).with_suffix("") for i in indexes}):
        packages += packages_in(_text_of(path))
    if not packages:
        raise _not_whole(f"{place}/dists/{suite}", "no package that it names could be understood")
    taken = taken_by(entry.sets[target.system_set], packages)
    require(sum(_missing(package.file, below) for package in taken.packages), folder)
    for package in taken.packages:
        yield from _one(place, package.file, below, web, around)
        if around.cancelled():
            return
    yield from _told(taken, folder)


def _not_whole(address: str, why: str) -> Trouble:
    return Trouble(
        f"{redact(clean(address))} is damaged or cut off: {why}.",
        "It is no whole copy of AMD's archive, and apt on the machines would take nothing of it.",
        "Run the same command again; if it happens twice, name another copy with --rocm-repo.",
    )


def _missing(file: Named, below: Path) -> int:
    """Bytes of it that still have to be written, as far as the index tells."""
    path = below / file.path
    return 0 if path.is_file() else max(0, file.size - Staged(path).usable(file.sha256))


def _told(taken: Taken, folder: Path) -> Iterator[Output]:
    write_whole(folder / ELSEWHERE, "".join(f"{name}\n" for name in taken.elsewhere))
    if taken.elsewhere:
        names = ", ".join(taken.elsewhere)
        yield Output(
            (
                f"Not in this archive, and so of the distribution: {names}.",
                "Machines that lack one of them need their distribution's own archive or a copy.",
            )
        )


def _one(
    place: str, named: Named, below: Path, web: Web, around: Surroundings
) -> Iterator[Progress | Output]:
    path, address = below / named.path, f"{place}/{quote(named.path)}"
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_file() and digest(path, around.cancelled) == named.sha256:
        return
    parts = urlsplit(address)
    if parts.scheme == "file":
        _copy(Path(unquote(parts.path)), path, named.sha256, around)
        return
    patience = Patience(around.cancelled, partial(pause, around.cancelled))
    for news in download(Wanted(address, path, named.sha256), web, patience):
        match news:
            case Reached(done, size):
                yield Progress(done, size or 0, "bytes", path.name, None)
            case Output():
                yield news


def _copy(source: Path, path: Path, sha256: str, around: Surroundings) -> None:
    draft = path.with_name(f".{path.name}.rdna1-setup")
    try:
        shutil.copyfile(source, draft)
    except FileNotFoundError:
        raise Trouble(
            f"{source} is not there.",
            "The archive's index names it, so that this copy of the archive is not whole.",
            "Copy the archive once more, or name another one with --rocm-repo.",
        ) from None
    found = digest(draft, around.cancelled)
    if found not in ("", sha256):
        draft.unlink()
        raise wrong_hash(path.name, sha256, found)
    if found:
        draft.replace(path)


def _text_of(path: Path) -> str:
    """An index in whichever form it came; of several the first serves."""
    for ending, opened in OPENERS.items():
        form = path.with_name(f"{path.name}{ending}")
        if form.is_file():
            try:
                return opened(form.read_bytes()).decode("utf-8", "replace")
            except DAMAGED as error:
                raise _not_whole(form.name, clean(str(error))) from None
    return ""


def _write_bytes(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.rdna1-setup")
    draft.write_bytes(content)
    draft.replace(path)


def _count(folder: Path) -> int:
    return sum(1 for _ in folder.rglob("*.deb"))
