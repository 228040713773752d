"""Choose versions: uv decides on every version and address, and fetches no wheel."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import re
import shlex
import zipfile
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from http.client import HTTPException
from io import BytesIO
from pathlib import Path
from urllib.error import HTTPError

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from wizard.core.amounts import counted, listed
from wizard.core.credentials import redact
from wizard.core.events import Output
from wizard.core.trouble import Trouble
from wizard.host.distributions import conflicts, limits, read_distributions
from wizard.host.environment import Target, answered, question
from wizard.host.files import Print, has_text, prints
from wizard.host.live import LiveHost
from wizard.host.pip_settings import PipSettings, pip_settings
from wizard.operations.operation import After, Before, Operation
from wizard.operations.uv_project import (
    Manifest,
    Wheelless,
    pages_of,
    project_text,
    read_lock,
    refuses_unknown,
    settings_text,
    variables,
)
from wizard.system.lock import Wheel, read_wheels, write_wheels
from wizard.system.system import News, Stopped, System
from wizard.system.uv import lock, without_settings

AS_CONFIGURED = "pip"
"""The word for "take torch from wherever pip is configured to look"."""
ROUNDS = 10
"""How often a version without a wheel for this machine is struck out before it is given up."""
DEADLINE_S = 900.0
ANSWER_S = 60.0


@dataclass(frozen=True, slots=True)
class Resolve(Operation):
    """Choose the exact versions of packages, with all that they depend on."""

    reason: str
    uv: str
    python: str
    """The interpreter that the packages are for."""
    work: str
    """The folder of work."""
    manifest: Manifest
    venv: str = ""
    """An environment that exists, whose own ``pip.conf`` counts too; ``""`` for a new one."""
    site: str = ""
    """Its site folder."""
    held: tuple[str, ...] = ()
    """``name==version`` of every package in there that stays as it is."""
    leaving: tuple[str, ...] = ()
    """Names of those that go."""
    carried: tuple[tuple[str, str], ...] = ()
    """Names and versions of what another environment was asked to hold: it comes if it fits."""
    told: str = ""
    """A file that tells what of that came in another version, what did not come, and why."""
    deadline_s: float = DEADLINE_S
    """For each call of uv."""

    title = "Choose exact versions"

    @property
    def folder(self) -> str:
        """Where uv's files are."""
        return f"{self.work}/resolve"

    @property
    def lock(self) -> str:
        """Where the chosen wheels are noted."""
        return f"{self.work}/lock.json"

    @property
    def argv(self) -> tuple[str, ...]:
        """The call that chooses."""
        return lock(self.uv, self.python, self.folder)

    def shown(self) -> str:
        """The call, and what the files ask for that it reads."""
        asked = [text.partition(";")[0] for text in self.manifest.requirements]
        told = [f"{', '.join(asked)} {self.manifest.source}"]
        if self.held:
            told.append(f"{counted(len(self.held), 'installed package')} kept as they are")
        if self.carried:
            wanted = ", ".join("==".join(each) for each in self.carried)
            told.append(f"{wanted} as far as they fit; {self.told} lists the differences")
        return redact(f"{shlex.join(self.argv)}  # chooses {'; '.join(told)}")

    def observe(self) -> Before:
        """Of an environment that exists: which folders are made above the downloads."""
        if not self.venv:
            return {}
        return {"made_folders": [str(at) for at in Path(self.work).parents if not at.exists()]}

    async def do(self, system: System, before: Before) -> News:
        """Choose, and note the wheels; nothing is downloaded but what tells of them."""
        here = LiveHost(system.environ)
        alone = self.manifest.wheelhouse  # then nothing of pip's settings counts
        settings = PipSettings() if alone else pip_settings(here, self.venv)
        target = await ask_target(system, self.python)
        if self.venv:
            chosen = self._hold(settings, target, system)
        elif self.carried:
            chosen = self._carry(settings, target, system)
        else:
            chosen = self._choose(self.manifest, settings, target, system)
        async with aclosing(chosen) as news:
            async for lines in news:
                yield lines

    def verify(self, before: Before) -> After:
        """That the wheels are noted."""
        wheels = read_wheels(Path(self.lock))
        come = ", ".join(f"{each.name} {each.version}" for each in wheels)
        if not self.told:
            return After(f"{counted(len(wheels), 'package')}: {come}")
        told = Path(self.told)
        left = {line.split()[0] for line in told.read_text("utf-8").splitlines()}
        same = sum(name not in left for name, _ in self.carried)
        text = (
            f"{same} of {counted(len(self.carried), 'package')} will have the same version "
            f"({self.told} lists the rest): {come}"
        )
        return After(text, prints(told.parent, (told,)))

    def probe(self, before: Before) -> bool:
        """Once the wheels are noted, others might be chosen a second time."""
        return self.holds(before)

    def remains(self, before: Before) -> Mapping[str, Print]:
        """The file that tells of the differences."""
        return prints(Path(self.told).parent, (Path(self.told),)) if self.told else {}

    @property
    def undo(self) -> str:
        """With what it is undone."""
        return f"remove {self.told}" if self.told else "nothing to undo"

    async def _choose(
        self, manifest: Manifest, settings: PipSettings, target: Target, system: System
    ) -> AsyncGenerator[Output, None]:
        stay = frozenset(pin.split("==")[0] for pin in self.held)
        choosing = choose(self, manifest, settings, target, system)
        async with aclosing(choosing) as news:
            async for each in news:
                if isinstance(each, Output):
                    yield each
                else:
                    wheels = (wheel for wheel in each if wheel.name not in stay)
                    write_wheels(Path(self.lock), wheels)

    async def _hold(
        self, settings: PipSettings, target: Target, system: System
    ) -> AsyncGenerator[Output, None]:
        """Choose what gets on with everything that stays."""
        there = read_distributions(LiveHost(system.environ), self.site)
        go = [each for each in there if each.name in self.leaving]
        stay = [each for each in there if each.name not in self.leaving]
        kept = f"{self.folder}/kept"
        system.remove_tree(kept)
        for each in stay:
            if is_version(each.version):
                name, content = metadata_wheel(each.name, each.version)
                system.write_bytes(f"{kept}/{name}", content)
        asked = dict(limits(stay, go, target.python))
        held, said = self.held, ""
        for _ in range(ROUNDS):
            constraints = (*self.manifest.constraints, *held, *asked)
            manifest = replace(self.manifest, constraints=constraints, kept=kept)
            try:
                async with aclosing(self._choose(manifest, settings, target, system)) as news:
                    async for lines in news:
                        yield lines
                break
            except Unsatisfiable as error:
                said += f"{error.said}\n"
                ruled_out = _pins_in(error.said, held)
                if not ruled_out:
                    raise self._held_back(said, asked) or error from None
                # What else is in the way is looked for too: all of it is told at once.
                held = tuple(pin for pin in held if pin not in ruled_out)
        if trouble := self._held_back(said, asked):
            system.remove(self.lock)
            raise trouble
        wheels = {each.name: each.version for each in read_wheels(Path(self.lock))}
        broken = conflicts(stay, go, wheels, target.python)
        broken += tuple(f"{each.name} would be changed" for each in stay if each.name in wheels)
        if broken:
            system.remove(self.lock)
            raise self._kept(f"{'; '.join(broken)}.")

    def _held_back(self, said: str, asked: dict[str, str]) -> Trouble | None:
        """The conflict with packages that stay; None when it is something else."""
        # Of `numpy>=2,<3` uv may name one half alone.
        limits = {limit: who for limit, who in asked.items() if _mentions(said, limit)}
        pins = _pins_in(said, self.held)
        if not (limits or pins):
            return None
        disputed = {Requirement(each).name for each in (*limits, *pins)}
        needs, plan, fits = list(limits.values()), list[str](), list[str]()
        for found in _DEPENDS.finditer(said):
            need = found["need"]
            if _NAMES.findall(need)[0] not in disputed:
                continue
            if found["name"] == "your project":
                plan.append(f"this plan needs {need}")
            else:
                needs.append(f"{found['name']} needs {need}")
                fits += [need] if pins else []
        but = [*dict.fromkeys(plan), *_stay(pins)]
        told = "; ".join(dict.fromkeys(needs))
        return self._kept(", but ".join(filter(None, (told, " and ".join(but)))) + ".", fits)

    def _kept(self, happened: str, fits: Sequence[str] = ()) -> Trouble:
        command = shlex.join((self.python, "-m", "pip", "install", *dict.fromkeys(fits)))
        fix = f"run `{command}`" if fits else "remove or update the conflicting package"
        return Trouble(
            happened,
            f"These packages remain in {self.venv}, and the new ones conflict with them. Nothing "
            "was changed.",
            f"Undo this run (rdna1-setup rollback), then {fix} and start again. Or choose a new "
            "folder with --venv.",
        )

    async def _carry(
        self, settings: PipSettings, target: Target, system: System
    ) -> AsyncGenerator[Output, None]:
        """Choose; what has no version that fits is asked for without its number, then left out."""
        wanted = {name: f"{name}=={version}" for name, version in self.carried}
        differs: dict[str, str] = {}
        while True:
            if system.cancelled():
                raise Stopped
            requirements = (*self.manifest.requirements, *wanted.values())
            manifest = replace(self.manifest, requirements=requirements)
            try:
                async with aclosing(self._choose(manifest, settings, target, system)) as news:
                    async for lines in news:
                        yield lines
                break
            except Unsatisfiable as error:
                found = offender(error.said, tuple(wanted))
                if found is None:
                    raise
            name, differs[name] = found
            if wanted[name] == name:
                del wanted[name]
                yield Output((f"{name} is left out: {differs[name]}",))
            else:
                wanted[name] = name
                yield Output((f"{name} gets another version: {differs[name]}",))
        had, wheels = dict(self.carried), read_wheels(Path(self.lock))
        come = {each.name: each.version for each in wheels}
        told = []
        for name, why in sorted(differs.items()):
            now = f"installed as {come[name]}" if name in come else "not installed"
            told.append(f"{name} {had[name]}: {now} ({why})")
        system.write(self.told, "".join(f"{line}\n" for line in told))
        if told:
            yield Output(tuple(told))


