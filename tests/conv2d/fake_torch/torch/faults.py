"""What can go wrong, on request.

``FAKE_TORCH`` holds ``{"import": NAME, "shapes": {C_OUT: NAME}, "limits": {CHANNELS: SIZE},
"health": NAME, "reference": NAME}``; the last two are what befalls the sum and the product of a
health check, and the float64 reference.
CHANNELS is a number of input channels, ``power of two`` or ``any``: larger images hang.
``"operations": {KIND: NAME}`` are faults of other operations. ``backward NAME`` strikes when
somebody wants gradients.

Faults of shapes strike in float32 alone, so that the float64 reference is right.

One fault is always there, as with threads of OpenMP and with drivers of cards: a process that has
computed, or has asked the card, has forked children that cannot.
"""

from __future__ import annotations

import collections
import ctypes
import itertools
import json
import math
import os
import signal
import threading
import time
from typing import Any, TypeVar

T = TypeVar("T")
WISHES: dict[str, Any] = json.loads(os.environ.get("FAKE_TORCH", "{}"))
HOME_PROCESS = os.getpid()
HELD = threading.Lock()
FORKED_TOO_LATE = {"work": False, "card": False}
"""What the process that imported this has done already."""


class OutOfMemoryError(RuntimeError):
    """What torch raises when the card is full."""


def tell_that_it_hangs() -> None:
    """A byte to the FIFO that ``FAKE_TORCH_HANGS`` names, for a client that would wait in vain."""
    if "FAKE_TORCH_HANGS" in os.environ:
        fifo = os.open(os.environ["FAKE_TORCH_HANGS"], os.O_WRONLY)
        os.write(fifo, b"!")
        os.close(fifo)


def loop_natively() -> None:
    """An endless loop in native code that holds the interpreter: no signal handler ever runs."""
    collections.deque(itertools.repeat(0), maxlen=0)


def hang() -> None:
    """Say so, and loop."""
    tell_that_it_hangs()
    loop_natively()


def is_compiled() -> bool:
    """True once the client has seen enough of the compiler: later calls find their kernel."""
    return os.access(cache() + "/enough", os.F_OK)


def cache() -> str:
    """The folder that a compiler writes to: the one that the test names, or MIOpen's own."""
    usual = os.environ.get("MIOPEN_CUSTOM_CACHE_DIR", "/nonexistent")
    return os.environ.get("FAKE_TORCH_CACHE", usual)


def compile_slowly() -> None:
    """What a compiler in the process leaves in its cache."""
    tell_that_it_hangs()
    kernel = os.open(cache() + "/kernel.o", os.O_WRONLY | os.O_CREAT)
    while not is_compiled():
        os.write(kernel, b"code")
        time.sleep(0.005)


def search_in_silence() -> None:
    """Say that a search begins, and compute without another word."""
    os.write(2, b"MIOpen(HIP): Info [FindSolutionImpl] Starting search: ConvHipImplicitGemm\n")
    hang()


def search_for_ever() -> None:
    """What MIOpen prints while it tunes."""
    tell_that_it_hangs()
    for number in itertools.count():
        os.write(2, b"MIOpen(HIP): Info [FindSolutionImpl] Starting search: ConvAsm%d\n" % number)
        time.sleep(0.005)


def write_to_a_frozen_disk() -> None:
    """What no signal ends: the process waits in the kernel."""
    tell_that_it_hangs()
    os.open(os.environ["FAKE_TORCH_FROZEN"], os.O_WRONLY | os.O_CREAT)


def hang_after_a_fault() -> None:
    """What the HSA runtime prints before it ends its process, which then does not end."""
    os.write(2, b"HW Exception by GPU node-1 (Agent handle: 0x55f0) reason :GPU Hang\n")
    hang()


def run_a_kernel_for_ever() -> None:
    """What MIOpen prints before a kernel that never ends."""
    os.write(2, b"MIOpen(HIP): Info2 [run] kernel_name = gemm_k, global_work_dim = {64\n")
    hang()


