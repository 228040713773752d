"""What the user chose."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """A stack, a place and the sources to take it from."""

    stack: str
    footprint: str
    """``venv`` or ``venv+system``."""
    venv: str
    """Absolute path of the folder."""
    applications: tuple[str, ...] = ()
    preset: str = ""
    """Name of the stack's preset of variables to set as well; ``""`` for none."""
    torch_index: str = ""
    """An index in place of the stack's own; ``pip`` means as pip is configured."""
    wheelhouse: str = ""
    """A folder of wheels to install from, without any network."""
    python_mirror: str = ""
    """Where uv takes a Python from that this machine lacks; ``""`` for uv's own place."""
    gpu: str = ""
    """PCI address of the card to use; ``""`` for the first RDNA1 card."""
    without_groups: bool = False
    """True to join no group, although the card's device files are closed to the user."""
    python: str = ""
    """Path of the Python to base the venv on; ``""`` for the best one that fits."""
    without_card: bool = False
    """True to install for another machine: the check of the device is left out, and said so."""
    user_torch_aside: bool = False
    """True to move a torch of the user's own packages away where the environment sees it."""
    system_release: str = ""
    """A system ROCm release apart from the stack's own; ``""`` for that."""
    system_set: str = "smallest"
    """How much of the release: a name of ``wizard.knowledge.stacks.SETS``."""
    system_removal: tuple[str, ...] = ("amd",)
    """What goes first, as ``wizard.plan.amd_packages.SCOPES`` names it; ``()`` for nothing."""
    rocm_repo: str = ""
    """A mirror in place of AMD's repository."""
    rocm_key_fingerprint: str = ""
    """Fingerprint of the key that signs that mirror; ``""`` for AMD's."""
    profile_file: bool = False
    """True to set ``ROCM_PATH`` and ``PATH`` for every user at login."""
    without_rollback: bool = False
    """True to remove packages for good of which no archive has a file any more."""
    snapshot: str = ""
    """``timeshift``, ``snapper`` or ``snapper:CONFIG`` to have one made first; ``""`` for none."""
