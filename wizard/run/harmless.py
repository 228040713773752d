"""What pip prints alarmingly and means nothing bad here, with what it does mean.

Only this very sentence: whatever else pip or torch has to say is shown as it came. The log keeps
its own words.
"""

from __future__ import annotations

import re

from wizard.core.events import Output

# The same sentence in pip 20.3 to 26.0 (pip/_internal/cli/req_command.py).
_LAZY_PIP = re.compile(
    r"WARNING: pip is using lazily downloaded wheels using HTTP range requests to obtain "
    r"dependency information\. This experimental feature is enabled through "
    r"--use-feature=fast-deps and it is not ready for production\."
)
FAST_DEPS = (
    "pip reads only the end of each wheel for now, to see its dependencies. pip calls that "
    "experimental (fast-deps). Each file's hash is checked before it is installed."
)


def explained(output: Output) -> Output:
    """The output as a person shall see it."""
    return Output(tuple(FAST_DEPS if _LAZY_PIP.fullmatch(line) else line for line in output.lines))
