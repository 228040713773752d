"""What can go wrong, on request.

``FAKE_TORCH`` holds ``{"import": NAME, "shapes": {C_OUT: NAME}, "limits": {CHANNELS: SIZE}}``.
CHANNELS is a number of input channels, ``power of two`` or ``any``: larger images hang.

Faults of shapes strike in float32 alone, so that the float64 reference is right.
"""

from __future__ import annotations

import collections
import ctypes
import itertools
import json
import os
import signal
import threading
import time
from typing import Any

WISHES: dict[str, Any] = json.loads(os.environ.get("FAKE_TORCH", "{}"))
HOME_PROCESS = os.getpid()
HELD = threading.Lock()


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
    return os.access(os.environ.get("FAKE_TORCH_CACHE", "/nonexistent") + "/enough", os.F_OK)


def compile_slowly() -> None:
    """What a compiler in the process leaves in its cache."""
    tell_that_it_hangs()
    kernel = os.open(os.environ["FAKE_TORCH_CACHE"] + "/kernel.o", os.O_WRONLY | os.O_CREAT)
    while not is_compiled():
        os.write(kernel, b"code")
        time.sleep(0.005)


def search_for_ever() -> None:
    """What MIOpen prints while it tunes."""
    tell_that_it_hangs()
    for number in itertools.count():
        os.write(2, b"MIOpen(HIP): Info [FindSolutionImpl] Starting search: ConvAsm%d\n" % number)
        time.sleep(0.005)


def run_a_kernel_for_ever() -> None:
    """What MIOpen prints before a kernel that never ends."""
    os.write(2, b"MIOpen(HIP): Info2 [run] kernel_name = gemm_k, global_work_dim = {64\n")
    hang()


SILENT = {
    "hang": hang,
    "compile": compile_slowly,
    "search": search_for_ever,
    "kernel": run_a_kernel_for_ever,
}
"""What does not answer for longer than any deadline."""


def print_rubbish() -> None:
    """What no reader of lines survives: binary, megabytes without a newline, and false events."""
    os.write(1, b'{"event": "measured", "ticket": 1, "cold": 0, "warm": [], "size": [1]}\n')
    os.write(1, b'\xff\xfe\x00\x1b[2J{"event": \n')
    os.write(2, b"x" * 3_000_000)


def at_import() -> None:
    """The fault of importing torch."""
    wish = WISHES.get("import")
    if wish == "hang":
        loop_natively()
    elif wish == "crash":
        ctypes.string_at(0)
    elif wish == "raise":
        raise ImportError("libamdhip64.so: cannot enable executable stack")
    elif wish == "rubbish":
        print_rubbish()
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
    if WISHES.get("import") == "fork deadlock" and os.getpid() != HOME_PROCESS:
        tell_that_it_hangs()
        HELD.acquire()
    wish = str(WISHES.get("shapes", {}).get(str(c_out), ""))
    if wish in SILENT and not is_compiled():
        SILENT[wish]()
    elif wish == "crash":
        ctypes.string_at(0)
    elif wish == "leave":
        os._exit(7)
    elif wish == "rubbish":
        print_rubbish()
    elif wish == "raise":
        raise RuntimeError("HIP error: invalid device function")
    elif wish == "out of memory":
        raise OutOfMemoryError("HIP out of memory. Tried to allocate 20.00 GiB")
    return wish
