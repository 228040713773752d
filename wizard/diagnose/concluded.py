"""Causes that several facts of a text prove together, each by a function of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from wizard.diagnose.decoding import as_text
from wizard.diagnose.finding import Confidence, Evidence
from wizard.diagnose.lines import Line
from wizard.diagnose.listed_cards import INTEGRATED
from wizard.diagnose.reading import Reading, evidence_of
from wizard.diagnose.told import PYTORCH_INDEX, Said
from wizard.diagnose.versions import rocm_of, torch_before
from wizard.knowledge.cards import is_rdna1
from wizard.knowledge.variables import effect_of

Concluded = tuple[Confidence, tuple[Evidence, ...]]
OVERRIDE = "HSA_OVERRIDE_GFX_VERSION"
SYMPTOMS = (
    "gpu-memory-fault#1",
    "gpu-memory-fault#2",
    "gpu-memory-fault#3",
    "gpu-memory-fault#4",
    "compute-queue-preemption-hang#1",
    "compute-queue-preemption-hang#2",
    "compute-queue-preemption-hang#3",
    "compute-queue-preemption-hang#4",
    "illegal-instruction",
    "segfault",
    "hangs",
)
"""What code of another chip does; prose comes last."""
NO_CODE = tuple(f"wheel-lacks-gfx-target#{n}" for n in range(1, 6))
NO_BLAS = tuple(f"rocblas-lacks-gfx-target#{n}" for n in range(1, 6))
READ_SINCE = ((r"HSA_OVERRIDE_GFX_VERSION_\d+", (6, 3)), (r"HSA_USE_SVM", (5, 6)))
"""Variables that older releases do not read."""
INDEX_RELEASE = re.compile(r"pytorch\.org/whl/(?:nightly/)?rocm(\d+\.\d+)")
MAJOR = re.compile(r"\b(lib[\w-]+\.so\.\d+)")
SLOT = re.compile(r"\s*(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7] ")
DISPLAY = re.compile(r"VGA|Display|3D controller|03(?:00|02|80): ")
MASKS = ("HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES")


def overrides(reading: Reading) -> list[Said]:
    """Where the text sets the override, for all cards or for one."""
    return [said for said in reading.told.settings if said.name.startswith(OVERRIDE) and said.value]


def override_mismatch(reading: Reading) -> Concluded | None:
    """An override to another family of chips, and what comes of that."""
    foreign = [said for said in overrides(reading) if _foreign(said.value, reading)]
    symptom = next((name for name in SYMPTOMS if reading.has(name)), "")
    if not foreign or not symptom or stale_override(reading):
        return None
    evidence = (*evidence_of(said.line for said in foreign[:2]), *reading.evidence(symptom))
    if symptom in ("segfault", "hangs"):
        sure = Confidence.LIKELY if _rdna1(reading) else Confidence.POSSIBLE
        return (Confidence.POSSIBLE if _old_rocm(reading) else sure), evidence
    if _old_rocm(reading):
        return Confidence.LIKELY, evidence
    return (Confidence.CERTAIN if _rdna1(reading) else Confidence.LIKELY), evidence


def _foreign(value: str, reading: Reading) -> bool:
    """True for a value of another family than that of the card, as far as the text tells it."""
    if value.startswith("10.1."):
        return not _rdna1(reading) and reading.has("other-amd")
    own = {card.gfx for card in reading.cards if card.amd and not card.integrated}
    family = {"10.3": "gfx103", "11.0": "gfx110", "9.0": "gfx90", "12.0": "gfx120"}
    mine = family.get(value.rpartition(".")[0], "-")
    if _rdna1(reading):
        return True
    return not reading.has("other-amd") and not any(gfx.startswith(mine) for gfx in own)


def _rdna1(reading: Reading) -> bool:
    return any(card.rdna1 for card in reading.cards) or reading.has("rdna1")


def _old_rocm(reading: Reading) -> bool:
    """True when torch is the one for ROCm 5.2, which most got along with."""
    found = {rocm_of(said.value) for said in reading.told.torch} - {None}
    return bool(found) and all(each is not None and each < (5, 3) for each in found)


def stale_override(reading: Reading) -> Concluded | None:
    """An override beside wheels for the card itself, or one that reaches a processor's GPU."""
    told = overrides(reading)
    evidence = evidence_of(said.line for said in told[:2])
    missing = [s for s in reading.told.missing_targets if not is_rdna1(s.value)]
    bundled = [s for s in reading.told.bundled if is_rdna1(s.value)]
    if missing and bundled and (told or _rdna1(reading)):
        return Confidence.CERTAIN, (
            *evidence,
            *evidence_of(s.line for s in (*missing, *bundled)[:3]),
        )
    own = [said for said in told if not said.value.startswith("10.1.")]
    if own and (reading.has("native-build") or bundled):
        more = evidence_of(said.line for said in bundled[:2])
        return Confidence.LIKELY, (*evidence, *reading.evidence("native-build"), *more)
    everywhere = [said for said in told if said.name == OVERRIDE]
    spoofed = [c for c in reading.cards if c.integrated or _generic(c.name)]
    if everywhere and spoofed and len(reading.cards) > 1:
        cards = tuple(Evidence(f"{c.name}: {c.reported or c.gfx}", c.where) for c in spoofed)
        return Confidence.LIKELY, (*evidence, *cards)
    return None


