"""Measures Conv2d under the Python of a venv, in processes that may be killed at any time.

One file, standard library and torch alone, Python 3.8 to 3.13. Three roles:

* ``measure``: a warm parent. It imports torch once and forks a child that measures shapes in order
  until it fails, dies or is killed; the next command forks the next. With ``--spawn`` it imports
  nothing and starts a new interpreter for each shape.
* ``once``: such an interpreter.
* ``reference``: computes the same convolution on the CPU in float64 and compares.

Protocol, version 1: JSON lines on two descriptors of our own, handed over by number, so that
stray prints of torch and of native code cannot break it. A ``measure`` command is read by whoever
is free: the idle child, or the parent once its child is gone. Each event about a shape repeats the
ticket of its command. Nothing here knows deadlines: the client has them, for this may be stuck.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import gc
import importlib
import json
import math
import mmap
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
import warnings
from typing import Any

PROTOCOL = 1
LONGEST_TEXT = 600
"""Characters of an error text: a line of less than PIPE_BUF (4096 bytes) is never torn apart."""
TICKET_BYTES = 8
GRACE_SECONDS = 1.0
"""How long a child may take to leave by itself after the client is gone."""
PR_SET_PDEATHSIG = 1
MADV_POPULATE_WRITE = 23
MAPPED_AHEAD = 256 << 20
"""Bytes of shared memory up to which it is mapped before the first result is copied there."""
GPU_DEVICES = ("/dev/kfd", "/dev/dri/", "/dev/nvidia")
GPU_LIBRARIES = (
    "libamdhip64",
    "libMIOpen",
    "libhsa-runtime64",
    "librocblas",
    "libcudart",
    "libcudnn",
)
SETTING_PREFIXES = ("HSA_", "HIP_", "ROCR_", "MIOPEN_", "AMD_", "GPU_", "ROCBLAS_", "CUDA_VISIBLE")
DTYPE_BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8}


class Channel:
    """JSON lines in and out on private descriptors."""

    def __init__(self, control: int, events: int) -> None:
        self.control = control
        self.events = events
        # Shared with forked children: which command was read last, by whichever of us.
        self._taken = mmap.mmap(-1, TICKET_BYTES)
        self._unread = b""

    def read(self) -> dict[str, Any] | None:
        """The next command, or None when the client has closed its end.

        A client sends a command to measure once more when a child dies that may have read it.
        """
        while True:
            while b"\n" not in self._unread:
                chunk = os.read(self.control, 65536)
                if not chunk:
                    return None
                self._unread += chunk
            line, self._unread = self._unread.split(b"\n", 1)
            command: dict[str, Any] = json.loads(line.decode("utf-8"))
            if command["do"] != "measure" or command["ticket"] != self.last_taken():
                self._taken[:] = command["ticket"].to_bytes(TICKET_BYTES, "little")
                return command

    def last_taken(self) -> int:
        """The ticket of the command that was read last; 0 for none."""
        return int.from_bytes(self._taken[:], "little")

    def tell(self, event: str, **fields: Any) -> None:
        """Send one event in one write, so that lines of several processes never mix."""
        line = json.dumps(dict(fields, event=event)) + "\n"
        os.write(self.events, line.encode("ascii"))


def main() -> int:
    """Take the role that the command line names."""
    arguments = parse_arguments()
    for descriptor in (arguments.control, arguments.events, arguments.buffer, arguments.life):
        if descriptor is not None:
            os.set_inheritable(descriptor, False)
    forbid_core_dumps()
    channel = Channel(arguments.control, arguments.events)
    if arguments.role == "once":
        die_with_parent()
        os.read(arguments.life, 1)
        run_child(import_torch(channel), channel, arguments, json.loads(arguments.command))
        return 0
    channel.tell("hello", protocol=PROTOCOL, pid=os.getpid(), python=sys.version.split()[0])
    if arguments.role == "reference":
        torch = import_torch(channel)
        if arguments.device == "cuda":
            # It works while the card is measured: one core stays free for what drives the card.
            torch.set_num_threads(max(1, torch.get_num_threads() - 1))
        compare_on_request(torch, channel, arguments.buffer)
        return 0
    torch = None if arguments.spawn else import_torch(channel)
    start_children(torch, channel, arguments)
    return 0


def parse_arguments() -> argparse.Namespace:
    """The command line, which only the client writes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("role", choices=["measure", "once", "reference"])
    parser.add_argument("--control", type=int, required=True)
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--buffer", type=int, required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    parser.add_argument("--spawn", action="store_true")
    parser.add_argument("--command", help="what an interpreter for one shape measures")
    parser.add_argument("--life", type=int, help="the parent's word to begin; closed at our end")
    return parser.parse_args()


