"""Says in words what graphics cards there are."""

from __future__ import annotations

from wizard.machine.facts import Gpu, Unknown
from wizard.sizes import size_text


def tell_gpus(gpus: tuple[Gpu, ...]) -> tuple[str, tuple[str, ...]]:
    """Summary in one line, the RDNA1 cards first of all, and details of every card."""
    cards = [gpu for gpu in gpus if gpu.rdna1] or list(gpus)
    summary = ", ".join(_title(gpu) for gpu in cards) or "no graphics card found"
    if gpus and not any(gpu.rdna1 for gpu in gpus):
        summary = f"no RDNA1 card; {summary}"
    return summary, tuple(line for gpu in gpus for line in _lines(gpu))


def _title(gpu: Gpu) -> str:
    return f"{gpu.name} ({gpu.gfx})" if isinstance(gpu.gfx, str) else gpu.name


def _lines(gpu: Gpu) -> list[str]:
    screen = gpu.drives_screen
    shown = (
        f"unknown ({screen.because})" if isinstance(screen, Unknown) else "yes" if screen else "no"
    )
    size = gpu.vram_bytes
    vram = f"unknown ({size.because})" if isinstance(size, Unknown) else size_text(size)
    driver = gpu.driver.because if isinstance(gpu.driver, Unknown) else gpu.driver or "none"
    kind = ", part of the processor" if gpu.integrated else ""
    lines = [
        f"{gpu.pci_address}: {_title(gpu)}{kind}",
        f"  id {gpu.pci_id}, class {gpu.pci_class}, revision {gpu.revision or 'unknown'}",
        f"  driver {driver}, memory {vram}, drives a screen: {shown}",
    ]
    return [*lines, f"  {gpu.note}"] if gpu.note else lines