def _generic(name: str) -> bool:
    """True for what the graphics part of a processor calls itself."""
    return name in ("AMD Radeon Graphics", "AMD Radeon(TM) Graphics", "AMD Radeon Vega 8 Graphics")


def processor_gpu(reading: Reading) -> Concluded | None:
    """An error that names the target of a processor's GPU."""
    named = [
        said
        for said in (*reading.told.missing_targets, *reading.told.library_targets)
        if said.value in INTEGRATED
    ]
    if named:
        return Confidence.CERTAIN, evidence_of(said.line for said in named[:2])
    if reading.has("small-memory") and reading.has("out-of-vram#1"):
        return Confidence.LIKELY, reading.evidence("small-memory")
    symptom = next((n for n in (*NO_CODE, *NO_BLAS, *SYMPTOMS) if reading.has(n)), "")
    if symptom and reading.has("processor-first"):
        return Confidence.LIKELY, reading.evidence("processor-first", symptom)
    inside = [card for card in reading.cards if card.source == "rocminfo" and card.integrated]
    if (
        symptom
        and inside
        and len([c for c in reading.cards if c.amd]) > 1
        and not overrides(reading)
    ):
        cards = tuple(Evidence(f"{card.name}: {card.gfx}", card.where) for card in inside)
        return Confidence.LIKELY, (*cards, *reading.evidence(symptom))
    return None


def masked(reading: Reading) -> Concluded | None:
    """A variable that hides the card, and a program that finds none."""
    told = [said for said in reading.told.settings if said.name in MASKS]
    count = sum(card.source == "rocminfo" for card in reading.cards)
    hiding = [said for said in told if hides(said.value, count)]
    if not hiding:
        return None
    evidence = (*evidence_of(said.line for said in hiding[:2]), *reading.evidence("no-device"))
    sure = any(said.value in ("", "-1") or (count and hides(said.value, count)) for said in hiding)
    if reading.has("no-device"):
        return (Confidence.CERTAIN if sure else Confidence.LIKELY), evidence
    return (Confidence.LIKELY, evidence) if sure else None


def hides(value: str, count: int) -> bool:
    """True when this mask leaves no card, or names one past the last of so many (0: unknown)."""
    names = [name.strip() for name in value.split(",")]
    if names[0] in ("", "-1", "none", "NoDevFiles"):
        return True
    return names[0].isdigit() and int(names[0]) >= (count or 1)


def old_torch_new_numpy(reading: Reading) -> Concluded | None:
    """Versions of torch and numpy in a listing that do not go together."""
    torch = [said for said in reading.told.torch if torch_before(said.value, (2, 3))]
    numpy = [said for said in reading.told.numpy if said.value.startswith("2.")]
    if not torch or not numpy:
        return None
    return Confidence.LIKELY, evidence_of((torch[0].line, numpy[0].line))


def no_wheel_for_python(reading: Reading) -> Concluded | None:
    """pip found the index, and in it nothing for this Python."""
    refused = _refused_torch(reading)
    if not refused or wrong_index(reading):
        return None
    offered = [said for said in reading.told.offered if said.line.number in _near(refused)]
    lines = [said.line for said in (*refused, *offered)]
    local = [said for said in refused if "+" in said.value]
    if any("+" in said.value for said in offered) or not local:
        named = any(said.value for said in refused)
        return (Confidence.LIKELY if named else Confidence.POSSIBLE), evidence_of(lines)
    return Confidence.LIKELY, evidence_of(lines)


def wrong_index(reading: Reading) -> Concluded | None:
    """A +rocm version was asked for, and PyPI answered."""
    local = [said for said in _refused_torch(reading) if "+rocm" in said.value]
    other = [said for said in local if _other_release(said.value, reading)]
    if other:
        return Confidence.LIKELY, evidence_of(said.line for said in (*other, *reading.told.indexes))
    named = any(PYTORCH_INDEX.search(s.value) for s in reading.told.indexes)
    if not local or named or reading.has("torch-index"):
        return None
    offered = [s for s in reading.told.offered if s.line.number in _near(local)]
    if any("+" in said.value for said in offered):
        return None
    if any(said.value.strip() == "none" for said in offered):
        return None
    sure = Confidence.CERTAIN if offered else Confidence.LIKELY
    return sure, evidence_of(said.line for said in local[:2])


def _other_release(version: str, reading: Reading) -> bool:
    """True when the index that was asked is that of another ROCm release than this version."""
    asked = {f[1] for s in reading.told.indexes for f in INDEX_RELEASE.finditer(s.value)}
    wanted = re.search(r"\+rocm(\d+\.\d+)", version)
    return wanted is not None and bool(asked) and wanted[1] not in asked


def _refused_torch(reading: Reading) -> list[Said]:
    return [said for said in reading.told.refused if said.name.startswith("torch")]


