"""Measures one convolution by itself. Run it with the Python whose torch you want to measure.

    python3 repro.py [--device cpu] [--deadline SECONDS]

It needs Python 3.8 or newer and torch, nothing else. The convolution runs in its own process with a
deadline, so that a hang does not block this shell. The variables of the case are set before that
process imports torch. The result is compared with the same convolution in float64 on the processor.
Exit code: 0 for right numbers, 1 for anything else, 2 if nothing could be measured.

A convolution that hangs on a graphics card may freeze the desktop: save your work first.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import os
import platform
import signal
import statistics
import subprocess
import sys
import threading
import time
from typing import Any

# The case begins.
CASE = {
    "shape": {"c_in": 16, "c_out": 32, "h": 64, "w": 64, "kernel": 3, "padding": 1, "n": 1,
              "stride": 1, "dilation": 1, "groups": 1, "dtype": "float32", "bias": False},
    "engine": "configured",
    "variables": {},
    "device": "cuda",
    "seed": 5600,
    "warm_runs": 5,
    "deadline_s": 60.0,
    "slow_s": 10.0,
    "seen": "",
}  # fmt: skip
# The case ends.

IMPORT_DEADLINE_S = 120.0
REFERENCE_DEADLINE_S = 120.0
KILLED_S = 30.0
UNIT_ROUNDOFF = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
LARGEST_OUTPUT = 8


def main() -> None:
    """The process that the user starts: it imports no torch and always comes back."""
    case = with_options(dict(CASE), sys.argv[1:])
    print("convolution: " + json.dumps(case["shape"]))
    print("engine: {}, device: {}".format(case["engine"], case["device"]))
    for name, value in sorted(case["variables"].items()):
        print("variable: {}={}".format(name, value))
    if case["seen"]:
        print("seen before: " + case["seen"])
    kernel = "{} {}".format(platform.system(), platform.release())
    print("python {}, {}".format(platform.python_version(), kernel))
    sys.stdout.flush()
    child = subprocess.Popen(
        [sys.executable, os.path.abspath(__file__), "--measure", json.dumps(case)],
        env=dict(os.environ, PYTHONUNBUFFERED="1", **case["variables"]),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    watched = Watched(child)
    verdict = watched.verdict(case)
    print("verdict: " + verdict)
    sys.stdout.flush()
    # Not sys.exit: a reader of a process that cannot be killed would hold this one up.
    os._exit(0 if verdict == "pass" else 2 if verdict.startswith("nothing measured") else 1)


def with_options(case: dict[str, Any], options: list[str]) -> dict[str, Any]:
    """The case with what the command line changes."""
    names = {"--device": "device", "--deadline": "deadline_s"}
    while options:
        if len(options) < 2 or options[0] not in names:
            sys.exit(__doc__)
        name, value = names[options[0]], options[1]
        if name == "deadline_s":
            try:
                case[name] = float(value)
            except ValueError:
                sys.exit("--deadline: write seconds, for example 60")
        elif value in ("cpu", "cuda"):
            case[name] = value
        else:
            sys.exit("--device: write cpu or cuda; cuda is the graphics card, also with ROCm")
        options = options[2:]
    return case


class Watched:
    """The measuring process: what it says, and how long it says nothing."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self.child = child
        self.phase, self.since = "import", time.monotonic()
        self.told = ""
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self) -> None:
        """Repeat what it prints, and note the phases."""
        for raw in self.child.stdout or ():
            line = raw.decode("utf-8", "replace").rstrip("\n")
            if line.startswith("phase: "):
                self.enter(line[7:])
            elif line.startswith("verdict: "):
                self.told = line[9:]
                continue
            print("  " + "".join(c if c.isprintable() else " " for c in line))
            sys.stdout.flush()

    def enter(self, phase: str) -> None:
        """Import, everything on the device, and the reference have a deadline each."""
        if phase in ("tensors", "reference"):
            self.since = time.monotonic()
        self.phase = phase

    def verdict(self, case: dict[str, Any]) -> str:
        """How it ends."""
        while self.child.poll() is None:
            limits = {"import": IMPORT_DEADLINE_S, "reference": REFERENCE_DEADLINE_S}
            limit = limits.get(self.phase, case["deadline_s"])
            if time.monotonic() - self.since > limit:
                return self.kill(limit)
            time.sleep(0.05)
        self.reader.join(5)
        if self.told:
            return self.told
        code = self.child.returncode
        if code < 0:
            return "crashed by {} in phase {}".format(signal_name(-code), self.phase)
        return "nothing measured: it ended with code {} in phase {}".format(code, self.phase)

    def kill(self, limit: float) -> str:
        """End a process that does not answer; the kernel may need long to free the card."""
        phase = self.phase
        with contextlib.suppress(OSError):
            os.killpg(self.child.pid, signal.SIGKILL)
        until = time.monotonic() + KILLED_S
        while self.child.poll() is None and time.monotonic() < until:
            time.sleep(0.05)
        left = ""
        if self.child.poll() is None:
            left = "; SIGKILL did not end it: restart the machine"
        if phase == "reference":
            return "nothing measured: the reference took more than {:g} s{}".format(limit, left)
        return "hung: no answer within {:g} s in phase {}{}".format(limit, phase, left)


