"""The code of what comes next, loaded while somebody reads: the next screen opens at once then."""

from __future__ import annotations

import gc
import sys
from importlib import import_module


def load(*modules: str) -> None:
    """Loads modules in a thread that holds nobody up. What is loaded stays: to look through it for
    garbage, when the next screen opens, would hold that up for some 50 ms."""
    if all(module in sys.modules for module in modules):
        return  # else the screens that are there would never be garbage
    for module in modules:
        import_module(module)
    gc.collect()
    gc.freeze()
