"""What settings, packages, an override, a fault and the cards of a text prove together."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator

from wizard.diagnose.finding import Confidence, Evidence
from wizard.diagnose.lines import Line, as_text, plain
from wizard.diagnose.reading import Concluded, Reading, Said, evidence_of
from wizard.knowledge.cards import is_integrated, is_rdna1
from wizard.knowledge.stacks import find_stack, rocm_of
from wizard.knowledge.variables import LIBRARY_PATH, OVERRIDE, effect_of
from wizard.machine.facts import Environment, Machine, Setting

OVERRIDE_HANGS_SINCE = (5, 3)
"""The ROCm from which on users report hangs of RDNA1 cards with HSA_OVERRIDE_GFX_VERSION=10.3.0."""
OWN_FAMILY = re.compile(r"10\.1\.[0-3]$")


def reaching(machine: Machine, environment: Environment) -> tuple[Setting, ...]:
    """What programs of this environment get: what everything gets, and what is its own."""
    own = {environment.path}
    own |= {app.path for app in machine.applications if app.environment == environment.path}
    return tuple(one for one in machine.settings if not one.within or one.within in own)


def elsewhere(machine: Machine) -> tuple[Setting, ...]:
    """Settings of services, notebooks and the like: which Python these start is not known."""
    places = {e.path for e in machine.environments} | {a.path for a in machine.applications}
    return tuple(one for one in machine.settings if one.within and one.within not in places)


def leaves_out(machine: Machine, environment: Environment) -> bool:
    """True for an environment of ours that takes the override away before torch loads."""
    here = (run for run in machine.runs if run.folder == environment.path)
    stacks = (find_stack(run.stack) for run in here if run.state == "finished")
    return any(stack is not None and OVERRIDE in stack.unset for stack in stacks)


def overrides(settings: tuple[Setting, ...]) -> Iterator[Setting]:
    """Those that tell ROCm another chip, for all cards or for one."""
    return (one for one in settings if one.name.startswith(OVERRIDE) and one.value)


def is_foreign(value: str) -> bool:
    """True for a value that makes a card of RDNA1 pass for another one."""
    return bool(value) and not OWN_FAMILY.match(value)


def torch_before(version: str, limit: tuple[int, int]) -> bool:
    """True when this torch is older than a minor release; False for what is no version."""
    found = re.match(r"(\d{1,4})\.(\d{1,4})", version)
    return found is not None and (int(found[1]), int(found[2])) < limit


def override_hangs(version: str) -> bool:
    """True for a torch with whose ROCm, or a later one, an override is reported to hang."""
    return (rocm_of(version) or (0, 0)) >= OVERRIDE_HANGS_SINCE


PYTORCH_INDEX = re.compile(r"pytorch\.org|amd\.com|radeon\.com")
INDEX_RELEASE = re.compile(r"pytorch\.org/whl/(?:nightly/)?rocm(\d+\.\d+)")
SYSTEM_ROCM = re.compile(r"/opt/rocm-(\d{1,4})\.(\d{1,4})")
MAJOR = re.compile(r"\b(lib[\w-]+\.so\.\d+)")
ENTRY = re.compile(r"torch/lib/(lib\S{1,80}),sha256=([\w-]{43}),(\d{1,15})\b")
LISTED = re.compile(r"^[-l][rwxst-]{9}\S? +\d+ +\S+ +\S+ +(\d+) .*?(lib[\w.+-]+)\s*$")
MEASURED = re.compile(r"^(?:Size: |\s*)(\d{4,15})\b")
HEX = re.compile(r"\b([0-9a-f]{64})\b")
BASE64 = re.compile(r"(?:^|sha256[=:])([\w-]{43})=?\s*$")


def no_wheel_for_python(reading: Reading) -> Concluded | None:
    """pip found the index, and in it nothing for this Python."""
    refused = _refused_torch(reading)
    if not refused or reading.has("no-network") or wrong_index(reading):
        return None
    offered = [said for said in reading.told["offered"] if said.line.number in _near(refused)]
    sure = Confidence.LIKELY if any(said.value for said in refused) else Confidence.POSSIBLE
    return sure, evidence_of(said.line for said in (*refused, *offered))


def wrong_index(reading: Reading) -> Concluded | None:
    """A +rocm version was asked for, and PyPI answered."""
    local = [said for said in _refused_torch(reading) if "+rocm" in said.value]
    other = [said for said in local if _other_release(said.value, reading)]
    if other:
        told = (*other, *reading.told["indexes"])
        return Confidence.LIKELY, evidence_of(said.line for said in told)
    named = any(PYTORCH_INDEX.search(s.value) for s in reading.told["indexes"])
    if not local or named or reading.has("no-network") or reading.has("torch-index"):
        return None
    offered = [s for s in reading.told["offered"] if s.line.number in _near(local)]
    if any("+" in said.value or said.value.strip() == "none" for said in offered):
        return None
    sure = Confidence.CERTAIN if offered else Confidence.LIKELY
    return sure, evidence_of(said.line for said in local[:2])


def _other_release(version: str, reading: Reading) -> bool:
    """True when the index that was asked is that of another ROCm release than this version."""
    asked = {f[1] for s in reading.told["indexes"] for f in INDEX_RELEASE.finditer(s.value)}
    wanted = re.search(r"\+rocm(\d+\.\d+)", version)
    return wanted is not None and bool(asked) and wanted[1] not in asked


def _refused_torch(reading: Reading) -> list[Said]:
    return [said for said in reading.told["refused"] if said.name.startswith("torch")]


def _near(said: Iterable[Said]) -> set[int]:
    return {number for each in said for number in range(each.line.number - 1, each.line.number + 3)}


def old_torch_new_numpy(reading: Reading) -> Concluded | None:
    """An old torch in a listing, and the numpy nearest to it: a report may list several places."""
    for torch in reading.told["torch"]:
        if torch_before(torch.value, (2, 3)) and reading.told["numpy"]:
            here = torch.line.number
            near = min(reading.told["numpy"], key=lambda said: abs(said.line.number - here))
            if near.value.startswith("2."):
                return Confidence.LIKELY, evidence_of((torch.line, near.line))
    return None


def wrong_major(reading: Reading) -> Concluded | None:
    """A library is asked for by one number, and is there by another."""
    missing = [h for n in (1, 2) for h in reading.hits.get(f"missing-hip-library#{n}", ())]
    asked = {f[1]: hit for hit in missing if (f := MAJOR.search(hit.text))}
    for hit in reading.hits.get("library-there", ()):
        found = MAJOR.search(hit.text)
        if found and any(found[1] != a and _bare(found[1]) == _bare(a) for a in asked):
            return Confidence.LIKELY, evidence_of((*asked.values(), hit))
    return None


def other_release(reading: Reading) -> Concluded | None:
    """A maths library of one release of ROCm is loaded by a torch that is built for another."""
    built = {release for said in reading.told["torch"] if (release := rocm_of(said.value))}
    for number in range(1, 4):
        for hit in reading.hits.get(f"rocblas-lacks-gfx-target#{number}", ()):
            found = SYSTEM_ROCM.search(hit.text)
            if found and len(built) == 1 and (int(found[1]), int(found[2])) not in built:
                torch = evidence_of(said.line for said in reading.told["torch"][:1])
                return Confidence.LIKELY, (*evidence_of((hit,)), *torch)
    return None


def mixed(reading: Reading) -> Concluded | None:
    """Libraries of two releases, by their own numbers or by where they lie."""
    return wrong_major(reading) or other_release(reading)


def _bare(library: str) -> str:
    return library.partition(".so")[0]


def not_as_recorded(reading: Reading) -> Concluded | None:
    """A library whose size or hash is another than that in RECORD."""
    for entry in reading.hits.get("record-entry", ()):
        for name, digest, size in ENTRY.findall(entry.text)[:1]:
            for line in reading.hits.get("library-measured", ()):
                if _differs(line, name, digest, int(size)):
                    return Confidence.LIKELY, evidence_of((entry, line))
    return None


def _differs(line: Line, name: str, digest: str, size: int) -> bool:
    """True when this line, or the answer below it, measures that library otherwise."""
    if not re.search(rf"\b{re.escape(name)}(?![\w.])", line.text):
        return False
    if listed := LISTED.search(line.text):
        return listed[2] == name and listed[1] != str(size)
    near = [as_text(each) for each in line.near]
    here = next((n for n, each in enumerate(near) if each.strip() == line.original.strip()), -1)
    answer = near[here + 1] if 0 <= here < len(near) - 1 else ""
    for text in (line.text, answer):
        hashed = [_base64(found[1]) for found in HEX.finditer(text)]
        hashed += [found[1] for found in BASE64.finditer(text)]
        if hashed:
            return digest not in hashed
    measured = MEASURED.match(answer) if re.search(r"\b(?:stat|wc|du)\b", line.text) else None
    return measured is not None and int(measured[1]) != size


def _base64(digits: str) -> str:
    return base64.urlsafe_b64encode(bytes.fromhex(digits)).rstrip(b"=").decode()


IDLE = ("no-op", "invented")
"""Effects of variables that do nothing."""
READ_SINCE = ((r"HSA_OVERRIDE_GFX_VERSION_\d+", (6, 3)), (r"HSA_USE_SVM", (5, 6)))
"""Variables that older releases do not read."""
READ_BY_BUILDS = ("PYTORCH_ROCM_ARCH", "HIP_PLATFORM")
"""Many count on it at run time; other variables of builds come with packages."""
LONGEST_NUMBER = 9
"""Digits of a card's number; one with more of them is past every card."""
MASKS = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


