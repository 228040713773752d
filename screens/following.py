"""The code of what comes next, loaded while somebody reads: the next screen opens at once then."""

from __future__ import annotations

import gc
from importlib import import_module


def load(*modules: str) -> None:
    """Loads modules in a thread that holds nobody up. What is loaded stays: to look through it for
    garbage, when the next screen opens, would hold that up for some 50 ms."""
    for module in modules:
        import_module(module)
    gc.collect()
    gc.freeze()
