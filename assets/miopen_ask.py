"""Asks MIOpen, through its public interface in C, which solvers it would choose from.

One file, standard library alone, Python 3.8 to 3.14. Nothing is launched on a card: MIOpen decides
on the processor which of its solvers apply to a convolution.

Questions come as JSON lines on standard input, answers go as JSON lines to standard output, or both
on descriptors that are handed over by number, as ``conv2d_worker.py`` has them. The first answer
says which library is asked, or ``{"none": CODE, "text": ...}`` why none is. Each question then has
one answer::

    {"n": 1, "c": 16, "h": 64, "w": 64, "k": 32, "r": 3, "s": 3, "pad": [1, 1], "stride": [1, 1],
     "dilation": [1, 1], "groups": 1, "dtype": "float32", "direction": "forward"}
    {"solvers": [{"name": ..., "id": ..., "algorithm": "gemm", "workspace": 0,
                  "estimate_ms": 10.0}, ...], "also": [...], "source": "estimates"}

``solvers`` are in the order of the library. ``also`` are those that apply and have no estimate:
only the log names them, and only a search (find) times them. Where the library has no solver with
an estimate it says so itself: ``{"refused": "miopenStatusNotImplemented", "also": [...]}``.
``source`` is ``find-db`` where a database of earlier searches answered, and ``prediction`` where a
model did: then ``also`` is empty because the library did not look further. A search does not heed
the model, so it is switched off here, except where the environment switches it on or has the
library do without a search.

The public interface gives numbers for solvers; their names are read from the library's log.

``--find`` also has the library search, which would compile and launch. It is refused unless a
library is preloaded that stands in for HIP and the machine has no ``/dev/kfd``.
"""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import importlib
import json
import math
import mmap
import os
import re
import signal
import sys
import tempfile
from typing import Any, Dict, List, Optional, Tuple

PR_SET_PDEATHSIG = 1
LONGEST_TEXT = 600
"""Characters of a text from outside."""
SUCCESS = 0
STATUS = (
    "Success",
    "NotInitialized",
    "InvalidValue",
    "BadParm",
    "AllocFailed",
    "InternalError",
    "NotImplemented",
    "UnknownError",
    "UnsupportedOp",
    "GpuOperationsSkipped",
    "VersionMismatch",
)
DTYPES = {"float16": 0, "float32": 1, "bfloat16": 5}
DTYPE_BYTES = {"float16": 2, "float32": 4, "bfloat16": 2}
ALGORITHMS = {0: "gemm", 1: "direct", 2: "fft", 3: "winograd", 5: "implicit_gemm"}
CONVOLUTION = 0
"""``miopenConvolution``: the mode that is not transposed."""
CALLS = {
    "forward": "miopenConvolutionForward",
    "backward_data": "miopenConvolutionBackwardData",
    "backward_weights": "miopenConvolutionBackwardWeights",
}
SEARCHES = {
    "forward": "miopenFindConvolutionForwardAlgorithm",
    "backward_data": "miopenFindConvolutionBackwardDataAlgorithm",
    "backward_weights": "miopenFindConvolutionBackwardWeightsAlgorithm",
}
MOST_ALGORITHMS = 8
MODEL = "MIOPEN_DEBUG_ENABLE_AI_IMMED_MODE_FALLBACK"
"""``0`` makes newer releases list all solvers that apply, not only those that a model prefers."""
FAST = ("FAST", "2")
"""Find modes in which the library takes its first solver, without a search."""
SYMBOLS = (
    "miopenGetVersion",
    "miopenCreate",
    "miopenDestroy",
    "miopenCreateTensorDescriptor",
    "miopenSetTensorDescriptor",
    "miopenDestroyTensorDescriptor",
    "miopenCreateConvolutionDescriptor",
    "miopenInitConvolutionDescriptor",
    "miopenSetConvolutionGroupCount",
    "miopenDestroyConvolutionDescriptor",
    "miopenGetConvolutionForwardOutputDim",
    *(call + "GetSolutionCount" for call in CALLS.values()),
    *(call + "GetSolution" for call in CALLS.values()),
    *(call + "GetSolutionWorkspaceSize" for call in CALLS.values()),
)

