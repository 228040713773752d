"""What the Conv2d panel would measure right now: preset, device, deadline, Python."""

from __future__ import annotations

from dataclasses import dataclass, replace

from screens.session import Session
from screens.words import shown
from wizard.conv2d.presets import Preset
from wizard.conv2d.sweep import Deadlines, Sweep
from wizard.plan.torch_there import torches_there
from wizard.plan.using import on_processor

DEVICES = ("cuda", "cpu")
DEADLINES_S = (60.0, 180.0, 600.0, 20.0)
"""For each shape, as ``--deadline`` gives it; the first one of a process may have to compile."""


@dataclass(frozen=True, slots=True)
class SweepSetting:
    """A place in each list of choices; a key takes the next one."""

    presets: tuple[Preset, ...]
    preset_place: int = 0
    device_place: int = 0
    deadline_place: int = 0

    @property
    def preset(self) -> Preset:
        """The shapes to measure."""
        return self.presets[self.preset_place]

    @property
    def device(self) -> str:
        """``cuda``, which is the GPU also with ROCm, or ``cpu``."""
        return DEVICES[self.device_place]

    def next_preset(self) -> SweepSetting:
        """With the next preset."""
        return replace(self, preset_place=(self.preset_place + 1) % len(self.presets))

    def next_device(self) -> SweepSetting:
        """With the other device."""
        return replace(self, device_place=(self.device_place + 1) % len(DEVICES))

    def next_deadline(self) -> SweepSetting:
        """With the next deadline."""
        return replace(self, deadline_place=(self.deadline_place + 1) % len(DEADLINES_S))

    def sweep(self, python: str) -> Sweep:
        """The sweep under a Python."""
        seconds = DEADLINES_S[self.deadline_place]
        deadlines = Deadlines(first=seconds, later=seconds)
        return Sweep(python, self.preset.rows, self.device, deadlines=deadlines)

    def __str__(self) -> str:
        place = f"{self.preset_place + 1}/{len(self.presets)}"
        device = "GPU" if self.device == "cuda" else "CPU"
        deadline = f"{DEADLINES_S[self.deadline_place]:.0f} s"
        return f"Deadline {deadline}  Device {device}  Preset {place} {shown(self.preset.title)}"


def setting_for(session: Session, presets: tuple[Preset, ...]) -> SweepSetting:
    """The setting to begin with: the device that the plan's stack is for."""
    on_cpu = session.plan is not None and on_processor(session.plan)
    return SweepSetting(presets, device_place=DEVICES.index("cpu") if on_cpu else 0)


def python_of(session: Session) -> str:
    """The Python to measure with: the plan's own, else the first that has torch."""
    if session.plan is not None:
        return f"{session.plan.venv}/bin/python"
    if session.machine is None:
        return ""
    return next((there.python for there in torches_there(session.machine)), "")