def masked(reading: Reading) -> Concluded | None:
    """A variable that hides the card, and a program that finds none."""
    told = [said for said in reading.told["settings"] if said.name in MASKS]
    count = sum(card.source == "rocminfo" for card in reading.cards)
    left = _left_over(told, count)
    counts = {"ROCR_VISIBLE_DEVICES": count}
    hiding = [said for said in told if hides(said.value, counts.get(said.name, left))]
    if not hiding:
        return None
    evidence = (*evidence_of(said.line for said in hiding[:2]), *reading.evidence("no-device"))
    sure = any(said.value in ("", "-1") or (left and hides(said.value, left)) for said in hiding)
    if reading.has("no-device"):
        return (Confidence.CERTAIN if sure else Confidence.LIKELY), evidence
    return (Confidence.LIKELY, evidence) if sure else None


def _left_over(told: Iterable[Said], count: int) -> int:
    """How many cards ROCR's variable leaves to HIP's, which counts among these; 0: unknown."""
    shown = [said.value for said in told if said.name == "ROCR_VISIBLE_DEVICES"]
    named = [len([n for n in value.split(",") if n.strip()]) for value in shown]
    return min((n for n in (*named, count) if n), default=0)


def hides(value: str, count: int) -> bool:
    """True when this mask leaves no card, or names one past the last of so many (0: unknown)."""
    names = [name.strip() for name in value.split(",")]
    if names[0] in ("", "-1", "none", "NoDevFiles"):
        return True
    if not re.fullmatch("[0-9]+", names[0]):
        return False
    return len(names[0]) > LONGEST_NUMBER or int(names[0]) >= (count or 1)


