"""What ``remove`` and ``clean-up`` share: the plan of the kind asked for, carried out."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from wizard.commands.carrying import (
    ASKS_NOTHING,
    GOES_ON,
    cannot_ask,
    carry,
    refuse,
    refuse_for,
)
from wizard.commands.looking import acts, host_of, places_of
from wizard.commands.making import kind_asked, make_asked

if TYPE_CHECKING:
    from wizard.host.host import Host
    from wizard.plan.steps import Plan


def clear(arguments: argparse.Namespace) -> int:
    """Show the plan, ask, carry it out; 0 when there is nothing to do."""
    from wizard.core.trouble import Trouble
    from wizard.machine.detect import detect
    from wizard.plan.impossible import NothingToDo, PlanImpossible

    if cannot_ask(arguments):
        return refuse(ASKS_NOTHING)
    host = host_of(arguments)
    try:
        plan = _waiting(arguments, host)
        plan = plan or make_asked(arguments, "", host, detect(host), exact=acts(arguments))
    except NothingToDo as nothing:
        print(nothing, file=sys.stderr if arguments.json else sys.stdout)
        return 0
    except PlanImpossible as error:
        return refuse(str(error))
    except Trouble as trouble:
        return refuse_for(trouble)
    return carry(plan, arguments, host)


def _waiting(arguments: argparse.Namespace, host: Host) -> Plan | None:
    """The plan of a run of this kind that stopped half-way: it is gone on with."""
    if not acts(arguments):
        return None
    from wizard.run.resume import stopped_plan

    plan = stopped_plan(kind_asked(arguments), places_of(host))
    if plan is not None:
        print(GOES_ON, file=sys.stderr)
    return plan
