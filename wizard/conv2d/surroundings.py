"""In which environment it is measured: the shell's own, or one without what others have set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

LEFT_OUT = ("HSA_", "HIP_", "ROCR_", "MIOPEN_", "AMD_", "GPU_")
"""How the variables begin that steer ROCm."""
LIBRARY_PATH = "LD_LIBRARY_PATH"
SYSTEM_ROCM = "/opt/rocm"
LOGGING = (("MIOPEN_LOG_LEVEL", "6"),)
"""What makes MIOpen say what it is about to do. Level 5 names no kernel; MIOPEN_ENABLE_LOGGING
would add a trace of every call, which tells nothing more of a hang and takes time."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a sweep makes of the environment that it was started in."""

    clean: bool = False
    """True to leave out what the shell sets for ROCm."""
    isolated: bool = False
    """True where nothing that MIOpen has kept from earlier runs may count, whatever the setting."""
    keep: bool = False
    """True to leave the isolated databases where they are at the end."""

    def environment(self, environ: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
        """What is measured in, and what was left out of it, as ``NAME=VALUE``."""
        return without_leftovers(environ) if self.clean else (dict(environ), ())


AS_IT_IS = Surroundings()


def without_leftovers(environ: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The environment without what steers ROCm, and what was left out, as ``NAME=VALUE``."""
    kept = {name: value for name, value in environ.items() if not name.startswith(LEFT_OUT)}
    if LIBRARY_PATH in kept:
        kept |= _library_path(kept.pop(LIBRARY_PATH))
    names = sorted(name for name in environ if kept.get(name) != environ[name])
    return kept, tuple(f"{name}={environ[name]}" for name in names)


def _library_path(value: str) -> dict[str, str]:
    """The search path of the loader without ROCm's folders; nothing where nothing is left.

    An empty element stays: it means the current folder, and is no leftover of ROCm.
    """
    folders = [folder for folder in value.split(":") if not folder.startswith(SYSTEM_ROCM)]
    return {LIBRARY_PATH: ":".join(folders)} if any(folders) else {}
