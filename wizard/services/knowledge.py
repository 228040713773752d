"""What is known: of this machine, of stacks and programs, and what fits."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import lru_cache
from typing import TYPE_CHECKING

from wizard.commands.choosing import folder_of
from wizard.commands.looking import places_of, speed_of_line

if TYPE_CHECKING:
    from wizard.advice.comparison import LineSpeed
    from wizard.advice.recommend import Recommendation
    from wizard.host.host import Host
    from wizard.knowledge.applications import Application
    from wizard.knowledge.claims import Claim, OtherRoad
    from wizard.knowledge.stacks import Stack
    from wizard.machine.facts import Machine
    from wizard.machine.part import PartDone


class Knowledge:
    """One machine, and the tables. Each table is loaded when it is first asked for."""

    def __init__(self, arguments: argparse.Namespace, host: Host) -> None:
        self._arguments, self._host = arguments, host
        # Detect asks before Choose does.
        self.recommend = lru_cache(maxsize=2)(self._recommend)

    def detect(self, on_part: Callable[[PartDone], None]) -> Machine:
        """Reads the machine, and tells each part that is read. It may block without end."""
        from wizard.machine.detect import detect

        return detect(self._host, on_part)

    def _recommend(
        self, machine: Machine, applications: tuple[str, ...], preset: str = ""
    ) -> Recommendation:
        """What to take for what is to run, with the published variables that were chosen."""
        from wizard.advice.recommend import recommend

        return recommend(machine, applications, preset=preset)

    def stacks(self) -> tuple[Stack, ...]:
        """What can be installed."""
        from wizard.knowledge.stacks import load_stacks

        return load_stacks()

    def claims(self) -> tuple[Claim, ...]:
        """What people say of the stacks."""
        from wizard.knowledge.claims import load_claims

        return load_claims()

    def applications(self) -> tuple[Application, ...]:
        """What a user may want to run."""
        from wizard.knowledge.applications import load_applications

        return load_applications()

    def roads(self) -> tuple[OtherRoad, ...]:
        """Every road, also those that no stack of ours installs."""
        from wizard.knowledge.claims import load_roads

        return load_roads()

    def suggest_folder(self, machine: Machine, stack: str) -> str:
        """Absolute path of a new folder for a stack."""
        return folder_of(self._arguments, stack, machine.access.home)

    def line_speed(self) -> LineSpeed | None:
        """Quick: how fast an earlier run fetched here; None where none did."""
        return speed_of_line(self._host, places_of(self._host))
