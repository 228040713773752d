"""What PyTorch says of its surroundings: its own ``collect_env``, started in an environment."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Mapping
from contextlib import aclosing
from pathlib import Path

from wizard.core.journal import Record
from wizard.core.lines import beginning, clean
from wizard.core.process import Exited, child_environment, stream
from wizard.core.trouble import Trouble
from wizard.machine.facts import Fact, Machine, Unknown

MODULE = "torch.utils.collect_env"
DEADLINE_S = 90.0
MOST_LINES = 400
NO_ENVIRONMENT = "no environment with torch was found: name one with --collect-env DIR"

_TITLES = (
    "PyTorch version|Is debug build|CUDA used to build PyTorch|ROCM used to build PyTorch|OS"
    "|GCC version|Clang version|CMake version|Libc version|Python version|Python platform"
    "|Is CUDA available|CUDA runtime version|CUDA_MODULE_LOADING set to"
    "|GPU models and configuration|Nvidia driver version|cuDNN version|Is XPU available"
    "|HIP runtime version|MIOpen runtime version|Is XNNPACK available|Caching allocator config"
)
_PROCESSOR = (
    r"Architecture|CPU op-mode\(s\)|Byte Order|Address sizes|CPU\(s\)|Vendor ID|CPU family|Model"
    r"|Model name|Stepping|BIOS Vendor ID|BIOS Model name|Thread\(s\) per core|Core\(s\) per socket"
    r"|Socket\(s\)|CPU(?: max| min)? MHz|BogoMIPS|Flags|Virtualization(?: type)?|Hypervisor vendor"
    r"|L1d cache|L1i cache|L2 cache|L3 cache|NUMA node(?:\(s\)|\d+ CPU\(s\))"
)
KNOWN = re.compile(
    rf"(?:(?:{_TITLES}): .{{0,400}}|(?:CPU|Versions of relevant libraries):|"
    rf"(?:{_PROCESSOR}):\s.{{0,4000}}"
    r"|\[(?:pip3?|conda)\] [\w.+-]+(?:==|\s+)[\w.+!-]+(?:\s+[\w.+:/-]+){0,3}"
    r"|\[(?:pip3?|conda)\] Could not collect)"
)
"""The lines that it is known to print; all others are left out."""


def environment_for(asked: str, machine: Machine, records: Iterable[Record]) -> str:
    """The environment to ask: the one named, that of the last run, or the first with torch."""
    if asked:
        return str(Path(asked).expanduser().absolute())
    made = [str(record.plan["venv"]) for record in records if record.plan["venv"]]
    there = [
        one.path for one in machine.environments if one.torch and one.kind in ("venv", "conda")
    ]
    return next((path for path in (*made, *there) if python_of(path).exists()), "")


def python_of(environment: str) -> Path:
    """The Python of an environment, or the Python itself that was named."""
    path = Path(environment)
    return path if path.is_file() else path / "bin" / "python"


def collect_env(
    environment: str, variables: Mapping[str, str], deadline_s: float = DEADLINE_S
) -> Fact[str]:
    """Its known lines, or why there are none; it may touch the card, and has a deadline."""
    if not environment:
        return Unknown(NO_ENVIRONMENT)
    try:
        return asyncio.run(_ask(str(python_of(environment)), variables, deadline_s))
    except Trouble as trouble:
        return Unknown(f"{trouble.happened} {trouble.meaning}")


async def _ask(python: str, variables: Mapping[str, str], deadline_s: float) -> Fact[str]:
    argv = (python, "-m", MODULE)
    told: list[str] = []
    asked = stream(argv, environment=child_environment(variables, ()), deadline_s=deadline_s)
    async with aclosing(asked) as output:
        async for part in output:
            if isinstance(part, Exited):
                return _ended(part.code, told)
            told += part[: MOST_LINES * 10 - len(told)]
    return Unknown("it printed nothing")


def _ended(code: int, told: list[str]) -> Fact[str]:
    known = known_lines(told)
    if code == 0 and known:
        return "\n".join(known) + "\n"
    last = beginning(clean(told[-1]), 200) if told else "nothing was printed"
    return Unknown(f"collect_env ended with code {code}: {last}")


def known_lines(lines: Iterable[str]) -> list[str]:
    """The lines that it is known to print."""
    stripped = (line.rstrip() for line in lines)
    return [line for line in stripped if KNOWN.fullmatch(line)][:MOST_LINES]