def import_torch(channel: Channel) -> Any:
    """torch, imported and announced; the process ends when that fails."""
    # The folder of this file comes first on sys.path: a neighbour named like a module of torch's
    # would be imported in its place.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    started = time.perf_counter()
    try:
        torch = importlib.import_module("torch")
        importlib.import_module("torch.nn.functional")
        version = str(torch.__version__)  # a folder that was left behind has none
    except Exception as error:  # an import runs arbitrary code: whatever it raises is the finding
        missing = isinstance(error, ModuleNotFoundError) and error.name == "torch"
        channel.tell("import-failed", missing=missing, text=words_of(error))
        sys.exit(3)
    # What the import has left behind is never looked through again: a collection in a forked child
    # would touch, and so copy, every page of it.
    gc.collect()
    gc.freeze()
    channel.tell(
        "imported",
        torch=version,
        hip=getattr(torch.version, "hip", None),
        cuda=getattr(torch.version, "cuda", None),
        setting=setting_in_force(),
        seconds=round(time.perf_counter() - started, 3),
    )
    return torch


def setting_in_force() -> dict[str, str]:
    """The variables that reach ROCm, after whatever the venv sets at start."""
    return {
        name: value[:80]
        for name, value in sorted(os.environ.items())
        if name.startswith(SETTING_PREFIXES)
    }


def words_of(error: BaseException) -> str:
    """An exception as one short text."""
    return "{}: {}".format(type(error).__name__, error)[:LONGEST_TEXT]


def start_children(torch: Any, channel: Channel, arguments: argparse.Namespace) -> None:
    """Start a process for each command that no living child has taken, and a forked one ahead."""
    if torch is not None:
        start_child(torch, channel, arguments, None)
    command = channel.read()
    while command is not None:
        start_child(torch, channel, arguments, command)
        command = channel.read()


def start_child(
    torch: Any, channel: Channel, arguments: argparse.Namespace, command: dict[str, Any] | None
) -> None:
    """Start a child with what it measures first, if that is known yet, and wait for its end."""
    ticket = None if command is None else command["ticket"]
    held = [] if torch is None else gpu_devices_held()
    if held:
        channel.tell("fork-unsafe", ticket=ticket, paths=held[:3])
        return
    alive, life = (end.detach() for end in socket.socketpair())
    start = spawn_child if torch is None else fork_child
    pid = start(torch, channel, arguments, command, alive, life)
    channel.tell("child", pid=pid, ticket=ticket)
    os.write(alive, b"!")  # it waits: a client that has not heard of it could not tell of its end
    os.close(life)
    watch(pid, alive, channel)
    os.close(alive)


def gpu_devices_held() -> list[str]:
    """Device files of a GPU that this process has open: a fork would share them with the child."""
    held = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink("/proc/self/fd/" + name)
        except OSError:  # the descriptor of the listing itself is closed by now
            continue
        if target.startswith(GPU_DEVICES):
            held.append(target)
    return sorted(held)


def fork_child(
    torch: Any,
    channel: Channel,
    arguments: argparse.Namespace,
    command: dict[str, Any] | None,
    alive: int,
    life: int,
) -> int:
    """The process id of a forked child that measures until it is told no more."""
    with warnings.catch_warnings():
        # Python 3.12 warns of threads in a process that forks; those of numpy survive it.
        warnings.simplefilter("ignore", DeprecationWarning)
        pid = os.fork()
    if pid:
        return pid
    status = 1
    try:
        os.close(alive)  # and keep ``life``: its end tells the parent that this process has ended
        die_with_parent()
        os.read(life, 1)
        run_child(torch, channel, arguments, command)
        status = 0
    finally:
        # Never back into the parent's loop, and no exit handlers of a half-copied process.
        os._exit(status)


def spawn_child(
    _torch: Any,
    channel: Channel,
    arguments: argparse.Namespace,
    command: dict[str, Any] | None,
    alive: int,
    life: int,
) -> int:
    """The process id of a new interpreter that measures one shape."""
    kept = (channel.control, channel.events, arguments.buffer, life)
    argv = [
        sys.executable,
        os.path.abspath(__file__),
        "once",
        "--control",
        str(channel.control),
        "--events",
        str(channel.events),
        "--buffer",
        str(arguments.buffer),
        "--device",
        arguments.device,
        "--life",
        str(life),
        "--command",
        json.dumps(command),
    ]
    child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, pass_fds=kept)
    child.returncode = 0  # we reap it ourselves, so that its id stays taken while it may be killed
    return child.pid