_DEPENDS = re.compile(
    r"(?<![^\s(])(?P<name>your project|[A-Za-z0-9][\w.-]*?)(?:\[[^\]]*\])?(?:[=!<>]\S+)? "
    r"depends? on (?!one of)(?P<need>\S*[^\s,:;.])"
)


def _pins_in(said: str, held: Iterable[str]) -> tuple[str, ...]:
    """Those of the packages that stay of which uv speaks."""
    return tuple(pin for pin in held if re.search(rf"\b{re.escape(pin)}(?![\w.+-])", said))


def _stay(pins: Sequence[str]) -> Iterator[str]:
    if pins:
        are = "are" if len(pins) > 1 else "is"
        yield f"{listed(pins)} {are} installed and will be kept"


def _mentions(said: str, limit: str) -> bool:
    """True where uv speaks of this requirement, or of one of its bounds."""
    need = Requirement(limit)
    bounds = {f"{need.name}{need.specifier}", *(f"{need.name}{each}" for each in need.specifier)}
    return any(re.search(rf"(?<![\w.-]){re.escape(each)}(?![\w.+-])", said) for each in bounds)


def is_version(text: str) -> bool:
    """True for what uv takes for a version."""
    try:
        Version(text)
    except InvalidVersion:
        return False
    return True