# As MIOpen 2.17 to 3.5 write them at log level 6 (src/ocl/convolutionocl.cpp, find_solution.hpp,
# hip/handlehip.cpp). Releases differ in the comma after the number alone.
DEVICE = re.compile(r"Raw device name: (\S+)")
NAMED = re.compile(r"\bid: (\d+),? algo: .*, name: (\S+)")
SIZED = re.compile(r"\] solver_id = ([^\s,]+)")
ESTIMATED = re.compile(r"\] (\S+) Estimated WTI = (\S+)")
FELL_BACK = re.compile(r"\] maxSolutionCount = | Estimated WTI = ")
PREDICTED = "Using TunaNet Fallback"
FAILED = re.compile(r": Error \[[^\]]*\] (.*)")
SEARCHED = re.compile(r"\] (\S+): (Success|Not applicable|Skipped \(non-dynamic\)|\[Warning\])")


LIBRARY = re.compile(r"libMIOpen(-[0-9a-f]+)?\.so")
"""The name of its file; wheels may put a hash into it."""


class Solution(ctypes.Structure):
    """``miopenConvSolution_t``."""

    _fields_ = [
        ("time", ctypes.c_float),
        ("workspace", ctypes.c_size_t),
        ("id", ctypes.c_uint64),
        ("algorithm", ctypes.c_int),
    ]


class Performance(ctypes.Structure):
    """``miopenConvAlgoPerf_t``."""

    _fields_ = [
        ("algorithm", ctypes.c_int),
        ("time", ctypes.c_float),
        ("memory", ctypes.c_size_t),
    ]


class Refused(Exception):
    """MIOpen gave a status other than success."""


class NothingToAsk(Exception):
    """No library can be asked: a code, a text from outside, and what else is known."""

    def __init__(self, code: str, text: str = "", **fields: Any) -> None:
        super().__init__(code)
        self.fields = dict(fields, none=code, text=text[:LONGEST_TEXT])


class Log:
    """What MIOpen writes on descriptor 2, read between two calls."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(mode="a+b", buffering=0)  # noqa: SIM115 - kept open
        os.dup2(self._file.fileno(), 2)

    def take(self) -> str:
        """All that was written since the last time."""
        self._file.seek(0)
        text = self._file.read()
        self._file.truncate(0)
        return text.decode("utf-8", "replace")


class Library:
    """An open MIOpen with a handle."""

    def __init__(self, path: str, mode: int, log: Log) -> None:
        self.log = log
        self.names: Dict[int, str] = {}
        try:
            self.calls = ctypes.CDLL(path, mode=mode)
        except OSError as error:
            raise NothingToAsk("cannot-load", str(error)) from error
        missing = [name for name in SYMBOLS if not hasattr(self.calls, name)]
        if missing:
            raise NothingToAsk("other-api", missing[0])
        self.version = self._version()
        self.handle = ctypes.c_void_p()
        try:
            self.call("miopenCreate", ctypes.byref(self.handle))
        except Refused as refused:
            errors = FAILED.findall(log.take())
            reason = errors[-1] if errors else str(refused)
            kfd = os.path.exists("/dev/kfd")
            raise NothingToAsk("no-handle", reason, kfd=kfd) from refused
        names = DEVICE.findall(log.take())
        self.device = names[-1] if names else ""

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function that returns a status. Raises ``Refused``."""
        status = getattr(self.calls, name)(*arguments)
        if status != SUCCESS:
            known = 0 <= status < len(STATUS)
            raise Refused("miopenStatus" + STATUS[status] if known else str(status))

    def _version(self) -> str:
        parts = [ctypes.c_size_t() for _ in range(3)]
        try:
            self.call("miopenGetVersion", *map(ctypes.byref, parts))
        except Refused as refused:
            raise NothingToAsk("other-api", "miopenGetVersion: {}".format(refused)) from refused
        return ".".join(str(part.value) for part in parts)


