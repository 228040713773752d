"""What the five public notes tell their reader to check and to do, and what became of each here.

The notes are one person's, on one RX 5600 XT (hkevin01/rocm-patch; numbers as in claims.toml).
"""

from __future__ import annotations

from typing import NamedTuple


class Item(NamedTuple):
    """One thing that a note says to look at."""

    note: str
    what: str
    by: tuple[str, ...]
    """Names of checks; ``explain CAUSE`` where a text proves it."""
    why_not: str = ""
    """Why it is no check, or what the check does in another way."""


ITEMS = (
    # 000: ROCm 5.2 below a torch for 5.7
    Item("000", "torch.version.hip tells which ROCm runs", ("own rocm", "each torch on the card"),
         "It tells what torch was built with; the libraries in the process tell what runs."),
    Item("000", "GEMM=0 and IMPLICIT_GEMM=1 are set", ("idle", "families"),
         "Only 0 acts; four of five families off may leave MIOpen none."),
    Item("000", "LD_LIBRARY_PATH leads to the system's ROCm", ("library path",),
         "It is a fault with old wheels, and does nothing with later ones."),
    Item("000", "HIP_FORCE_COARSE_GRAIN, HSA_XNACK and the like", ("idle",)),
    Item("000", "HIP_VISIBLE_DEVICES=0", ("masks",)),
    Item("000", "PYTORCH_ROCM_ARCH and HIP_PLATFORM", (),
         "They count when something is built, not for a wheel; who builds needs them."),
    Item("000", "the sizes from 32 to 512, channels, kernels, batches",
         ("the last Conv2d results",)),
    # 001: the checklist behind an installation, the quick verification, the troubleshooting
    Item("001", "a folder /opt/rocm-5.2.0", ("own rocm",),
         "A wheel brings its own ROCm; the folder is not needed."),
    Item("001", "Python 3.10 is there", ("explain python-too-new",),
         "An installation brings the Python that it needs; without one nothing is wrong."),
    Item("001", "the environment exists", (),
         "Every environment is found by detection; which of them is wanted only its owner knows."),
    Item("001", "torch is 1.13.1+rocm5.2", ("code for card", "build"),
         "Each torch is judged by the code that it has and the override that it gets."),
    Item("001", "numpy is older than 2", ("numpy",)),
    Item("001", "MIOPEN_DEBUG_CONV_IMPLICIT_GEMM is 1", ("idle",),
         "The other way round: it does nothing, and that it is set is told."),
    Item("001", "torch.__version__, cuda.is_available, the name of the card",
         ("each torch on the card",), "It uses the card, so only where somebody asks for it."),
    Item("001", "the capability is (10, 3)", ("each torch on the card",),
         "It is what the override makes the card pass for; told as that."),
    Item("001", "ten sizes of 3->64 pass", ("the last Conv2d results",),
         "With channels that the notes say hang, and with the numbers checked."),
    Item("001", "an aperture violation", ("explain gpu-memory-fault", "the kernel log"),
         "It is a wrong address, and no mismatch of versions."),
    Item("001", "NumPy's warning", ("numpy", "explain numpy2-abi")),
    Item("001", "pip finds no version", ("explain python-too-new", "explain pip-wrong-index")),
    Item("001", "it still hangs at 44x44", ("the last Conv2d results",
         "changes since it last worked"), "The variable that the note blames does nothing."),
    Item("001", "the card among the PCI devices", ("driver",)),
    Item("001", "the groups video and render", ("permission",),
         "Those in force count, not those in the file: the new ones need a new login."),
    Item("001", "/dev/kfd", ("driver", "permission")),
    Item("001", "ROCM_PATH is exported", (), "No wheel reads it; only builds do."),
    # 002: the last summary for ROCm 5.7
    Item("002", "an infinite hang of 16->32 above 32x32", ("the last Conv2d results",),
         "Its class tells compiling, searching and a kernel on the card apart."),
    Item("002", "MIOPEN_FIND_ENFORCE=3 took 33 minutes", ("searching",)),
    Item("002", "MIOPEN_FIND_ENFORCE=NONE, MIOPEN_DISABLE_CACHE=0", ("idle",),
         "Both are the default."),
    Item("002", "the kernel cache", ("MIOpen's folders", "explain miopen-cache")),
    Item("002", "only GEMM is left", ("families", "explain miopen-solver-restricted")),
    Item("002", "lspci shows one of four numbers", ("driver",),
         "Every display function is looked at; the notes' four miss most of the cards."),
    Item("002", "the driver and the system crash or reset", ("the kernel log", "stuck work",
         "the kernel log of the previous boot")),
    # 003: why to go from 5.7 to 5.2
    Item("003", "ROCm 5.3 and newer with the override", ("code for card",),
         "It is a warning: users report it, and nobody has shown what changed."),
    Item("003", "16->32 at 64x64 hangs", ("the last Conv2d results",)),
    Item("003", "does it work after the change", ("changes since it last worked",
         "the last Conv2d results")),
    Item("003", "two releases of ROCm after a downgrade", ("releases", "shadowing")),
    Item("003", "log out and in again", ("permission",)),
    # 004: ROCm 6.2 with a MIOpen built by hand
    Item("004", "system ROCm and torch have the same release", ("own rocm",),
         "They need not: the wheel runs its own."),
    Item("004", "libMIOpen.so was exchanged", ("exchanged",)),
    Item("004", "MIOPEN_FORCE_RDNA1 is set", ("idle",), "No published MIOpen reads it."),
    Item("004", "the override is set", ("code for card", "spoofed processor")),
    Item("004", "the compilation of a kernel hangs", ("the last Conv2d results",),
         "Compiling is seen by what grows; silence on a busy card is a kernel."),
    Item("004", "AMD's installer for another release of Ubuntu", ("sources", "work",
         "explain apt-release-mismatch")),
    Item("004", "PCIe atomics", ("slot",), "The card's firmware may do without them."),
    Item("004", "rocminfo lists the card", ("driver", "slot"),
         "The kernel's own list says the same; the program may hang on a sick card, and need not "
         "be installed."),
    Item("004", "rocm-smi", (), "It asks a driver that may be stuck, and a wheel brings none."),
    Item("004", "kernel and distribution", ("changes since it last worked",)),
    Item("004", "the C library", ("executable stack", "changes since it last worked")),
    Item("004", "matmul, linear, batch norm, pooling work", (),
         "Each is measured where somebody asks: rdna1-setup conv2d --operations"),
    Item("004", "pip refuses on a system Python", (),
         "Nothing is wrong then: installations go into an environment."),
)  # fmt: skip
