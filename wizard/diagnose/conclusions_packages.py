"""What pip, listings of packages and of libraries prove together."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable

from wizard.diagnose.decoding import as_text
from wizard.diagnose.finding import Confidence
from wizard.diagnose.lines import Line
from wizard.diagnose.reading import Concluded, Reading, evidence_of
from wizard.diagnose.text_values import Said
from wizard.diagnose.torch_settings import torch_before
from wizard.knowledge.stacks import rocm_of

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