def path_shadow(reading: Reading) -> Concluded | None:
    """LD_LIBRARY_PATH leads to ROCm's folders, or to the current one, beside a torch it reaches."""
    told = [s for s in reading.told["settings"] if s.name == LIBRARY_PATH]
    leading = [s for s in told if "rocm" in s.value or empty_element(s.value)]
    bundling = any(torch_before(said.value, (2, 1)) for said in reading.told["torch"])
    newer = bool(reading.told["torch"]) and not bundling
    if not leading or newer or not reading.has("torch"):
        return None
    symptom = [n for n in reading.hits if n.startswith(("mixed-rocm-libraries", "missing-hip"))]
    evidence = (*evidence_of(s.line for s in leading[:2]), *reading.evidence(*symptom))
    return (Confidence.LIKELY if symptom or bundling else Confidence.POSSIBLE), evidence


def empty_element(value: str) -> bool:
    """True for a path in which an element is empty, which means the current folder."""
    bare = value.replace("${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", "")
    return bool(bare) and (bare.startswith(":") or bare.endswith(":") or "::" in bare)


def does_nothing(reading: Reading) -> Concluded | None:
    """Variables that are no-ops or invented, in general or with this torch."""
    settings = reading.told["settings"]
    beside = [f"{said.name}={said.value}" for said in settings]
    kinds = {said: effect_of(said.name, said.value, beside).kind for said in settings}
    idle = [said for said in settings if kinds[said] in IDLE or _unread(said, reading)]
    return (Confidence.CERTAIN, evidence_of(said.line for said in idle)) if idle else None


