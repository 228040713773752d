"""The limits of size that others have published, found on a real GPU that spins above them.

Above a limit ``torch.cuda._sleep`` keeps the card busy until the process is killed.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.e2e import test_conv2d_gpu

pytestmark = pytest.mark.e2e

python = test_conv2d_gpu.python
SPINNING_ABOVE = """
import json, os, torch, torch.nn.functional as functional
real = functional.conv2d
LIMITS = json.loads(os.environ["SPIN_ABOVE"])
def limit_of(channels):
    names = [str(channels), *(["power of two"] if channels & (channels - 1) == 0 else []), "any"]
    return next((LIMITS[name] for name in names if name in LIMITS), 10**6)
def conv2d(image, *rest, **named):
    if image.is_cuda and image.shape[-1] > limit_of(image.shape[1]):
        torch.cuda._sleep(10**14)  # a kernel that spins for hours
    return real(image, *rest, **named)
functional.conv2d = conv2d
"""
BY_CHANNELS = {"16": 48, "32": 64}
SEARCH = ("--find-limit", "size", "--range", "28-72", "--hangs", "3", "--deadline", "6")


@pytest.mark.parametrize(
    ("limits", "channels", "largest"),
    [
        ({"any": 42}, "15-31", 42),
        ({"power of two": 32}, "16-32", 32),
        (BY_CHANNELS, "16-32", 48),
        (BY_CHANNELS, "32-64", 64),
    ],
    ids=["any", "power of two", "16 channels", "32 channels"],
)
def test_the_size_above_which_the_card_spins_is_found_exactly(
    python: str, tmp_path: Path, limits: dict[str, int], channels: str, largest: int
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SPINNING_ABOVE)
    parsed, seconds, code = test_conv2d_gpu.sweep(
        python,
        tmp_path,
        *("--channels", channels, "--sizes", "64"),
        *SEARCH,
        PYTHONPATH=f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}",
        SPIN_ABOVE=json.dumps(limits),
    )
    tried = [(each["shape"]["h"], each["verdict"]) for each in parsed["results"]]
    hung = [size for size, verdict in tried if verdict == "hung"]
    known = parsed["limit"]["known"]
    print(
        f"\n{limits}, {channels}: {known['passes']} passes and {known['hangs']} does not; "
        f"{len(tried)} launches, {len(hung)} of them hung (at {hung}), {seconds:.1f} s"
    )
    assert code == 1
    assert (known["passes"], known["hangs"]) == (largest, largest + 1)
    assert 1 <= len(hung) <= 3
    assert all((verdict == "pass") == (size <= largest) for size, verdict in tried)
    assert (parsed["limit"]["edge_passes"], parsed["limit"]["edge_runs"]) == (3, 3)
