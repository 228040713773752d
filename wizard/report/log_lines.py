"""Which lines of a log leave: steps of ours, what a known pattern fits, errors by their form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from wizard.diagnose.reading import is_known

OWN = re.compile(
    r"\[\d+/\d+\] |ok \(\d|failed: |(?:not )?finished\Z|(?:Now the second|Trying another) way: "
    r"|\[\d+ bytes of this log"
)
"""Lines of this program itself."""
ERROR = re.compile(
    r"(?i)(?<![a-z])(?:error|fail(?:ed|ure|s|ing)?|fatal|cannot|can't|could not|couldn't|unable"
    r"|denied|refused|no such|not (?:found|supported|installed|permitted|available)|missing"
    r"|time[d ]?[ -]?out|killed|aborted|core dumped|segfault|segmentation|traceback|warn(?:ing)?"
    r"|invalid|unsupported|conflicts?|broken|unmet|illegal|fault|panic|oops|bug|hung|reset)(?![a-z])"
    r"|[a-z](?:Error|Exception|Warning)\b|^(?:E|W|N|Err):|^[ \t]{0,12}File \"|Call Trace"
    r"|\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}"
)
PACKAGES = re.compile(
    r"[ \t]{0,12}(?:Collecting|Downloading|Using cached|Installing|Successfully|Requirement already"
    r"|Attempting uninstall|Found existing|Uninstalling|Building|Created? wheel|Setting up"
    r"|Unpacking|Preparing to unpack|Selecting|Removing|Purging|Processing triggers"
    r"|(?:Get|Hit|Ign):\d|The following|Need to get|After this operation|Resolved|Prepared"
    r"|Installed| [+~-] )\b"
)
"""What pip, uv, apt and dpkg say of packages."""
STACK = re.compile(
    r"\b(?:amdgpu|kfd|amdkfd)\b|\[drm|/opt/rocm|repo\.radeon\.com|/torch/lib"
    r"|\blib(?:MIOpen|amdhip64|hsa-runtime64|hiprtc|amd_comgr|rocblas|hipblas\w*|torch\w*|c10\w*)\.so"
)
"""The driver, and where ROCm and torch lie."""
AFTER = ((re.compile("failed: "), 2), (re.compile(r'[ \t]{0,12}File "'), 1))
"""What begins something, and how many lines it goes on."""


def told_lines(text: str) -> str:
    """The lines that may leave, and in place of the others how many there were."""
    return "\n".join(_told(text.split("\n")))


def _told(lines: list[str]) -> Iterator[str]:
    for leaves, group in groupby(zip(lines, _leaving(lines), strict=True), lambda pair: pair[1]):
        found = [line for line, _ in group]
        if leaves:
            yield from found
        else:
            yield f"[{len(found)} {'line' if len(found) == 1 else 'lines'} left out]"


def _leaving(lines: list[str]) -> Iterator[bool]:
    more = 0
    for line in lines:
        follows = more > 0
        more = next((count for begin, count in AFTER if begin.match(line)), more - 1)
        yield follows or not line.strip() or _leaves(line)


def _leaves(line: str) -> bool:
    by_form = OWN.match(line) or PACKAGES.match(line) or ERROR.search(line) or STACK.search(line)
    return by_form is not None or is_known(line)