def watch(pid: int, alive: int, channel: Channel) -> None:
    """Wait for the end of the child, or end it when the client has gone."""
    poll = select.poll()
    poll.register(alive, 0)  # nothing but the hang-up: every writer has closed
    poll.register(channel.control, 0)
    if alive not in dict(poll.poll()):
        mercy = select.poll()
        mercy.register(alive, 0)
        if not mercy.poll(GRACE_SECONDS * 1000):
            kill_group(pid)
    # Left as a zombie while this process lives: the client may be about to kill this id, which must
    # not become anyone else's.
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    if ended is None:
        return  # only a call that may not wait comes back with nothing
    code = ended.si_status if ended.si_code == os.CLD_EXITED else -ended.si_status
    try:
        channel.tell("gone", pid=pid, code=code, taken=channel.last_taken())
    except OSError:  # the client has gone too
        sys.exit(0)


def kill_group(pid: int) -> None:
    """Kill the child and what it started."""
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):  # already gone, or not yet a group
            kill(pid, signal.SIGKILL)


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends, however that comes."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def run_child(
    torch: Any, channel: Channel, arguments: argparse.Namespace, command: dict[str, Any] | None
) -> None:
    """Measure this command and, in a forked child, those that follow until one fails."""
    os.setpgid(0, 0)  # a group of its own: killed with all that it starts, and without the parent
    buffer = mmap.mmap(arguments.buffer, 0)
    if len(buffer) <= MAPPED_AHEAD:
        with contextlib.suppress(OSError):  # Linux before 5.14 cannot
            buffer.madvise(MADV_POPULATE_WRITE)
    announced = False
    if command is None:
        command = channel.read()
    while command is not None:
        try:
            if not announced:
                announce_device(torch, channel, arguments.device)
                announced = True
            measure(torch, channel, arguments.device, command, buffer)
        except Exception as error:  # whatever torch raises for a shape is that shape's outcome
            kind = "out of memory" if ran_out_of_memory(torch, error) else "error"
            channel.tell("failed", ticket=command["ticket"], kind=kind, text=words_of(error))
            return  # an error may leave the GPU context broken: the next shape gets a new process
        command = None if arguments.role == "once" else channel.read()


def forbid_core_dumps() -> None:
    """Leave no core file: that of a process with torch has gigabytes."""
    # One byte rather than none: the kernel ignores a limit of 0 when it hands cores to a program
    # such as systemd-coredump, and takes a limit of 1 for "do not".
    hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
    limit = 0 if hard == 0 else 1
    resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))


def announce_device(torch: Any, channel: Channel, device: str) -> None:
    """Say what was really loaded and which card answers, as the runtime names it."""
    name, gfx = "cpu", None
    if device == "cuda":
        if not torch.cuda.is_available():
            channel.tell("no-device", hip=getattr(torch.version, "hip", None))
            os._exit(0)
        name = torch.cuda.get_device_name(0)
        gfx = getattr(torch.cuda.get_device_properties(0), "gcnArchName", None)
        # Reduced precision on newer cards would look like wrong numbers.
        torch.backends.cudnn.allow_tf32 = False
    libraries = gpu_libraries() if device == "cuda" else []
    channel.tell("ready", device=name, gfx=gfx, libraries=libraries)


