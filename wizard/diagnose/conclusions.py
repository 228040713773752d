"""What an override, a fault and the cards of a text prove together; and all such conclusions."""

from __future__ import annotations

import re
from collections.abc import Callable

from wizard.diagnose.conclusions_packages import (
    mixed,
    no_wheel_for_python,
    not_as_recorded,
    old_torch_new_numpy,
    wrong_index,
)
from wizard.diagnose.conclusions_settings import does_nothing, masked, path_shadow
from wizard.diagnose.decoding import as_text
from wizard.diagnose.finding import Confidence, Evidence
from wizard.diagnose.lines import Line
from wizard.diagnose.plain import plain
from wizard.diagnose.reading import Concluded, Reading, evidence_of
from wizard.diagnose.text_values import Said
from wizard.diagnose.torch_settings import OVERRIDE, override_hangs
from wizard.knowledge.cards import is_integrated, is_rdna1
from wizard.knowledge.stacks import rocm_of

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


def overrides(reading: Reading) -> list[Said]:
    """Where the text sets the override, for all cards or for one."""
    told = (said for said in reading.told["settings"] if said.name.startswith(OVERRIDE))
    return [said for said in told if said.value]


def override_mismatch(reading: Reading) -> Concluded | None:
    """An override to another family of chips, and what comes of that."""
    symptom = next((name for name in SYMPTOMS if reading.has(name)), "")
    told = [said for said in overrides(reading) if _foreign(said.value, reading)]
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
    told = overrides(reading)
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
    if symptom and inside and several and not overrides(reading):
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
