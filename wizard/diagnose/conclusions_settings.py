"""What settings in a text prove: those that hide the card, mislead the loader, or do nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wizard.diagnose.finding import Confidence
from wizard.diagnose.reading import Concluded, Reading, evidence_of
from wizard.diagnose.text_values import Said
from wizard.diagnose.torch_settings import torch_before
from wizard.knowledge.stacks import rocm_of
from wizard.knowledge.variables import effect_of

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
    told = [s for s in reading.told["settings"] if s.name == "LD_LIBRARY_PATH"]
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
