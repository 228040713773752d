"""``keep --profile CARD``: a setting that was found elsewhere, kept after a short recheck here."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from wizard.commands.carrying import carry, refuse, refuse_for
from wizard.commands.choosing import absolute
from wizard.commands.looking import acts, host_of

if TYPE_CHECKING:
    from wizard.conv2d.cards.result_card import ResultCard
    from wizard.conv2d.sweep import Sweep
    from wizard.machine.host import Host
    from wizard.plan.steps import Plan

NONE_FOUND = (
    "{0} holds no setting: only a run of `conv2d --find-setting` that found one and measured it "
    "again does, written with `conv2d --export`."
)


def add_profile_arguments(parser: argparse.ArgumentParser) -> None:
    """What is asked for with a profile."""
    parser.add_argument(
        "--profile",
        metavar="CARD",
        help="the setting that a card of conv2d --export holds, after a recheck of its shape here",
    )
    parser.add_argument("--even-if-in-use", action="store_true",
                        help="recheck also where somebody is logged in at the screen")  # fmt: skip


def keep_profile(arguments: argparse.Namespace) -> int:
    """Compare chip and torch, recheck, keep; 0 also when it is kept already."""
    from wizard.conv2d.cards.kept_cards import card_from
    from wizard.plan.impossible import NothingToDo, PlanImpossible
    from wizard.plan.keep_setting import make_keep
    from wizard.run.lines import clean
    from wizard.run.trouble import Trouble

    host, venv = host_of(arguments), absolute(arguments.venv)
    try:
        card = card_from(Path(arguments.profile))
    except Trouble as trouble:
        return refuse_for(trouble)
    if card.found is None:
        return refuse(NONE_FOUND.format(clean(arguments.profile)))
    if why := _not_meant(card, host, venv):
        return refuse(f"The setting is not kept: {clean(why)}. Find one on such a machine itself.")
    try:
        plan = make_keep(host, venv, card.found.setting)
    except NothingToDo as nothing:
        print(nothing, file=sys.stderr if arguments.json else sys.stdout)
        return 0
    except PlanImpossible as error:
        return refuse(str(error))
    return _recheck_and_keep(card, plan, arguments, host)


def _not_meant(card: ResultCard, host: Host, venv: str) -> str:
    from wizard.conv2d.cards.profile import not_meant_for, other_kernel
    from wizard.conv2d.cards.result_card import look_here
    from wizard.machine.contents import read_live_contents

    here = look_here(host)
    why = not_meant_for(card, here, read_live_contents(host, venv))
    if not why and (note := other_kernel(card, here)):
        print(note, file=sys.stderr)
    return why


def _recheck_and_keep(
    card: ResultCard, plan: Plan, arguments: argparse.Namespace, host: Host
) -> int:
    from wizard.conv2d.cards.profile import recheck
    from wizard.conv2d.search.setting_answer import setting_text

    sweep = recheck(card, f"{absolute(arguments.venv)}/bin/python")
    setting = setting_text(sweep.rows[0].setting)
    told = f"{sweep.rows[0].label} under {setting}, {sweep.repeats} times"
    if not acts(arguments):
        print(f"Would be measured first: {told}.", file=sys.stderr)
        return carry(plan, arguments, host)
    if (code := _agreed(sweep, arguments, host)) is not None:
        return code
    print(f"Measuring {told} ...", file=sys.stderr, flush=True)
    if wrong := _wrong(sweep):
        return refuse(
            f"The setting is not kept: here {wrong}. What helped there does not help here; "
            f"`rdna1-setup conv2d --find-setting` looks for what does."
        )
    return carry(plan, arguments, host)


def _agreed(sweep: Sweep, arguments: argparse.Namespace, host: Host) -> int | None:
    """The exit code where nothing may be launched on the card; None where it may."""
    from wizard.commands.conv2d_asking import refusal
    from wizard.conv2d.words.caution import circumstances_of

    if sweep.device == "cpu":
        return None
    return refusal(arguments, sweep, circumstances_of(host), 1)


def _wrong(sweep: Sweep) -> str:
    """What speaks against the setting; ``""`` when the shape was right every time."""
    from wizard.commands.conv2d import measure
    from wizard.conv2d.cards.profile import failed, words_for
    from wizard.run.lines import clean

    done = measure(sweep, resume=False)
    if done is None:
        return "the recheck was stopped"
    if done.trouble is not None and not done.results:
        return f"it could not be measured: {clean(done.trouble.happened)}"
    if (bad := failed(done.results)) is not None:
        return clean(words_for(bad))
    return "" if done.results else "nothing was measured"
