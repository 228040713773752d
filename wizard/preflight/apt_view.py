"""apt as it will be after the steps of a plan, in a folder of the user's: it changes nothing.

Links to the lists that the system has, copies of its sources and pins as the plan leaves them, and
dpkg's list without what the plan removes. So the user's own apt can say what root's will do.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from wizard.apt.indexes import qualified
from wizard.apt.packages import without_architecture
from wizard.apt.sources import KEYRING, SOURCE, paragraphs
from wizard.plan.root_steps import AptChange, SetSystemPathAside, WriteSystemFile
from wizard.plan.steps import Step

APT = "/etc/apt"
LISTS = "/var/lib/apt/lists"
STATUS = "/var/lib/dpkg/status"
SETTINGS = {"sources.list.d": (".list", ".sources"), "preferences.d": ("", ".pref")}
"""Folders that are copied, and the endings of names that apt reads in them."""
CHANGE = (
    "-y",
    "--no-install-recommends",
    "--allow-downgrades",
    "-o",
    "APT::Get::AutomaticRemove=false",
    "-o",
    "APT::Get::AllowUnauthenticated=false",
    "-o",
    "APT::Install-Suggests=false",
)
"""As the root helper calls apt-get: another option might lead to another transaction."""


@dataclass(frozen=True, slots=True)
class AptView:
    """A folder in which such a view lies."""

    folder: Path

    @property
    def options(self) -> tuple[str, ...]:
        """What makes an apt program look at it."""
        pairs = (
            ("Dir::Etc::sourcelist", self.folder / "sources.list"),
            ("Dir::Etc::sourceparts", self.folder / "sources.list.d"),
            ("Dir::Etc::preferences", self.folder / "preferences"),
            ("Dir::Etc::preferencesparts", self.folder / "preferences.d"),
            ("Dir::State::lists", self.folder / "lists"),
            ("Dir::State::status", self.folder / "status"),
            ("Dir::Cache", self.folder / "cache"),
            ("Dir::Log::Planner", "/dev/null"),
            ("Debug::NoLocking", "1"),  # the user may not lock what is root's
            ("APT::Sandbox::User", "root"),  # in a container: _apt may not enter this folder
            ("APT::Get::List-Cleanup", "0"),  # else the links to all other lists would go
        )
        return tuple(word for name, value in pairs for word in ("-o", f"{name}={value}"))

    def update(self, source: str = SOURCE) -> tuple[str, ...]:
        """Fetches the lists of one source, and of no other."""
        return (*self._only(source.rpartition("/")[2]), "update")

    def _only(self, name: str) -> tuple[str, ...]:
        source = self.folder / "sources.list.d" / name
        return (
            "apt-get",
            *self.options,
            "-o",
            f"Dir::Etc::sourcelist={source}",
            "-o",
            "Dir::Etc::sourceparts=/dev/null",
            "-o",
            "APT::Update::Error-Mode=any",  # else it ends with 0 without a network
        )

    def simulation(self, change: AptChange) -> tuple[str, ...]:
        """The transaction of a step, simulated with the helper's own words."""
        return (
            "apt-get",
            "-s",
            *self.options,
            *CHANGE,
            "-o",
            f"APT::Get::Purge={'true' if change.purge else 'false'}",
            "install",
            *(f"{name}={version}" if version else name for name, version in change.install),
            *(deb.path for deb in change.debs),
            *(f"{name}-" for name in change.remove),
        )


def make_view(folder: Path, steps: Iterable[Step], root: Path = Path("/")) -> AptView:
    """The view after these steps; ``root`` is where the system's own folders lie.

    Lists that were fetched into it before stay.
    """
    for name in ("sources.list.d", "preferences.d"):
        shutil.rmtree(folder / name, ignore_errors=True)
        (folder / name).mkdir(parents=True)
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    _link_lists(folder / "lists", root / LISTS.lstrip("/"))
    done = tuple(steps)
    ours = any(isinstance(step, WriteSystemFile) and step.path == KEYRING for step in done)
    for path, content in _settings(root, done).items():
        shown = content.replace(KEYRING, f"{folder}/key.asc") if ours else content
        _write(folder / path.removeprefix(f"{APT}/"), shown)
    _write(folder / "status", _status(root, done))
    return AptView(folder)


def _link_lists(folder: Path, lists: Path) -> None:
    for path in folder.iterdir():
        if path.is_symlink():
            path.unlink()
    for path in _files(lists):
        if path.name != "lock" and not (folder / path.name).exists():
            (folder / path.name).symlink_to(path)


def _settings(root: Path, steps: tuple[Step, ...]) -> dict[str, str]:
    """Path and content of each of apt's settings as the steps leave them."""
    found = dict(_settings_now(root))
    for step in steps:
        match step:
            case WriteSystemFile(path=path, content=content) if path == KEYRING:
                found[f"{APT}/key.asc"] = content
            case WriteSystemFile(path=path, content=content) if path.startswith(f"{APT}/"):
                found[path] = content
            case SetSystemPathAside(path=path):
                found.pop(path, None)
            case _:
                pass
    return found


def _settings_now(root: Path) -> Iterator[tuple[str, str]]:
    below = root / APT.lstrip("/")
    for name in ("sources.list", "preferences"):
        if (below / name).is_file():
            yield f"{APT}/{name}", _text(below / name)
    for folder, endings in SETTINGS.items():
        for path in _files(below / folder):
            if path.suffix in endings:
                yield f"{APT}/{folder}/{path.name}", _text(path)


def status_of(root: Path) -> str:
    """dpkg's list of a system."""
    return _text(root / STATUS.lstrip("/"))


def _status(root: Path, steps: tuple[Step, ...]) -> str:
    """dpkg's list without the packages that the steps remove."""
    text = status_of(root)
    gone = {name for step in steps if isinstance(step, AptChange) for name in step.expect_remove}
    if not gone:
        return text
    heads = tuple(f"Package: {without_architecture(name)}\n" for name in gone)
    kept = (
        stanza
        for stanza in text.split("\n\n")
        if not stanza.lstrip("\n").startswith(heads)
        or any(qualified(fields) not in gone for _, fields in paragraphs(stanza))
    )
    return "\n\n".join(kept)


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.is_file())
    except OSError:
        return []


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode("utf-8", "surrogateescape"))