def _near(said: Iterable[Said]) -> set[int]:
    return {number for each in said for number in range(each.line.number - 1, each.line.number + 3)}


def path_shadow(reading: Reading) -> Concluded | None:
    """LD_LIBRARY_PATH leads to ROCm's folders, or to the current one, beside a torch it reaches."""
    told = reading.told.values("LD_LIBRARY_PATH")
    leading = [s for s in told if "rocm" in s.value or empty_element(s.value)]
    bundling = any(torch_before(said.value, (2, 1)) for said in reading.told.torch)
    newer = bool(reading.told.torch) and not bundling
    if not leading or newer or not reading.has("torch"):
        return None
    symptom = [n for n in reading.hits if n.startswith(("mixed-rocm-libraries", "missing-hip"))]
    evidence = (*evidence_of(s.line for s in leading[:2]), *reading.evidence(*symptom))
    return (Confidence.LIKELY if symptom or bundling else Confidence.POSSIBLE), evidence


def empty_element(value: str) -> bool:
    """True for a path in which an element is empty, which means the current folder."""
    bare = value.replace("${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}", "")
    return bool(bare) and (bare.startswith(":") or bare.endswith(":") or "::" in bare)


def wrong_major(reading: Reading) -> Concluded | None:
    """A library is asked for by one number, and is there by another."""
    asked = {f[1]: hit for hit in _missing(reading) if (f := MAJOR.search(hit.text))}
    for hit in reading.hits.get("library-there", ()):
        found = MAJOR.search(hit.text)
        if found and any(found[1] != a and _bare(found[1]) == _bare(a) for a in asked):
            return Confidence.LIKELY, evidence_of((*asked.values(), hit))
    return None


def _missing(reading: Reading) -> list[Line]:
    return [h for n in (1, 2) for h in reading.hits.get(f"missing-hip-library#{n}", ())]


def _bare(library: str) -> str:
    return library.partition(".so")[0]


def held_by_vfio(reading: Reading) -> Concluded | None:
    """A card of AMD's in whose part of a listing vfio-pci is named as its driver."""
    lines = [h for h in reading.hits.get("module-named", ()) if "vfio" in h.text]
    held = [h for h in lines if "AMD" in (head := header_of(h)) or "1002:" in head]
    slots = {card.slot.removeprefix("0000:") for card in reading.cards if card.amd and card.slot}
    taken = [
        hit
        for hit in reading.hits.get("vfio-address", ())
        if any(f" 0000:{slot}" in hit.text for slot in slots)
    ]
    if not held and not taken:
        return None
    return (Confidence.CERTAIN if held else Confidence.LIKELY), evidence_of((*held, *taken[:1]))


def not_driven(reading: Reading) -> Concluded | None:
    """A card of AMD's in whose part of a listing a module is named, and no driver."""
    lines = [h for h in reading.hits.get("module-named", ()) if "amdgpu" in h.text]
    idle = [h for h in lines if header_of(h) and "driver in use" not in section_of(h)]
    return (Confidence.LIKELY, evidence_of(idle)) if idle else None


def section_of(line: Line) -> str:
    """What a listing of PCI devices says of the one that this line is about."""
    near = [as_text(each) for each in line.near]
    here = next((n for n, each in enumerate(near) if each.strip() == line.text.strip()), 0)
    start = next((n for n in range(here, -1, -1) if SLOT.match(near[n])), None)
    end = next((n for n in range(here + 1, len(near)) if SLOT.match(near[n])), len(near))
    return "" if start is None else "\n".join(near[start:end])


def header_of(line: Line) -> str:
    """The line that names the display device that this line is about; ``""`` for others."""
    head = section_of(line).partition("\n")[0]
    return head if DISPLAY.search(head) else ""


def does_nothing(reading: Reading) -> Concluded | None:
    """Variables that are no-ops or invented, in general or with this torch."""
    beside = [f"{said.name}={said.value}" for said in reading.told.settings]
    idle = [
        said
        for said in reading.told.settings
        if idle_kind(said.name, said.value, beside) or _too_new(said.name, reading)
    ]
    return (Confidence.CERTAIN, evidence_of(said.line for said in idle)) if idle else None


def _too_new(name: str, reading: Reading) -> bool:
    """True for a variable that the ROCm of every torch here is too old to read."""
    since = next((rocm for start, rocm in READ_SINCE if re.fullmatch(start, name)), None)
    found = [rocm for s in reading.told.torch if (rocm := rocm_of(s.value))]
    return since is not None and bool(found) and max(found) < since


def idle_kind(name: str, value: str, beside: Iterable[str]) -> str:
    """``no-op`` or ``invented`` for what does nothing; ``""`` for what acts or is unknown."""
    kind = effect_of(name, value, tuple(beside)).kind
    return kind if kind in ("no-op", "invented") else ""


CONCLUSIONS: dict[str, Callable[[Reading], Concluded | None]] = {
    "vfio-bound": held_by_vfio,
    "kfd-missing": not_driven,
    "mixed-rocm-libraries": wrong_major,
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
