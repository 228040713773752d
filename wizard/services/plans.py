"""Plans: made, resolved with what the archive says, and judged before they begin."""

from __future__ import annotations

import argparse

from wizard.core.journal import Kind
from wizard.core.trouble import NoRollback, Trouble, as_trouble
from wizard.core.wording import by_keys
from wizard.host.host import Host, places_of
from wizard.machine.facts import Machine
from wizard.plan.choice import Choice
from wizard.plan.clean_up import make_clearing
from wizard.plan.keep_setting import Setting, make_keep
from wizard.plan.steps import Plan
from wizard.plan.wheel_index import WheelsSought, seek_wheels
from wizard.run.obstacles import obstacle
from wizard.run.preflight import (
    WheelsSize,
    asks_size,
    goes_on,
    preflight,
    preflight_folder,
    wheels_size,
)
from wizard.services.plan_request import (
    make_clearing_for_good,
    plan_here,
    resolved_here,
    with_sources,
)


class Plans:
    """Plans for one machine, from the sources that the command line names.

    What makes one raises ValueError, with a text fit to show, where there is none.
    """

    def __init__(self, arguments: argparse.Namespace, host: Host) -> None:
        self._arguments, self._host, self._places = arguments, host, places_of(host)

    def make(self, machine: Machine, choice: Choice) -> Plan:
        """The plan for a choice."""
        return plan_here(machine, with_sources(choice, self._arguments), self._host)

    def make_clearing(
        self, machine: Machine, kind: Kind, scopes: tuple[str, ...], for_good: bool = False
    ) -> Plan:
        """The plan that takes these scopes away, if so said also what nothing could put back.

        It may take a while. Raises Trouble where apt cannot be asked.
        """
        if not for_good:
            return make_clearing(kind, scopes, machine, self._host)
        return make_clearing_for_good(kind, scopes, machine, self._host)

    def make_keep(self, venv: str, setting: Setting) -> Plan:
        """The plan that keeps a setting for an environment; reads files."""
        return make_keep(self._host, venv, setting)

    def resolve(self, machine: Machine, choice: Choice) -> Plan:
        """The plan, exact to each package: asks the archive, which takes a while, and so is not
        asked in a dry run. Raises Trouble too."""
        return resolved_here(machine, with_sources(choice, self._arguments), self._host)

    def obstacle(self, plan: Plan) -> Trouble | None:
        """Why Apply would refuse the plan here; may take a while and changes nothing."""
        if self._host.name:
            return None
        if (found := obstacle(plan, self._places)) or not any(s.needs_root for s in plan.steps):
            return found
        refusals = preflight(plan, self._host)
        return refused(*refusals) if refusals else None

    async def seek_wheels(self, plan: Plan, machine: Machine) -> WheelsSought:
        """Whether the wheels of a plan are still to be had: asks the index."""
        if goes_on(plan, self._host):
            return WheelsSought()
        return await seek_wheels(plan, machine, self._host.environ)

    async def wheels_size(self, plan: Plan) -> WheelsSize | None:
        """How much a plan would fetch: asks the index; None where nothing comes from afar."""
        try:
            if not asks_size(plan, self._host):
                return None
            return await wheels_size(plan, self._host.environ, preflight_folder(self._places))
        except OSError as error:
            return WheelsSize(because=as_trouble(error).happened)


def refused(*refusals: Trouble) -> Trouble:
    """Why Apply would not begin, in three texts."""
    kind = NoRollback if any(isinstance(each, NoRollback) for each in refusals) else Trouble
    happened = " ".join(each.happened for each in refusals)
    return kind(
        happened, refusals[0].meaning, by_keys(" ".join(each.next_step for each in refusals))
    )