def signal_name(number: int) -> str:
    """For example SIGSEGV."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return "signal {}".format(number)


def measure(case: dict[str, Any]) -> str:
    """The process that may hang: it imports torch, measures and compares."""
    print("phase: import")
    try:
        torch: Any = importlib.import_module("torch")
        importlib.import_module("torch.nn.functional")
    except Exception as error:
        print("{}: {}".format(type(error).__name__, error))
        return "nothing measured: torch cannot be imported"
    print("torch {}, hip {}".format(torch.__version__, getattr(torch.version, "hip", None)))
    on_gpu = case["device"] == "cuda"
    if on_gpu:
        if not torch.cuda.is_available():
            return "nothing measured: torch sees no graphics card"
        torch.backends.cudnn.allow_tf32 = False
        gfx = getattr(torch.cuda.get_device_properties(0), "gcnArchName", "unknown")
        print("device: {}, {}".format(torch.cuda.get_device_name(0), gfx))
    torch.backends.cudnn.enabled = case["engine"] != "native"
    try:
        result, times, memory = run(torch, case, on_gpu)
    except Exception as error:
        print("{}: {}".format(type(error).__name__, error))
        text = str(error).lower()
        full = isinstance(error, MemoryError) or "out of memory" in text
        return "out of memory" if full or "can't allocate memory" in text else "error"
    print("cold {:.6f} s, warm {}".format(times[0], ", ".join("%.6f s" % t for t in times[1:])))
    if memory is not None:
        print("largest memory: {} bytes".format(memory))
    print("phase: reference")
    return judged(torch, case, result, times)


def run(torch: Any, case: dict[str, Any], on_gpu: bool) -> tuple[Any, list[float], int | None]:
    """Result on the processor, seconds of each call, largest memory."""
    print("phase: tensors")
    tensors = [t if t is None else t.to(case["device"]) for t in inputs_of(torch, case)]
    if on_gpu:
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
    times: list[float] = []
    result: Any = None
    with torch.no_grad():
        for number in range(1 + case["warm_runs"]):
            if number < 2:
                print("phase: " + ("warm" if number else "cold"))
            started = time.perf_counter()
            latest = convolve(torch, case["shape"], tensors, case["engine"])
            if on_gpu:
                torch.cuda.synchronize()
            times.append(time.perf_counter() - started)
            result = latest if number == 0 else result  # as the worker: of the first call
    print("phase: copy back")
    memory = torch.cuda.max_memory_allocated() if on_gpu else None
    return result.to("cpu"), times, memory


def inputs_of(torch: Any, case: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Image, weights, bias: the same numbers each time; results are about 1 in size."""
    shape = case["shape"]
    dtype = getattr(torch, shape["dtype"])
    generator = torch.Generator()
    generator.manual_seed(case["seed"])
    inner, kernel = shape["c_in"] // shape["groups"], shape["kernel"]
    image = torch.randn(shape["n"], shape["c_in"], shape["h"], shape["w"], generator=generator)
    weight = torch.empty(shape["c_out"], inner, kernel, kernel)
    weight.normal_(0, 1 / math.sqrt(inner * kernel * kernel), generator=generator)
    bias = torch.randn(shape["c_out"], generator=generator).to(dtype) if shape["bias"] else None
    return image.to(dtype), weight.to(dtype), bias


def convolve(torch: Any, shape: dict[str, Any], tensors: Any, engine: str) -> Any:
    """The convolution under test."""
    image, weight, bias = tensors
    stride, padding, dilation = shape["stride"], shape["padding"], shape["dilation"]
    if engine != "unfold":
        return torch.nn.functional.conv2d(
            image, weight, bias, stride, padding, dilation, shape["groups"]
        )
    kernel, groups = shape["kernel"], shape["groups"]
    reach = dilation * (kernel - 1) + 1
    high, wide = ((shape[name] + 2 * padding - reach) // stride + 1 for name in ("h", "w"))
    columns = torch.nn.functional.unfold(image, kernel, dilation, padding, stride)
    columns = columns.view(shape["n"], groups, -1, high * wide)
    products = torch.matmul(weight.view(groups, shape["c_out"] // groups, -1), columns)
    result = products.reshape(shape["n"], shape["c_out"], high, wide)
    return result if bias is None else result + bias.view(1, -1, 1, 1)


def judged(torch: Any, case: dict[str, Any], result: Any, times: list[float]) -> str:
    """Right or wrong numbers, by the same tolerance as rdna1-setup has."""
    doubles = [t if t is None else t.double() for t in inputs_of(torch, case)]
    with torch.no_grad():
        expected = convolve(torch, case["shape"], doubles, "configured")
    measured = result.double()
    if measured.shape != expected.shape:
        return "wrong: {} instead of {}".format(list(measured.shape), list(expected.shape))
    nonfinite = math.prod(measured.shape) - int(torch.isfinite(measured).sum())
    if nonfinite:
        total = math.prod(measured.shape)
        return "wrong: {} of {} numbers infinite or not a number".format(nonfinite, total)
    error, allowed = float((measured - expected).abs().max()), tolerance(case["shape"])
    print("largest error {:.3g}, allowed {:.3g}".format(error, allowed))
    if not error <= allowed:
        return "wrong: off by {:.3g}, rounding explains at most {:.3g}".format(error, allowed)
    slow = times[1:] and statistics.median(times[1:]) > case["slow_s"]
    return "slow" if slow else "pass"


def tolerance(shape: dict[str, Any]) -> float:
    """The largest error that rounding may cause."""
    unit = UNIT_ROUNDOFF[shape["dtype"]]
    reduction: int = shape["c_in"] // shape["groups"] * shape["kernel"] ** 2
    sums = 8 * min(unit, UNIT_ROUNDOFF["float32"]) * (reduction + 16)
    return sums + 2 * LARGEST_OUTPUT * unit


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print("verdict: " + measure(json.loads(sys.argv[2])))
        sys.stdout.flush()
        os._exit(0)  # a driver that hangs at exit says nothing of this convolution
    main()