SILENT = {
    "hang": hang,
    "compile": compile_slowly,
    "search": search_for_ever,
    "silent search": search_in_silence,
    "kernel": run_a_kernel_for_ever,
    "frozen": write_to_a_frozen_disk,
    "fault and hang": hang_after_a_fault,
}
"""What does not answer for longer than any deadline."""


def print_rubbish() -> None:
    """What no reader of lines survives: binary, megabytes without a newline, and false events."""
    os.write(1, b'{"event": "measured", "ticket": 1, "cold": 0, "warm": [], "size": [1]}\n')
    os.write(1, b'\xff\xfe\x00\x1b[2J{"event": \n')
    os.write(2, b"x" * 3_000_000)


def die_of_a_fault() -> None:
    """What the HSA runtime prints before it ends its process, and what comes after that."""
    os.write(
        2,
        b"Memory access fault by GPU node-1 (Agent handle: 0x55f0) on address 0x7f0000000000. "
        b"Reason: Page not present or supervisor privilege.\n" + b"a frame of the stack\n" * 20,
    )
    os.abort()


def noted(variable: str) -> int:
    """A byte to the file that the variable names; how many were there, of whatever process."""
    if variable not in os.environ:
        return 0
    file = os.open(os.environ[variable], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(file, b"!")
    before = os.lseek(file, 0, os.SEEK_CUR) - 1
    os.close(file)
    return before


def crash() -> None:
    """Read where no memory is."""
    ctypes.string_at(0)


def print_and_crash() -> None:
    """What a library says through Python on standard output, and dies at once."""
    print("rocBLAS error: Cannot read TensileLibrary.dat")
    crash()


def leave() -> None:
    """End the process without a word."""
    os._exit(7)


def fail() -> None:
    """What torch raises where a wheel has no code for the card."""
    raise RuntimeError("HIP error: invalid device function")


def fill_the_memory() -> None:
    """What torch raises when the card is full."""
    raise OutOfMemoryError("HIP out of memory. Tried to allocate 20.00 GiB")


LOUD = {
    "rubbish": print_rubbish,
    "fault": die_of_a_fault,
    "crash": crash,
    "print and crash": print_and_crash,
    "leave": leave,
    "raise": fail,
    "out of memory": fill_the_memory,
}
"""What answers at once, if not with a result."""


def make_noise() -> None:
    """10,000 lines on each output, with events, torn events and words of MIOpen among them."""
    lines = (
        b'{"event": "measured", "ticket": %d, "cold": 0, "warm": [], "parts": []}\n',
        b'{"event": "gone", "pid": %d, "code": 0}\n',
        b'{"event": "phase", "ticket": %d,\n',
        b"MIOpen(HIP): Info [FindSolutionImpl] ConvDirect%d (not searchable)\n",
        b"\xff\x00\x1b[%dm\r\n",
    )
    for number in range(10_000):
        for output in (1, 2):
            os.write(output, lines[number % len(lines)] % number)


def at_work() -> None:
    """Before anything is computed."""
    if os.getpid() == HOME_PROCESS:
        FORKED_TOO_LATE["work"] = True
    elif FORKED_TOO_LATE["work"]:
        hang()


def at_card() -> None:
    """Before anything is asked of the card."""
    if os.getpid() == HOME_PROCESS:
        FORKED_TOO_LATE["card"] = True
    elif FORKED_TOO_LATE["card"]:
        raise RuntimeError("Cannot re-initialize CUDA in forked subprocess")


WHILE_IMPORTED = {
    "hang": loop_natively,
    "rubbish": print_rubbish,
    "noise": make_noise,
    "compute": at_work,
    "ask the card": at_card,
}
"""What an import may do in so many words."""


def at_import() -> None:
    """The fault of importing torch; each import is noted."""
    noted("FAKE_TORCH_IMPORTS")
    wish = WISHES.get("import")
    if wish in WHILE_IMPORTED:
        WHILE_IMPORTED[wish]()
    elif wish == "crash":
        ctypes.string_at(0)
    elif wish == "raise":
        raise ImportError("libamdhip64.so: cannot enable executable stack")
    elif wish == "slow":
        time.sleep(2.5)
    elif wish == "ignore sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    elif wish == "deadlock at fork":
        HELD.acquire()
        os.register_at_fork(after_in_child=HELD.acquire)
    elif wish == "slow parent":
        # The child has done its work before the process that forked it says a word.
        os.register_at_fork(after_in_parent=lambda: time.sleep(0.3))
    elif wish == "fork deadlock":
        # A thread takes a lock for good. A forked child has the lock and not the thread.
        thread = threading.Thread(target=HELD.acquire)
        thread.start()
        thread.join()


def at_first_use() -> None:
    """What befalls a forked process that needs a lock which it has and nobody holds."""
    if WISHES.get("import") == "fork deadlock" and os.getpid() != HOME_PROCESS:
        tell_that_it_hangs()
        HELD.acquire()
    at_work()


def at_health() -> None:
    """The fault of the first operation of a health check."""
    at_first_use()
    wish = WISHES.get("health")
    if wish == "hang":
        hang()
    elif wish == "crash":
        ctypes.string_at(0)
    elif wish == "late":
        time.sleep(2.2)
    elif wish == "raise":
        raise RuntimeError("HIP error: unspecified launch failure")


def at_reference() -> None:
    """The fault of a convolution in float64."""
    if WISHES.get("reference") == "right only once" and noted("FAKE_TORCH_CALLS"):
        raise MemoryError("no memory for the reference")


def at_driver() -> None:
    """The fault of the first call to the driver."""
    if WISHES.get("import") == "crash in the driver":
        ctypes.string_at(0)


def at_size(c_in: int, size: int) -> None:
    """Hang when the image is larger than the limit for that many input channels."""
    limits = WISHES.get("limits", {})
    known = [str(c_in), *(["power of two"] if c_in & (c_in - 1) == 0 else []), "any"]
    limit = next((limits[name] for name in known if name in limits), None)
    if limit is not None and size > limit:
        hang()


def at_convolution(c_out: int) -> str:
    """Strike before a convolution with that many output channels; the name of what comes after."""
    at_first_use()
    wish = str(WISHES.get("shapes", {}).get(str(c_out), ""))
    return wish if wish.startswith("backward ") else strike(wish)


def at_operation(kind: str, is_reference: bool) -> str:
    """Strike before another operation; the name of what comes after."""
    at_work()
    wish = "" if is_reference else str(WISHES.get("operations", {}).get(kind, ""))
    return wish if wish.startswith("backward ") else strike(wish)


def strike(wish: str) -> str:
    """Do what was wished for, if it comes before a result; its name."""
    if wish in SILENT and not is_compiled():
        SILENT[wish]()
    elif wish in LOUD:
        LOUD[wish]()
    elif wish == "hang one time in three" and noted("FAKE_TORCH_CALLS") % 3 == 2:
        hang()
    elif wish == "right only once" and noted("FAKE_TORCH_CALLS"):
        return "wrong"
    elif wish.startswith("noise"):
        make_noise()
        strike(wish.partition(" and ")[2])
    return wish


def spoil(result: T, wish: str) -> T:
    """The result, with what was wished for."""
    spoilt: Any = result
    if wish.startswith("backward "):
        spoilt.later = wish.partition(" ")[2]
    elif wish == "wrong":
        spoilt.values[0] += 0.1
    elif wish == "zeros":
        for place in range(len(spoilt.values)):
            spoilt.values[place] = 0
    elif wish == "nan":
        spoilt.values[0] = math.nan
    return result