class Convolution:
    """The descriptors of one question, in the order in which the calls take them."""

    def __init__(self, library: Library, question: Dict[str, Any]) -> None:
        self.library = library
        self.question = question
        self.dtype = DTYPES[question["dtype"]]
        self.tensors: List[ctypes.c_void_p] = []
        self.descriptor = ctypes.c_void_p()

    def __enter__(self) -> Convolution:
        asked, call = self.question, self.library.call
        call("miopenCreateConvolutionDescriptor", ctypes.byref(self.descriptor))
        numbers = (*asked["pad"], *asked["stride"], *asked["dilation"])
        call("miopenInitConvolutionDescriptor", self.descriptor, CONVOLUTION, *numbers)
        call("miopenSetConvolutionGroupCount", self.descriptor, asked["groups"])
        image = (asked["n"], asked["c"], asked["h"], asked["w"])
        weight = (asked["k"], asked["c"] // asked["groups"], asked["r"], asked["s"])
        x, w = self._tensor(image), self._tensor(weight)
        size = [ctypes.c_int() for _ in range(4)]
        call(
            "miopenGetConvolutionForwardOutputDim",
            self.descriptor,
            x,
            w,
            *map(ctypes.byref, size),
        )
        result = tuple(part.value for part in size)
        y = self._tensor(result)
        self.sizes = {"x": image, "w": weight, "y": result}
        self.order = {
            "forward": ("w", "x", "y"),
            "backward_data": ("y", "w", "x"),
            "backward_weights": ("y", "x", "w"),
        }[asked["direction"]]
        places = {"x": x, "w": w, "y": y}
        first, second, third = (places[name] for name in self.order)
        self.places = places
        self.arguments = (self.library.handle, first, second, self.descriptor, third)
        return self

    def __exit__(self, *_: Any) -> None:
        for tensor in self.tensors:
            self.library.calls.miopenDestroyTensorDescriptor(tensor)
        self.library.calls.miopenDestroyConvolutionDescriptor(self.descriptor)

    def _tensor(self, size: Tuple[int, ...]) -> ctypes.c_void_p:
        tensor = ctypes.c_void_p()
        self.library.call("miopenCreateTensorDescriptor", ctypes.byref(tensor))
        self.tensors.append(tensor)
        _n, c, h, w = size
        strides = (c * h * w, h * w, w, 1)
        if self.question.get("layout", "nchw") == "nhwc":
            strides = (c * h * w, 1, c * w, c)
        numbers = ctypes.c_int * 4
        self.library.call(
            "miopenSetTensorDescriptor", tensor, self.dtype, 4, numbers(*size), numbers(*strides)
        )
        return tensor


def main() -> int:
    """Say which library is asked, then answer questions until there are none."""
    arguments = parse_arguments()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    setting = setting_in_force()
    os.environ["MIOPEN_LOG_LEVEL"] = "6"
    if setting.get("MIOPEN_FIND_MODE") not in FAST:
        os.environ.setdefault(MODEL, "0")
    # What torch and native code print must not come between the answers.
    answers = os.fdopen(os.dup(arguments.events), "w", encoding="ascii")
    log = Log()
    os.dup2(2, 1)

    def say(event: str, fields: Dict[str, Any]) -> None:
        answers.write(json.dumps(dict(fields, event=event)) + "\n")
        answers.flush()

    try:
        library, about = open_library(arguments.library, log, arguments.find)
        about["setting"] = setting
    except NothingToAsk as nothing:
        say("none", nothing.fields)
        return 0
    say("library", about)
    with os.fdopen(os.dup(arguments.control), encoding="utf-8") as questions:
        for line in questions:
            say("answer", answer(library, json.loads(line), arguments.find))
    library.calls.miopenDestroy(library.handle)
    return 0


def parse_arguments() -> argparse.Namespace:
    """The command line, which only this program's own callers write."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--library", help="the libMIOpen to ask; without it, that of torch")
    parser.add_argument("--find", action="store_true", help="search too, under a stand-in of HIP")
    parser.add_argument("--control", type=int, default=0, help="where questions come from")
    parser.add_argument("--events", type=int, default=1, help="where answers go")
    for unused in ("--permits", "--buffer"):  # what every worker is handed
        parser.add_argument(unused, type=int, help=argparse.SUPPRESS)
    return parser.parse_args()


def open_library(path: Optional[str], log: Log, find: bool) -> Tuple[Library, Dict[str, Any]]:
    """The library with a handle, and which one it is. Raises ``NothingToAsk``."""
    if find and ("LD_PRELOAD" not in os.environ or os.path.exists("/dev/kfd")):
        raise NothingToAsk("find-refused", "a search launches kernels")
    about: Dict[str, Any] = {}
    mode = os.RTLD_NOW
    if path is None:
        # Its own copy, already in this process: never another one of the same name.
        path, about = torch_library()
        mode |= os.RTLD_NOLOAD
    library = Library(path, mode, log)
    about.update(library=path, real=os.path.realpath(path))
    about.update(version=library.version, device=library.device)
    return library, about


def setting_in_force() -> Dict[str, str]:
    """The variables that steer MIOpen, after whatever the venv sets at start."""
    return {name: value for name, value in sorted(os.environ.items()) if name.startswith("MIOPEN_")}


def torch_library() -> Tuple[str, Dict[str, Any]]:
    """The libMIOpen that torch has loaded, and which torch that is."""
    # The folder of this file comes first on sys.path: a neighbour named like a module of torch's
    # would be imported in its place.
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    try:
        torch = importlib.import_module("torch")
        version = str(torch.__version__)  # a folder that was left behind has none
    except Exception as error:  # an import runs arbitrary code: whatever it raises is the finding
        missing = isinstance(error, ModuleNotFoundError) and error.name == "torch"
        code = "no-torch" if missing else "import-failed"
        raise NothingToAsk(code, "{}: {}".format(type(error).__name__, error)) from error
    about = {"torch": version, "hip": getattr(torch.version, "hip", None)}
    found = mapped_libraries()
    if not found:
        cuda = getattr(torch.version, "cuda", None)
        code = "not-loaded" if about["hip"] else "cuda-torch" if cuda else "cpu-torch"
        raise NothingToAsk(code, version)
    if len(found) > 1:
        raise NothingToAsk("several", ", ".join(found))
    return found[0], about


def mapped_libraries() -> List[str]:
    """Every libMIOpen that is mapped into this process."""
    found = set()
    with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            fields = line.rstrip("\n").split(None, 5)
            if len(fields) == 6 and LIBRARY.match(os.path.basename(fields[5])):
                found.add(fields[5])
    return sorted(found)


def answer(library: Library, question: Dict[str, Any], find: bool) -> Dict[str, Any]:
    """What the library says to one question."""
    if question["dtype"] not in DTYPES:
        return {"refused": "no convolution of MIOpen is in " + question["dtype"], "also": []}
    library.log.take()
    found: Dict[str, Any] = {}
    try:
        with Convolution(library, question) as convolution:
            found = solutions(library, convolution)
            if find:
                found["find"] = search(library, convolution)
    except Refused as refused:
        found = {"refused": str(refused), "also": []}
    return found


def solutions(library: Library, convolution: Convolution) -> Dict[str, Any]:
    """The solvers that it would choose from, in its order, and those that have no estimate."""
    call = CALLS[convolution.question["direction"]]
    count, given, refused = ctypes.c_size_t(), ctypes.c_size_t(), None
    listed: Any = []
    try:
        library.call(call + "GetSolutionCount", *convolution.arguments, ctypes.byref(count))
        listed = (Solution * max(count.value, 1))()
        library.call(
            call + "GetSolution",
            *convolution.arguments,
            count,
            ctypes.byref(given),
            ctypes.byref(listed),
        )
    except Refused as error:
        refused = str(error)
    names, also, source = read_log(library.log.take())
    library.names.update(names)
    if refused is not None:
        return {"refused": refused, "also": also}
    return {
        "solvers": [
            {
                "name": name_of(library, convolution, call, solution.id),
                "id": solution.id,
                "algorithm": ALGORITHMS.get(solution.algorithm, str(solution.algorithm)),
                "workspace": solution.workspace,
                # Negative: the library's mark for a rough guess, which is no time.
                "estimate_ms": round(solution.time, 6) if solution.time >= 0 else None,
            }
            for solution in listed[: given.value]
        ],
        "also": also,
        "source": source,
    }


def read_log(text: str) -> Tuple[Dict[int, str], List[str], str]:
    """Names by number, solvers without an estimate, and where the answer comes from."""
    names = {int(number): name for number, name in NAMED.findall(text)}
    also = [name for name, estimate in ESTIMATED.findall(text) if float(estimate) < 0]
    # It says all of it twice: once to count, once to list.
    source = "estimates" if FELL_BACK.search(text) else "find-db"
    return names, list(dict.fromkeys(also)), "prediction" if PREDICTED in text else source


def name_of(library: Library, convolution: Convolution, call: str, number: int) -> str:
    """The name of a solver. Older releases do not log those that come from a database, but they do
    when they are asked how much memory one needs."""
    if number not in library.names:
        size = ctypes.c_size_t()
        with contextlib.suppress(Refused):  # it has logged the name before it refuses
            library.call(
                call + "GetSolutionWorkspaceSize",
                *convolution.arguments,
                ctypes.c_uint64(number),
                ctypes.byref(size),
            )
        named = SIZED.findall(library.log.take())
        library.names[number] = named[-1] if named else "solver {}".format(number)
    return library.names[number]


def search(library: Library, convolution: Convolution) -> Dict[str, Any]:
    """Which solvers a search finds applicable, under a stand-in that executes nothing."""
    direction = convolution.question["direction"]
    size, returned = ctypes.c_size_t(), ctypes.c_int()
    best = (Performance * MOST_ALGORITHMS)()
    handle, first, second, descriptor, third = convolution.arguments
    status: Optional[str] = None
    try:
        library.call(
            CALLS[direction] + "GetWorkSpaceSize", *convolution.arguments, ctypes.byref(size)
        )
        library.log.take()
        memory = {
            name: memory_of(math.prod(part) * DTYPE_BYTES["float32"])
            for name, part in convolution.sizes.items()
        }
        workspace = memory_of(size.value) if size.value else None
        names = convolution.order
        if direction == "forward":  # the search takes the image first, the question the weights
            names, first, second = ("x", "w", "y"), second, first
        library.call(
            SEARCHES[direction],
            handle,
            first,
            memory[names[0]],
            second,
            memory[names[1]],
            descriptor,
            third,
            memory[names[2]],
            MOST_ALGORITHMS,
            ctypes.byref(returned),
            ctypes.byref(best),
            workspace,
            size,
            ctypes.c_bool(False),
        )
    except Refused as refused:
        status = str(refused)
    found = SEARCHED.findall(library.log.take())
    return {
        "applicable": [name for name, word in found if word in ("Success", "[Warning]")],
        "skipped": [name for name, word in found if word.startswith("Skipped")],
        "refused": status,
    }


def memory_of(size: int) -> Any:
    """Zeros that take no memory until somebody writes to them: nobody should."""
    return (ctypes.c_char * size).from_buffer(mmap.mmap(-1, size))


if __name__ == "__main__":
    sys.exit(main())