def metadata_wheel(name: str, version: str) -> tuple[str, bytes]:
    """File name and content of a wheel that holds nothing but a name and a version.

    With it uv knows a version that no index has, such as one that was built on this machine.
    """
    stem = f"{name.replace('-', '_')}-{Version(version)}"
    info, made = f"{stem}.dist-info", BytesIO()
    members = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},{_digest(text)},{len(text)}\n" for path, text in members.items())
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in {**members, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return f"{stem}-py3-none-any.whl", made.getvalue()


def _digest(text: str) -> str:
    found = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256={found.rstrip('=')}"


_REASONS = (
    (r"{} (?:was|were) not found in", "no index has it"),
    (r"there (?:is|are) no versions? of {}", "that version does not exist"),
    (r"{} has no (?:wheels|usable wheels|`)", "it has no wheel for this Python"),
    (r"{} requires Python (?P<more>[^\s,]+)", "it needs Python {}"),
    (r"{} depends? on (?P<more>[^\s,]+)", "it depends on {}, which conflicts with the rest"),
)


def offender(said: str, wanted: tuple[str, ...]) -> tuple[str, str] | None:
    """The wanted package that could not be had, with uv's own reason; None without."""
    for name in wanted:
        package = rf"(?<![\w.-]){re.escape(name)}(?:\[[^\]]*\])?(?:[=!<>]=?[^\s,]+)*"
        for pattern, why in _REASONS:
            if found := re.search(pattern.format(package), said):
                return name, why.format(found.groupdict().get("more", ""))
    names = (str(canonicalize_name(word)) for word in _NAMES.findall(said))
    return next(((name, "the stack excludes it") for name in names if name in wanted), None)


_NAMES = re.compile(r"(?<![\w.-])[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?")


async def ask_target(system: System, python: str) -> Target:
    """What an interpreter says of itself."""
    said: list[str] = []
    environment = without_settings(system.environment())
    async with aclosing(system.run(question(python), environment, ANSWER_S)) as output:
        async for lines in output:
            said += lines.lines
    try:
        return answered(said[-1])
    except (ValueError, LookupError, TypeError):
        raise Trouble(
            f"{python} did not say which Python it is.",
            "Which packages fit cannot be decided without that.",
            f"Run `{python} --version`. If that fails too, choose another Python.",
        ) from None


async def choose(
    step: Resolve, manifest: Manifest, settings: PipSettings, target: Target, system: System
) -> AsyncGenerator[Output | tuple[Wheel, ...], None]:
    """Choose every version; what comes last are the wheels.

    Raises Trouble that says which requirement cannot be met, or who could not be asked.
    """
    struck: list[Wheelless] = []
    for _ in range(ROUNDS):
        without = (f"{each.name}!={each.version}" for each in struck)
        asked = replace(manifest, constraints=(*manifest.constraints, *without))
        try:
            async with aclosing(_lock(step, asked, settings, target, system)) as output:
                async for lines in output:
                    yield lines
        except Unsatisfiable as error:
            if struck:  # the versions without a wheel were the only ones
                raise Unsatisfiable(struck[0].trouble(target), error.said) from None
            raise
        chosen = tuple(read_lock(Path(step.folder), target))
        new = [each for each in chosen if isinstance(each, Wheelless)]
        if not new:
            yield tuple(each for each in chosen if isinstance(each, Wheel))
            return
        struck += new
        yield Output(tuple(f"{each}. Looking for another version." for each in new))
    raise struck[0].trouble(target)


class Unsatisfiable(Trouble):
    """No versions meet all requirements; ``said`` is uv's explanation."""

    def __init__(self, trouble: Trouble, said: str) -> None:
        super().__init__(trouble.happened, trouble.meaning, trouble.next_step)
        self.said = said


async def _lock(
    step: Resolve, manifest: Manifest, settings: PipSettings, target: Target, system: System
) -> AsyncGenerator[Output, None]:
    """One call of uv; raises Unsatisfiable where it found no solution."""
    folder, said = step.folder, list[str]()
    files = {
        "pyproject.toml": project_text(manifest, target, settings),
        "uv.toml": settings_text(manifest, settings),
    }
    for name, text in files.items():
        if not has_text(Path(folder, name), text):  # what is in there was told already
            yield Output((f"{folder}/{name}:", *(f"| {line}" for line in text.splitlines())))
        system.write(f"{folder}/{name}", text)
    system.remove(f"{folder}/uv.lock")  # uv would keep to the versions of an earlier one
    # Refused anywhere, uv looks for logins of its own, and leaves a lock in the user's home.
    apart = {"UV_CREDENTIALS_DIR": f"{folder}/credentials"}
    environment = {**variables(manifest, settings, system.environment()), **apart}
    argv = lock(step.uv, step.python, folder)
    try:
        async with aclosing(system.run(argv, environment, step.deadline_s)) as output:
            async for lines in output:
                said += lines.lines
                yield lines
    except Trouble as trouble:
        text = "\n".join(said)
        if "No solution found" not in text:
            raise
        told = _lacking(manifest, settings, text)
        if told is None and (missing := _MISSING.search(text)):
            pages = pages_of(manifest, settings, missing["name"])
            environ = {**system.environ, **settings.variables}
            told = await asyncio.to_thread(_refused, pages, environ)
        raise Unsatisfiable(told or trouble, text) from None


_MISSING = re.compile(
    r"(?<!\S)(?P<name>[A-Za-z0-9][\w.-]*)(?:[^\s\w.-]\S*)? was not found in the package registry"
)


def _refused(pages: Iterable[str], environ: Mapping[str, str]) -> Trouble | None:
    """That an index does not let anybody in: to uv such a package is one that it does not have."""
    from wizard.system.web import name_failure, open_web  # brings ssl and the network with it

    web = open_web(environ, tuple(pages), stall_s=ANSWER_S / 2)
    for page in pages:
        try:
            web.get(page, {}).close()
        except HTTPError as error:
            error.close()
            if error.code == 401 or (error.code == 403 and not refuses_unknown(page)):
                return name_failure(error, page, environ)
        except (OSError, HTTPException):
            continue  # uv has reached it: this is no cause of what it said
    return None


_LACKS = re.compile(
    r"(?P<wanted>\S+) was not found in the provided|there (?:is|are) no versions? of (?P<none>\S+)"
)


def _lacking(manifest: Manifest, settings: PipSettings, said: str) -> Trouble | None:
    """What the only folders of wheels lack; None where they lack nothing, or an index serves."""
    found = _LACKS.search(said) if manifest.wheelhouse or settings.no_index else None
    if found is None:
        return None
    wanted = found["wanted"] or found["none"]
    if not manifest.wheelhouse:
        places = ", ".join(map(redact, settings.find_links)) or "No place"
        return Trouble(
            f"{places} has no suitable wheel for {wanted}.",
            "pip is configured to use no index (no-index), so packages come only from its "
            "find-links.",
            "Put it there too, or remove no-index from pip's settings, then run the same command "
            "again.",
        )
    return Trouble(
        f"{manifest.wheelhouse} has no suitable wheel for {wanted}.",
        "With --wheelhouse, packages come only from that folder. It must contain all of the "
        "stack's dependencies for this Python and machine.",
        "Put it there too (`rdna1-setup fetch` fills such a folder on a machine with internet), "
        "then run the same command again. Finished steps are kept.",
    )
