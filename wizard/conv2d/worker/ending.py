"""How the process in which a worker measures comes to its end, and what it is watched for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable

from wizard.conv2d.sweep import Deadlines
from wizard.conv2d.worker.channel import Worker, state_of
from wizard.conv2d.worker.events import Event
from wizard.conv2d.worker.outcome import Outcome, Watched

WATCHED_S = 5.0
"""Between two words on a process that SIGKILL has not ended yet."""


class WatchedChild:
    """A worker's child of the moment: it is sent to, ended, and watched until it has gone."""

    worker: Worker
    deadlines: Deadlines
    kill: Callable[[int], None]
    child: int | None
    proven: bool
    broken: bool

    def send(self, command: Event) -> None:
        """Give the worker a command; what was printed before belongs to another one."""
        self.worker.tail.forget()
        if not self.worker.send(command):
            self.broken = True

    async def end(self, phase: str) -> AsyncGenerator[Watched | Outcome, None]:
        """Kill a child that has hung and watch it end."""
        if self.child is None:
            self.broken = True  # the worker itself is stuck: there is no child to blame
            yield Outcome("hung", phase)
            return
        child, until = self.child, self.now() + self.deadlines.killed
        self.kill(child)
        while not await self._wait_until_gone(min(WATCHED_S, until - self.now())):
            if self.now() >= until:
                yield self._left_behind(child, phase)
                return
            yield Watched(until - self.now())
        yield Outcome("hung", phase)

    def _left_behind(self, child: int, phase: str) -> Outcome:
        self.broken = True
        state = state_of(child)
        if state in ("", "zombie"):
            return Outcome("hung", phase)
        return Outcome("unkillable", phase, f"process {child} is in state {state}")

    async def leave(self) -> None:
        """Let a child that is done end by itself; kill one that does not."""
        if not await self._wait_until_gone(self.deadlines.later):
            async for _ in self.end("exit"):
                pass

    async def _wait_until_gone(self, seconds: float) -> bool:
        until = self.now() + seconds
        while self.child is not None:
            try:
                event = await self.worker.receive(until - self.now())
            except asyncio.TimeoutError:
                return False
            if event is None:
                self.broken = True
                return True
            if event["event"] == "gone" and event["pid"] == self.child:
                self.child, self.proven = None, False
        return True

    @staticmethod
    def now() -> float:
        """The time of the running loop."""
        return asyncio.get_running_loop().time()
