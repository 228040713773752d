"""A look that several parts of detection need, taken by the first of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Gives what a function gives, and calls it one time; who comes later waits for that."""

    def __init__(self, make: Callable[[], T]) -> None:
        """Nothing is called yet."""
        self._make = make
        self._lock = threading.Lock()
        self._made: list[T] = []

    def __call__(self) -> T:
        """The value; a function that raises is called again by the next one."""
        with self._lock:
            if not self._made:
                self._made.append(self._make())
            return self._made[0]