def _unread(said: Said, reading: Reading) -> bool:
    """True for what builds alone read, where none is shown, and for what torch is too old for."""
    if said.name in READ_BY_BUILDS and effect_of(said.name, said.value).kind == "build-time":
        return reading.has("runs-torch") and not reading.has("builds")
    since = next((rocm for start, rocm in READ_SINCE if re.fullmatch(start, said.name)), None)
    found = [rocm for torch in reading.told["torch"] if (rocm := rocm_of(torch.value))]
    return since is not None and bool(found) and max(found) < since


SLOT = re.compile(r"\s*(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] ")
OF_AMD = re.compile(r"AMD|Advanced Micro|1002:")
DISPLAY = re.compile(r"VGA|Display|3D controller|03(?:00|02|80): ")

SYMPTOMS = (
    *(f"gpu-memory-fault#{n}" for n in range(1, 5)),
    *(f"compute-queue-preemption-hang#{n}" for n in range(1, 5)),
    *("illegal-instruction", "segfault", "hangs"),
)
"""What code of another chip does; prose comes last."""
NO_CODE = tuple(f"wheel-lacks-gfx-target#{n}" for n in range(1, 6))
FAMILIES = {"10.3": "gfx103", "11.0": "gfx110", "9.0": "gfx90", "12.0": "gfx120"}
GENERIC = ("AMD Radeon Graphics", "AMD Radeon(TM) Graphics", "AMD Radeon Vega 8 Graphics")
"""What the graphics part of a processor calls itself."""
NO_BLAS = tuple(f"rocblas-lacks-gfx-target#{n}" for n in range(1, 6))


def overrides_in(reading: Reading) -> list[Said]:
    """Where the text sets the override, for all cards or for one."""
    told = (said for said in reading.told["settings"] if said.name.startswith(OVERRIDE))
    return [said for said in told if said.value]


def override_mismatch(reading: Reading) -> Concluded | None:
    """An override to another family of chips, and what comes of that."""
    symptom = next((name for name in SYMPTOMS if reading.has(name)), "")
    told = [said for said in overrides_in(reading) if _foreign(said.value, reading)]
    foreign = [said for said in told if _in_force(said, symptom, reading)]
    if not foreign or not symptom or stale_override(reading):
        return None
    evidence = (*evidence_of(said.line for said in foreign[:2]), *reading.evidence(symptom))
    doubts = (symptom in ("segfault", "hangs"), _old_rocm(reading) or not _rdna1(reading))
    return list(Confidence)[sum(doubts)], evidence


def _in_force(said: Said, symptom: str, reading: Reading) -> bool:
    """False for what was unset before each of the lines that tell the symptom."""
    unset = [s.line.number for s in reading.told["unset"] if s.name == said.name]
    since = [number for number in unset if number > said.line.number]
    hits = reading.hits.get(symptom)
    return not hits or not all(any(number < hit.number for number in since) for hit in hits)


def _foreign(value: str, reading: Reading) -> bool:
    """True for a value of another family than that of the card, as far as the text tells it."""
    if value.startswith("10.1."):
        return not _rdna1(reading) and reading.has("other-amd")
    if _rdna1(reading):
        return True
    own = {card.gfx for card in reading.cards if card.amd and not card.integrated}
    mine = FAMILIES.get(value.rpartition(".")[0], "-")
    return not reading.has("other-amd") and not any(gfx.startswith(mine) for gfx in own)


def _rdna1(reading: Reading) -> bool:
    return any(card.rdna1 for card in reading.cards) or reading.has("rdna1")


def _old_rocm(reading: Reading) -> bool:
    """True when torch is the one for ROCm 5.2, which most got along with."""
    versions = [said.value for said in reading.told["torch"]]
    return any(map(rocm_of, versions)) and not any(map(override_hangs, versions))


def stale_override(reading: Reading) -> Concluded | None:
    """An override beside wheels for the card itself, or one that reaches a processor's GPU."""
    told = overrides_in(reading)
    evidence = evidence_of(said.line for said in told[:2])
    missing = [s for s in reading.told["missing_targets"] if not is_rdna1(s.value)]
    bundled = [s for s in reading.told["bundled"] if is_rdna1(s.value)]
    if missing and bundled and (told or _rdna1(reading)):
        more = evidence_of(said.line for said in (*missing, *bundled)[:3])
        return Confidence.CERTAIN, (*evidence, *more)
    own = [said for said in told if not said.value.startswith("10.1.")]
    if own and (reading.has("native-build") or bundled):
        more = evidence_of(said.line for said in bundled[:2])
        return Confidence.LIKELY, (*evidence, *reading.evidence("native-build"), *more)
    everywhere = [said for said in told if said.name == OVERRIDE]
    spoofed = [c for c in reading.cards if c.integrated or c.name in GENERIC]
    if everywhere and spoofed and len(reading.cards) > 1:
        cards = tuple(Evidence(f"{c.name}: {c.reported or c.gfx}", c.where) for c in spoofed)
        return Confidence.LIKELY, (*evidence, *cards)
    return None


