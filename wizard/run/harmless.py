"""Lines that programs print alarmingly and that mean nothing bad here, with what they do mean.

Only these very sentences: whatever else pip or torch has to say is shown as it came. The log keeps
their own words.
"""

from __future__ import annotations

import re

from wizard.plan.steps import Plan, RunProgram
from wizard.run.events import Output

# The same sentence in pip 20.3 to 26.0 (pip/_internal/cli/req_command.py).
_LAZY_PIP = re.compile(
    r"WARNING: pip is using lazily downloaded wheels using HTTP range requests to obtain "
    r"dependency information\. This experimental feature is enabled through "
    r"--use-feature=fast-deps and it is not ready for production\."
)
FAST_DEPS = (
    "pip reads only the end of each wheel for now, to see what it needs. pip calls that "
    "experimental (fast-deps); each file is checked by its hash before it is installed."
)

# torch 2.13.0; file and line differ from release to release (torch/csrc/utils/tensor_numpy.cpp).
_TORCH_ALONE = re.compile(
    r"\S.*:\d+: UserWarning: Failed to initialize NumPy: No module named 'numpy' "
    r"\(Triggered internally at \S+\)"
)
_SIGNS = ("lazily downloaded", "UserWarning")
"""What such lines hold: a quick look, since nearly no line of a long log is one."""
NO_NUMPY = (
    "torch finds no numpy: this stack installs none, and torch works without it. A program that "
    "needs it: `pip install numpy` in this venv."
)


class Explained:
    """Exchanges such lines for their explanation, in the output of one run."""

    def __init__(self, *, numpy_planned: bool) -> None:
        self._numpy_planned = numpy_planned
        self._echo_may_follow = False

    def __call__(self, output: Output) -> Output:
        """The output as a person shall see it; it may have no lines any more."""
        text = "\n".join(output.lines)
        if not self._echo_may_follow and not any(sign in text for sign in _SIGNS):
            return output
        return Output(
            tuple(shown for line in output.lines if (shown := self._shown(line)) is not None)
        )

    def _shown(self, line: str) -> str | None:
        echo, self._echo_may_follow = self._echo_may_follow, False
        if echo and line.startswith("  "):
            return None  # Python repeats the source line that a warning points at
        if _LAZY_PIP.fullmatch(line):
            return FAST_DEPS
        if not self._numpy_planned and _TORCH_ALONE.fullmatch(line):
            self._echo_may_follow = True
            return NO_NUMPY
        return line


def plans_numpy(plan: Plan) -> bool:
    """True when the plan asks pip for numpy, so that a torch without it is no good sign."""
    words = (word for step in plan.steps if isinstance(step, RunProgram) for word in step.argv)
    return any(re.match(r"numpy\b", word) for word in words)
