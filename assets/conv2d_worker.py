"""Measures Conv2d under the Python of a venv, in processes that may be killed at any time.

One file, standard library and torch alone, Python 3.8 to 3.13. Three roles:

* ``measure``: a warm parent. It imports torch once and forks a child that measures shapes in order
  until it fails, dies or is killed; the next command forks the next. With ``--spawn`` it imports
  nothing and starts a new interpreter for each shape.
* ``once``: such an interpreter.
* ``reference``: computes the same on the CPU in float64 and compares.

What is measured is a convolution (``work``: ``forward``, ``backward`` or ``train``) or another
operation of torch. Either is a job: called, it gives the numbers that are compared, by name.

Protocol, version 4: JSON lines on two descriptors of our own, handed over by number, so that
stray prints of torch and of native code cannot break it. A ``measure`` command is read by whoever
is free: the idle child, or the parent once its child is gone. Each event about a shape repeats the
ticket of its command. Nothing here knows deadlines: the client has them, for this may be stuck.

A shape's tensors are drawn at once, but the device does not see them before the client permits it:
eight bytes, the ticket, on a third descriptor. The client brings the launch to the disk meanwhile.

A ``health`` command asks, after a hang, for a sum and a small product; the process that answers it
is the one that then measures the next shape.
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
from typing import Any, Callable, Dict, Iterator, List, Tuple

PROTOCOL = 4
LONGEST_TEXT = 600
"""Characters of an error text: a line of less than PIPE_BUF (4096 bytes) is never torn apart."""
TICKET_BYTES = 8
LAUNCHES = ("measure", "health")
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
THREADS_BUSY = 1 << 20
"""Numbers to fill that keep every thread busy: torch gives one of them 32,768 or more."""
HEALTH_SIZE = 16
"""Rows and columns of the numbers that a health check computes with."""
ALIGNMENT = 64
"""Bytes: where one part of a result ends, the next begins at a multiple of these."""
Results = List[Tuple[str, Any]]
"""What is compared: tensors by name."""
Job = Callable[[Callable[[str], None]], Results]
"""Does the work once; calls what it is given where one phase of it ends and another begins."""
Place = Callable[[Any], Any]
"""A tensor or a layer where it is needed: on the device, or in float64."""
Convolve = Callable[[Any, Dict[str, Any], List[Any]], Any]
Sizes = Dict[str, Any]
Draw = Callable[..., Any]
"""Normally distributed numbers of this size, with this ``scale``, ``about`` this one."""
Operation = Tuple[Callable[[], Any], List[Tuple[str, Any]]]
"""Does it; and what goes into it, by name."""


class Channel:
    """JSON lines in and out on private descriptors, and permits."""

    def __init__(self, control: int, events: int, permits: int) -> None:
        self.control = control
        self.events = events
        self.permits = permits
        self._permitted = 0
        # Shared with forked children: which command was read last, by whichever of us.
        self._taken = mmap.mmap(-1, TICKET_BYTES)
        self._unread = b""

    def read(self) -> dict[str, Any] | None:
        """The next command, or None when the client has closed its end.

        A client sends what a child does once more when a child dies that may have read it.
        """
        while True:
            while b"\n" not in self._unread:
                chunk = os.read(self.control, 65536)
                if not chunk:
                    return None
                self._unread += chunk
            line, self._unread = self._unread.split(b"\n", 1)
            command: dict[str, Any] = json.loads(line.decode("utf-8"))
            if command["do"] not in LAUNCHES or command["ticket"] != self.last_taken():
                self._taken[:] = command["ticket"].to_bytes(TICKET_BYTES, "little")
                return command

    def last_taken(self) -> int:
        """The ticket of the command that was read last; 0 for none."""
        return int.from_bytes(self._taken[:], "little")

    def await_permit(self, ticket: int) -> None:
        """Wait until the client permits that command; the process ends when it is gone."""
        while self._permitted != ticket:  # those of processes that died before may come first
            permit = os.read(self.permits, TICKET_BYTES)
            if not permit:
                sys.exit(0)
            self._permitted = int.from_bytes(permit, "little")

    def tell(self, event: str, **fields: Any) -> None:
        """Send one event in one write, so that lines of several processes never mix."""
        line = json.dumps(dict(fields, event=event)) + "\n"
        os.write(self.events, line.encode("ascii"))


def main() -> int:
    """Take the role that the command line names."""
    arguments = parse_arguments()
    numbers = ("control", "events", "permits", "buffer", "life")
    for descriptor in (getattr(arguments, name) for name in numbers):
        if descriptor is not None:
            os.set_inheritable(descriptor, False)
    forbid_core_dumps()
    channel = Channel(arguments.control, arguments.events, arguments.permits)
    if arguments.role == "once":
        die_with_parent()
        os.read(arguments.life, 1)
        run_child(import_torch(channel), channel, arguments, json.loads(arguments.command))
        return 0
    channel.tell("hello", protocol=PROTOCOL, pid=os.getpid(), python=sys.version.split()[0])
    if arguments.role == "reference":
        torch = import_torch(channel)
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
    parser.add_argument("--permits", type=int, required=True)
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
    kept = (channel.control, channel.events, arguments.permits, arguments.buffer, life)
    argv = [
        sys.executable,
        os.path.abspath(__file__),
        "once",
        "--control",
        str(channel.control),
        "--events",
        str(channel.events),
        "--permits",
        str(arguments.permits),
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
    if arguments.device == "cpu":
        start_threads(torch)
    announced = False
    if command is None:
        command = channel.read()
    while command is not None:
        try:
            if not announced:
                announce_device(torch, channel, arguments.device)
                announced = True
            if command["do"] == "health":
                if not is_healthy(torch, channel, arguments.device, command["ticket"]):
                    return
            else:
                measure(torch, channel, arguments.device, command, buffer)
        except Exception as error:  # whatever torch raises for a shape is that shape's outcome
            kind = "out of memory" if ran_out_of_memory(torch, error) else "error"
            channel.tell("failed", ticket=command["ticket"], kind=kind, text=words_of(error))
            return  # an error may leave the GPU context broken: the next shape gets a new process
        # After a check even an interpreter for one shape goes on: to the shape.
        is_over = arguments.role == "once" and command["do"] != "health"
        command = None if is_over else channel.read()


def start_threads(torch: Any) -> None:
    """Have the processor's threads ready: the first shape would pay for their start.

    A fork leaves them behind, and new ones often begin on the core where the first spins.
    """
    torch.full((THREADS_BUSY,), 1.0)


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
        torch.backends.cuda.matmul.allow_tf32 = False
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


def is_healthy(torch: Any, channel: Channel, device: str, ticket: int) -> bool:
    """Tell whether a sum and a product of small whole numbers are right, which means exact.

    No convolution: what a shape may have left broken is the device, not MIOpen. And no BLAS: it
    takes longer to start than all of this, and may lack kernels for a card that is well.
    """
    size, places = HEALTH_SIZE, range(HEALTH_SIZE)
    numbers = [[float((3 * row + 5 * column) % 7) for column in places] for row in places]
    total = [[value + value for value in row] for row in numbers]
    product = [
        [sum(row[place] * numbers[place][column] for place in places) for column in places]
        for row in numbers
    ]
    channel.tell("phase", ticket=ticket, phase="sum")
    square = torch.tensor(numbers).to(device)
    wrong = [] if (square + square).tolist() == total else ["sum"]
    channel.tell("phase", ticket=ticket, phase="product")
    pairs = square.view((size, size, 1)) * square.view((1, size, size))
    wrong += [] if pairs.sum(1).tolist() == product else ["product"]
    channel.tell("health", ticket=ticket, wrong=wrong)
    return not wrong


def measure(
    torch: Any, channel: Channel, device: str, command: dict[str, Any], buffer: mmap.mmap
) -> None:
    """One cold call, several warm ones, and the results copied to where the reference reads it."""
    ticket, on_gpu = command["ticket"], device == "cuda"

    def enter(phase: str) -> None:
        channel.tell("phase", ticket=ticket, phase=phase)

    def finished(phase: str) -> None:
        if on_gpu:
            torch.cuda.synchronize()  # or what the card still does would count as the next phase
        enter(phase)

    def place(thing: Any) -> Any:
        channel.await_permit(ticket)
        return thing.to(device)

    enter("tensors")
    torch.backends.cudnn.enabled = command["engine"] == "configured"
    job = job_of(torch, command, place)
    channel.await_permit(ticket)
    if on_gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    enter("cold")
    results, cold = timed_call(torch, job, finished, on_gpu)
    enter("warm")
    calls = range(command["warm_runs"])
    warm = [timed_call(torch, job, nobody_asks, on_gpu)[1] for _ in calls]
    memory = peak_memory(torch) if on_gpu else None
    enter("copy back")
    parts = [[name, format_of(tensor), list(tensor.shape)] for name, tensor in results]
    for (_, tensor), view in zip(results, shared_views(torch, buffer, parts)):
        view.copy_(tensor)
    channel.tell("measured", ticket=ticket, cold=cold, warm=warm, memory=memory, parts=parts)


def peak_memory(torch: Any) -> int | None:
    """The most bytes that torch has had on the device since that was set back; None if not known.

    ``torch.cuda.max_memory_allocated`` sorts some 80 other figures first, in every shape.
    """
    figures = torch.cuda.memory_stats_as_nested_dict()
    peak: int | None = figures.get("allocated_bytes", {}).get("all", {}).get("peak")
    return peak


def nobody_asks(_phase: str) -> None:
    """The phase of a call that nobody watches."""


def timed_call(
    torch: Any, job: Job, finished: Callable[[str], None], on_gpu: bool
) -> tuple[Results, float]:
    """What one call of the job gives, and the seconds until the device had finished it."""
    started = time.perf_counter()
    results = job(finished)
    if on_gpu:
        torch.cuda.synchronize()
    return results, time.perf_counter() - started


def job_of(torch: Any, command: dict[str, Any], place: Place) -> Job:
    """What a command asks for, with its tensors in place: on the device, or in float64."""
    if command.get("operation"):
        return operation_job(torch, command["operation"], command["seed"], place)
    shape = command["shape"]
    generator = torch.Generator()
    generator.manual_seed(command["seed"])
    tensors = inputs_of(torch, shape, generator)
    if command["work"] == "train":
        image, weight, bias = tensors
        tensors = image, with_unit_rows(torch, weight), bias
    placed = [tensor if tensor is None else place(tensor) for tensor in tensors]
    convolve = unfold_and_multiply if command["engine"] == "unfold" else convolve_directly
    if command["work"] == "backward":
        return backward_job(torch, shape, convolve, placed, generator, place)
    if command["work"] == "train":
        return training_job(torch, shape, convolve, placed, generator, place)

    def forward(_finished: Callable[[str], None]) -> Results:
        with torch.no_grad():
            return [("result", convolve(torch, shape, placed))]

    return forward


def inputs_of(torch: Any, shape: dict[str, Any], generator: Any) -> tuple[Any, Any, Any]:
    """Image, weights and bias: the same numbers in every process, for the same torch.

    Weights are scaled by the square root of the reduction length, so that results are about 1 in
    size whatever the shape; the client's tolerance relies on it.
    """
    dtype = getattr(torch, shape["dtype"])
    inner, kernel = shape["c_in"] // shape["groups"], shape["kernel"]
    image = torch.randn(shape["n"], shape["c_in"], shape["h"], shape["w"], generator=generator)
    weight = torch.empty(shape["c_out"], inner, kernel, kernel)
    weight.normal_(0, 1 / math.sqrt(inner * kernel * kernel), generator=generator)
    bias = torch.randn(shape["c_out"], generator=generator).to(dtype) if shape["bias"] else None
    return image.to(dtype), weight.to(dtype), bias


def with_unit_rows(torch: Any, weight: Any) -> Any:
    """The weights of each output channel scaled to a sum of squares of 1.

    Batch norm divides by the deviation of a channel: that of one whose weights happen to be small
    would blow rounding errors up.
    """
    rows = torch.nn.functional.normalize(weight.to(torch.float32).flatten(1), dim=1)
    return rows.view(tuple(weight.shape)).to(weight.dtype)


def output_size(shape: dict[str, Any]) -> tuple[int, int, int, int]:
    """Images, channels, height and width of the result."""
    reach = shape["dilation"] * (shape["kernel"] - 1) + 1
    high, wide = (
        (shape[side] + 2 * shape["padding"] - reach) // shape["stride"] + 1 for side in ("h", "w")
    )
    return shape["n"], shape["c_out"], high, wide


def convolve_directly(torch: Any, shape: dict[str, Any], tensors: list[Any]) -> Any:
    """The convolution under test, through the function that ``torch.nn.Conv2d`` calls."""
    image, weight, bias = tensors
    return torch.nn.functional.conv2d(
        image, weight, bias, shape["stride"], shape["padding"], shape["dilation"], shape["groups"]
    )


def unfold_and_multiply(torch: Any, shape: dict[str, Any], tensors: list[Any]) -> Any:
    """The same convolution without any library for convolutions: copies, and a matrix product.

    Each column of the unfolded image holds the numbers below one place of the kernel.
    """
    image, weight, bias = tensors
    groups, size = shape["groups"], output_size(shape)
    columns = torch.nn.functional.unfold(
        image, shape["kernel"], shape["dilation"], shape["padding"], shape["stride"]
    )
    grouped = columns.view((size[0], groups, columns.shape[1] // groups, columns.shape[2]))
    rows = weight.view((groups, size[1] // groups, grouped.shape[2]))
    result = torch.matmul(rows, grouped).view(size)
    return result if bias is None else torch.add(result, bias.view((1, size[1], 1, 1)))


def ask_for_one_gradient(torch: Any) -> None:
    """Have torch import what its gradients need, on the processor and before anything is timed.

    torch 2 takes up to a second for it, in every process anew.
    """
    one = torch.full((1,), 1.0).requires_grad_()
    torch.autograd.grad(one.view((1,)), [one], torch.full((1,), 1.0))


def backward_job(
    torch: Any,
    shape: dict[str, Any],
    convolve: Convolve,
    tensors: list[Any],
    generator: Any,
    place: Place,
) -> Job:
    """The convolution, then the gradients of all that goes into it; both are timed as one call.

    What comes from above is normally distributed with variance 1.
    """
    dtype = getattr(torch, shape["dtype"])
    upstream = place(torch.randn(*output_size(shape), generator=generator).to(dtype))
    ask_for_one_gradient(torch)
    names = ("input gradient", "weight gradient", "bias gradient")
    leaves = [tensor.requires_grad_() for tensor in tensors if tensor is not None]

    def backward(finished: Callable[[str], None]) -> Results:
        result = convolve(torch, shape, tensors)
        finished("backward")
        return list(zip(names, torch.autograd.grad(result, leaves, upstream)))

    return backward


def training_job(
    torch: Any,
    shape: dict[str, Any],
    convolve: Convolve,
    tensors: list[Any],
    generator: Any,
    place: Place,
) -> Job:
    """One training step: convolution, batch norm, SiLU, loss, backward pass, and plain SGD.

    SiLU rather than ReLU: where ReLU bends, a rounding error would switch whole terms of a gradient
    on and off, and right numbers would look wrong. Batch norm and loss are in float32 for the
    formats of two bytes, as in mixed precision.

    The gradient begins with a scale of ``elements / (2 sqrt(K))``, K being the numbers of a
    channel, and the step goes ``1 / sqrt(reduction)`` far: then gradients are about 1 in size and
    weights change by about as much as they are, whatever the shape, so that a wrong gradient shows.
    """
    image, weight, bias = tensors
    n, channels, high, wide = size = output_size(shape)
    exact = torch.float64 if shape["dtype"] == "float64" else torch.float32
    scale = torch.empty(channels).normal_(1, 0.2, generator=generator).to(exact)
    shift = torch.empty(channels).normal_(0, 0.2, generator=generator).to(exact)
    target = place(torch.randn(*size, generator=generator).to(exact))
    begin = [weight, *([] if bias is None else [bias]), place(scale), place(shift)]
    names = ["new weight", *([] if bias is None else ["new bias"]), "new scale", "new shift"]
    amount = place(torch.full((1,), math.prod(size) / 2 / math.sqrt(n * high * wide)))
    rate = 1 / math.sqrt(math.prod(weight.shape[1:]))
    ask_for_one_gradient(torch)

    def step(finished: Callable[[str], None]) -> Results:
        parameters = [tensor.clone().requires_grad_() for tensor in begin]
        kernel, offset = parameters[0], None if bias is None else parameters[1]
        found = convolve(torch, shape, [image, kernel, offset])
        norm = batch_norm(torch, found, parameters[-2], parameters[-1])
        active = torch.nn.functional.silu(norm).to(target.dtype)
        loss = torch.nn.functional.mse_loss(active, target).view((1,))
        finished("backward")
        gradients = torch.autograd.grad(loss, parameters, amount.to(target.dtype))
        finished("step")
        with torch.no_grad():
            # What torch.optim.SGD does; that class would import torch's whole compiler first.
            for parameter, gradient in zip(parameters, gradients):
                parameter.add_(gradient, alpha=-rate)
        results = [("loss", loss), *zip(names, parameters)]
        return [(name, tensor.detach()) for name, tensor in results]

    return step


def batch_norm(torch: Any, image: Any, scale: Any, shift: Any) -> Any:
    """Batch norm as a layer does it in training, with the numbers of this batch alone."""
    return torch.nn.functional.batch_norm(image, None, None, scale, shift, True, 0.1, 1e-5)


def operation_job(torch: Any, operation: dict[str, Any], seed: int, place: Place) -> Job:
    """Another operation of torch: its result, or the gradients of all that goes into it."""
    generator = torch.Generator()
    generator.manual_seed(seed)

    def draw(*size: int, scale: float = 1.0, about: float = 0.0) -> Any:
        return torch.empty(*size).normal_(about, scale, generator=generator)

    call, leaves = OPERATIONS[operation["kind"]](torch, operation["sizes"], draw, place)
    if not operation["backward"]:

        def forward(_finished: Callable[[str], None]) -> Results:
            with torch.no_grad():
                return [("result", call())]

        return forward
    # Operations that are differentiated give results of their input's size.
    upstream = place(draw(*leaves[0][1].shape))
    tensors = [tensor.requires_grad_() for _, tensor in leaves]
    ask_for_one_gradient(torch)

    def backward(finished: Callable[[str], None]) -> Results:
        result = call()
        finished("backward")
        gradients = torch.autograd.grad(result, tensors, upstream)
        names = [name + " gradient" for name, _ in leaves]
        return [(name, gradient.contiguous()) for name, gradient in zip(names, gradients)]

    return backward


def elementwise(torch: Any, kind: str, sizes: Sizes, draw: Draw, place: Place) -> Operation:
    """A number of the result from one number of the input each."""
    image = place(draw(*sizes["size"]))
    functional = torch.nn.functional
    calls = {
        "copy": lambda: image.clone(),
        "add": lambda: torch.add(image, image),
        "relu": lambda: functional.relu(image),
        "max_pool": lambda: functional.max_pool2d(image, sizes["window"]),
        "avg_pool": lambda: functional.adaptive_avg_pool2d(image, tuple(sizes["result"])),
    }
    return calls[kind], [("input", image)]


def product(torch: Any, kind: str, sizes: Sizes, draw: Draw, place: Place) -> Operation:
    """A product of matrices, by itself or as a layer."""
    rows, inner, columns = sizes["rows"], sizes["inner"], sizes["columns"]
    left = place(draw(rows, inner))
    if kind == "matmul":
        right = place(draw(inner, columns, scale=1 / math.sqrt(inner)))
        return lambda: torch.matmul(left, right), [("left", left), ("right", right)]
    weight = place(draw(columns, inner, scale=1 / math.sqrt(inner)))
    bias = place(draw(columns))
    leaves = [("input", left), ("weight", weight), ("bias", bias)]
    return lambda: torch.nn.functional.linear(left, weight, bias), leaves


def convolution(torch: Any, _kind: str, sizes: Sizes, draw: Draw, place: Place) -> Operation:
    """A layer of convolution with its bias and without padding."""
    image = place(draw(*sizes["size"]))
    inner, kernel = sizes["size"][1], sizes["kernel"]
    scale = 1 / math.sqrt(inner * kernel * kernel)
    weight = place(draw(sizes["channels"], inner, kernel, kernel, scale=scale))
    bias = place(draw(sizes["channels"]))
    leaves = [("input", image), ("weight", weight), ("bias", bias)]
    return lambda: torch.nn.functional.conv2d(image, weight, bias, 1, 0, 1, 1), leaves


def normalisation(torch: Any, _kind: str, sizes: Sizes, draw: Draw, place: Place) -> Operation:
    """Batch norm in training."""
    image, channels = place(draw(*sizes["size"])), sizes["size"][1]
    weight, bias = place(draw(channels)), place(draw(channels))
    leaves = [("input", image), ("weight", weight), ("bias", bias)]
    return lambda: batch_norm(torch, image, weight, bias), leaves


def recurrent(torch: Any, kind: str, sizes: Sizes, draw: Draw, place: Place) -> Operation:
    """A recurrent layer over a batch of sequences."""
    layer = {"rnn": torch.nn.RNN, "lstm": torch.nn.LSTM, "gru": torch.nn.GRU}[kind]
    module = place(filled(torch, layer(sizes["inputs"], sizes["hidden"], batch_first=True), draw))
    sequence = place(draw(sizes["batch"], sizes["steps"], sizes["inputs"]))
    leaves = [("input", sequence), *module.named_parameters()]
    return lambda: module(sequence)[0], leaves


def transformer(torch: Any, kind: str, sizes: Sizes, draw: Draw, place: Place) -> Operation:
    """A layer of a transformer as it is in training, without dropout.

    ``encoder`` is that of BERT; ``causal`` that of GPT-2, whose norms come first and whose words do
    not see those after them; ``decoder`` is like the latter with a memory and ReLU, as in T5.
    """
    tokens, width = sizes["tokens"], sizes["width"]
    decodes = kind == "decoder"
    layer = torch.nn.TransformerDecoderLayer if decodes else torch.nn.TransformerEncoderLayer
    options = {"dropout": 0.0, "batch_first": True, "norm_first": kind != "encoder"}
    activation = "relu" if decodes else "gelu"
    made = layer(width, sizes["heads"], sizes["inner"], activation=activation, **options)
    module = place(filled(torch, made, draw))
    words = place(draw(sizes["batch"], tokens, width))
    leaves = [("input", words), *module.named_parameters()]
    mask = place(torch.full((tokens, tokens), float("-inf")).triu(1)) if kind != "encoder" else None
    if decodes:
        memory = place(draw(sizes["batch"], tokens, width))
        return lambda: module(words, memory, tgt_mask=mask), leaves
    return lambda: module(words, src_mask=mask), leaves


def filled(torch: Any, module: Any, draw: Draw) -> Any:
    """A layer whose weights are drawn, scaled so that what comes out is about 1 in size."""
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            size = tuple(parameter.shape)
            if len(size) > 1:
                parameter.copy_(draw(*size, scale=1 / math.sqrt(size[-1])))
            else:  # the factors of a norm are about 1, what is added anywhere is about 0
                parameter.copy_(draw(*size, scale=0.1, about=float(name.endswith("weight"))))
    return module


def operations_of(
    make: Callable[..., Operation], *kinds: str
) -> dict[str, Callable[..., Operation]]:
    """The same maker for several kinds of operations."""
    return {kind: lambda torch, *rest, kind=kind: make(torch, kind, *rest) for kind in kinds}


OPERATIONS = {
    **operations_of(elementwise, "copy", "add", "relu", "max_pool", "avg_pool"),
    **operations_of(product, "matmul", "linear"),
    **operations_of(convolution, "conv2d"),
    **operations_of(normalisation, "batch_norm"),
    **operations_of(recurrent, "rnn", "lstm", "gru"),
    **operations_of(transformer, "encoder", "causal", "decoder"),
}
"""What can be measured beside convolutions, by the word for it in a command."""


def format_of(tensor: Any) -> str:
    """The name of its number format."""
    return str(tensor.dtype).rpartition(".")[2]


def shared_views(torch: Any, buffer: mmap.mmap, parts: list[Any]) -> Iterator[Any]:
    """The shared memory as one tensor after another: of these formats and sizes."""
    offset = 0
    for name, number_format, size in parts:
        count, each = math.prod(size), DTYPE_BYTES[number_format]
        if offset + count * each > len(buffer):
            raise ValueError("the {} is larger than expected: {}".format(name, list(size)))
        dtype = getattr(torch, number_format)
        flat = torch.frombuffer(buffer, dtype=dtype, count=count, offset=offset)
        yield flat.view(tuple(size))
        offset += -(-count * each // ALIGNMENT) * ALIGNMENT


def compare_on_request(torch: Any, channel: Channel, buffer_descriptor: int) -> None:
    """Work references out when measured results are there, and compare them."""
    buffer = mmap.mmap(buffer_descriptor, 0)
    command = channel.read()
    while command is not None:
        ticket = command["ticket"]
        try:
            channel.tell("compared", ticket=ticket, **compare(torch, command, buffer))
        except Exception as error:  # a reference that cannot be had is told, not guessed
            channel.tell("failed", ticket=ticket, kind="reference", text=words_of(error))
        command = channel.read()


def reference_of(torch: Any, command: dict[str, Any]) -> Results:
    """The same of the same rounded numbers, in float64 on the processor."""
    job = job_of(torch, {**command, "engine": "configured"}, lambda thing: thing.double())
    return job(nobody_asks)


def compare(torch: Any, command: dict[str, Any], buffer: mmap.mmap) -> dict[str, Any]:
    """How far the measured numbers are from the right ones, part by part."""
    parts, expected = command["parts"], reference_of(torch, command)
    if [name for name, _, _ in parts] != [name for name, _ in expected]:
        raise ValueError("unexpected parts: {}".format([name for name, _, _ in parts]))
    found = []
    for (name, _, size), (_, right) in zip(parts, expected):
        if tuple(size) != tuple(right.shape):
            raise ValueError("{} {} instead of {}".format(name, size, list(right.shape)))
    views = shared_views(torch, buffer, parts)
    for (name, _, size), view, (_, right) in zip(parts, views, expected):
        measured = view.double()
        nonfinite = math.prod(size) - int(torch.isfinite(measured).sum())
        error = None if nonfinite else float((measured - right).abs().max())
        part = {"name": name, "max_abs_error": error, "nonfinite": nonfinite}
        if command.get("operation"):  # the client cannot know how large its numbers are
            part["usual"] = float(right.abs().sum()) / math.prod(size)
        found.append(part)
    return {"parts": found}


if __name__ == "__main__":
    sys.exit(main())