def gpu_libraries() -> list[str]:
    """Paths of the GPU libraries in this process: from the wheel, or from elsewhere."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as maps:
        paths = {line.rstrip("\n").partition("/")[2] for line in maps if "/" in line}
    found = ["/" + path for path in paths if path.rpartition("/")[2].startswith(GPU_LIBRARIES)]
    return sorted(path[-200:] for path in found)[:8]


def ran_out_of_memory(torch: Any, error: BaseException) -> bool:
    """True for the GPU's and for the processor's shortage of memory."""
    kind = getattr(getattr(torch, "cuda", None), "OutOfMemoryError", None)
    text = str(error).lower()
    return (
        isinstance(error, MemoryError)
        or (kind is not None and isinstance(error, kind))
        or "out of memory" in text
        or "can't allocate memory" in text
    )


def measure(
    torch: Any, channel: Channel, device: str, command: dict[str, Any], buffer: mmap.mmap
) -> None:
    """One cold call, several warm ones, and the result copied to where the reference reads it."""
    shape, ticket = command["shape"], command["ticket"]

    def enter(phase: str) -> None:
        channel.tell("phase", ticket=ticket, phase=phase)

    enter("tensors")
    torch.backends.cudnn.enabled = command["engine"] != "native"
    tensors = [t if t is None else t.to(device) for t in inputs_of(torch, shape, command["seed"])]
    on_gpu = device == "cuda"
    if on_gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    with torch.no_grad():
        enter("cold")
        result, cold = timed_call(torch, shape, tensors, on_gpu)
        enter("warm")
        warm = [timed_call(torch, shape, tensors, on_gpu)[1] for _ in range(command["warm_runs"])]
    memory = int(torch.cuda.max_memory_allocated()) if on_gpu else None
    enter("copy back")
    shared_view(torch, buffer, shape, tuple(result.shape)).copy_(result)
    channel.tell(
        "measured", ticket=ticket, cold=cold, warm=warm, memory=memory, size=list(result.shape)
    )


def inputs_of(torch: Any, shape: dict[str, Any], seed: int) -> tuple[Any, Any, Any]:
    """Image, weights and bias: the same numbers in every process, for the same torch.

    Weights are scaled by the square root of the reduction length, so that results are about 1 in
    size whatever the shape; the client's tolerance relies on it.
    """
    dtype = getattr(torch, shape["dtype"])
    generator = torch.Generator()
    generator.manual_seed(seed)
    inner, kernel = shape["c_in"] // shape["groups"], shape["kernel"]
    image = torch.randn(shape["n"], shape["c_in"], shape["h"], shape["w"], generator=generator)
    weight = torch.empty(shape["c_out"], inner, kernel, kernel)
    weight.normal_(0, 1 / math.sqrt(inner * kernel * kernel), generator=generator)
    bias = torch.randn(shape["c_out"], generator=generator).to(dtype) if shape["bias"] else None
    return image.to(dtype), weight.to(dtype), bias


def timed_call(
    torch: Any, shape: dict[str, Any], tensors: list[Any], on_gpu: bool
) -> tuple[Any, float]:
    """The result of one convolution and the seconds until the device had finished it."""
    started = time.perf_counter()
    result = convolve(torch, shape, tensors)
    if on_gpu:
        torch.cuda.synchronize()
    return result, time.perf_counter() - started


def convolve(torch: Any, shape: dict[str, Any], tensors: list[Any]) -> Any:
    """The convolution under test, through the function that ``torch.nn.Conv2d`` calls."""
    image, weight, bias = tensors
    return torch.nn.functional.conv2d(
        image, weight, bias, shape["stride"], shape["padding"], shape["dilation"], shape["groups"]
    )


def shared_view(torch: Any, buffer: mmap.mmap, shape: dict[str, Any], size: tuple[int, ...]) -> Any:
    """The shared memory as a tensor of the result's size."""
    dtype = getattr(torch, shape["dtype"])
    count = math.prod(size)
    if count * DTYPE_BYTES[shape["dtype"]] > len(buffer):
        raise ValueError("the result is larger than expected: {}".format(list(size)))
    return torch.frombuffer(buffer, dtype=dtype, count=count).view(size)


def compare_on_request(torch: Any, channel: Channel, buffer_descriptor: int) -> None:
    """Work references out, ahead when asked to, and compare measured results with them."""
    buffer = mmap.mmap(buffer_descriptor, 0)
    ready, expected = None, None  # one at a time: references of large shapes are large
    command = channel.read()
    while command is not None:
        ticket = command["ticket"]
        try:
            if ready != ticket:
                ready, expected = ticket, None
                expected = reference_of(torch, command)
            if command["do"] == "compare":
                channel.tell("compared", ticket=ticket, **compare(torch, command, buffer, expected))
        except Exception as error:  # a reference that cannot be had is told, not guessed
            ready = None
            channel.tell("failed", ticket=ticket, kind="reference", text=words_of(error))
        command = channel.read()


def reference_of(torch: Any, command: dict[str, Any]) -> Any:
    """The same convolution of the same rounded numbers, in float64 on the processor."""
    tensors = inputs_of(torch, command["shape"], command["seed"])
    doubles = [tensor if tensor is None else tensor.double() for tensor in tensors]
    with torch.no_grad():
        return convolve(torch, command["shape"], doubles)


def compare(
    torch: Any, command: dict[str, Any], buffer: mmap.mmap, expected: Any
) -> dict[str, Any]:
    """How far the measured numbers are from the expected ones."""
    size = tuple(command["size"])
    if size != tuple(expected.shape):
        raise ValueError("result {} in place of {}".format(list(size), list(expected.shape)))
    measured = shared_view(torch, buffer, command["shape"], size).double()
    nonfinite = math.prod(size) - int(torch.isfinite(measured).sum())
    error = None if nonfinite else float((measured - expected).abs().max())
    return {"max_abs_error": error, "nonfinite": nonfinite}


if __name__ == "__main__":
    sys.exit(main())