def processor_gpu(reading: Reading) -> Concluded | None:
    """An error that names the target of a processor's GPU."""
    targets = (*reading.told["missing_targets"], *reading.told["library_targets"])
    named = [said for said in targets if is_integrated(said.value)]
    if named:
        return Confidence.CERTAIN, evidence_of(said.line for said in named[:2])
    if reading.has("small-memory") and reading.has("out-of-vram#1"):
        return Confidence.LIKELY, reading.evidence("small-memory")
    symptom = next((n for n in (*NO_CODE, *NO_BLAS, *SYMPTOMS) if reading.has(n)), "")
    if symptom and reading.has("processor-first"):
        return Confidence.LIKELY, reading.evidence("processor-first", symptom)
    inside = [card for card in reading.cards if card.source == "rocminfo" and card.integrated]
    several = sum(card.amd for card in reading.cards) > 1
    if symptom and inside and several and not overrides_in(reading):
        cards = tuple(Evidence(f"{card.name}: {card.gfx}", card.where) for card in inside)
        return Confidence.LIKELY, (*cards, *reading.evidence(symptom))
    return None


def held_by_vfio(reading: Reading) -> Concluded | None:
    """A card of AMD's in whose part of a listing vfio-pci is named as its driver."""
    lines = [h for h in reading.hits.get("module-named", ()) if "vfio" in h.text]
    inside = [card.slot for card in reading.cards if card.integrated and card.slot]
    if any(card.rdna1 for card in reading.cards):  # else the processor's may be all there is
        lines = [h for h in lines if not header_of(h).strip().startswith(tuple(inside))]
    held = [h for h in lines if OF_AMD.search(header_of(h))]
    slots = [card.slot.removeprefix("0000:") for card in reading.cards if card.amd and card.slot]
    bound = reading.hits.get("vfio-address", ())
    taken = [hit for hit in bound if any(f"0000:{slot}" in hit.text for slot in slots)]
    if not held and not taken:
        return None
    return (Confidence.CERTAIN if held else Confidence.LIKELY), evidence_of((*held, *taken[:1]))


def not_driven(reading: Reading) -> Concluded | None:
    """A card of AMD's that a listing shows without a driver; or a kernel built without KFD."""
    if reading.has("kfd-not-built"):
        return Confidence.LIKELY, reading.evidence("kfd-not-built")
    lines = [h for h in reading.hits.get("module-named", ()) if "amdgpu" in h.text]
    idle = [h for h in lines if header_of(h) and "driver in use" not in section_of(h)]
    return (Confidence.LIKELY, evidence_of(idle)) if idle else None


def section_of(line: Line) -> str:
    """What a listing of PCI devices says of the one that this line is about."""
    near = [plain(as_text(each)) for each in line.near]
    here = line.here  # several devices may say the same
    start = next((n for n in range(here, -1, -1) if SLOT.match(near[n])), None)
    end = next((n for n in range(here + 1, len(near)) if SLOT.match(near[n])), len(near))
    return "" if start is None else "\n".join(near[start:end])


def header_of(line: Line) -> str:
    """The line that names the display device that this line is about; ``""`` for others."""
    head = section_of(line).partition("\n")[0]
    return head if DISPLAY.search(head) else ""


CONCLUSIONS: dict[str, Callable[[Reading], Concluded | None]] = {
    "vfio-bound": held_by_vfio,
    "kfd-missing": not_driven,
    "mixed-rocm-libraries": mixed,
    "wheel-library-replaced": not_as_recorded,
    "stale-override": stale_override,
    "override-isa-mismatch": override_mismatch,
    "igpu-selected": processor_gpu,
    "visible-devices-mask": masked,
    "numpy2-abi": old_torch_new_numpy,
    "pip-wrong-index": wrong_index,
    "python-too-new": no_wheel_for_python,
    "library-path-shadow": path_shadow,
    "noop-setting": does_nothing,
}
"""By the cause that each proves."""
