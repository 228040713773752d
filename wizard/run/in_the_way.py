"""Which run a plan goes on with, and what stands in its way in the folder."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from wizard.core.trouble import Trouble
from wizard.host.distributions import wheel_files
from wizard.host.environment import LAYOUT, made_with_venv
from wizard.journalform import PARTLY_ROLLED_BACK, ROLLED_BACK, UNFINISHED, Kind, OlderRun, Record
from wizard.plan.existing_steps import SetAsidePackages, changes_existing
from wizard.plan.form import plan_form
from wizard.plan.steps import InstallWheels, PinInstalled, Plan, Step, WriteFile
from wizard.run.asked import difference
from wizard.run.environment.backup import MANIFEST
from wizard.run.environment.ownership import Owned
from wizard.run.environment.remains import files_before
from wizard.run.environment.taken_backup import without_journal
from wizard.run.standing import absence, older_run_in, refusal_of_older


def run_to_resume(
    plan: Plan, records: tuple[Record, ...], older: tuple[OlderRun, ...] = ()
) -> Record | None:
    """The newest run of this very plan that was not rolled back; raises Trouble on a conflict.

    ``older`` are runs that an older version of this program recorded.
    """
    standing = [r for r in records if r.state != ROLLED_BACK]
    if not plan.venv:
        return _system_run(plan, standing)
    here = os.path.realpath(plan.venv)
    placed = [r for r in standing if r.plan["venv"]]
    same_folder = [r for r in placed if os.path.realpath(r.plan["venv"]) == here]
    for record in same_folder:
        if record.plan["id"] == plan.id and record.state != PARTLY_ROLLED_BACK:
            _refuse_another_folder(plan, record)
            return record
    if plan.kind is not Kind.FIX:  # it may mend what another run made
        if same_folder:
            raise _other_plan(plan, same_folder[0])
        if run := older_run_in(here, records, older):
            raise refusal_of_older(run)
    if changes_existing(plan):
        _refuse_taken_backups(plan, standing)
        return None
    if (Path(plan.venv) / "pyvenv.cfg").exists():
        raise Trouble(
            f"{plan.venv} is a venv that this program did not create.",
            "This plan needs a new folder. Nothing in the existing one was changed.",
            "Choose a new folder with --venv. To replace the torch in the existing venv, name "
            "that venv with --venv.",
        )
    if taken := _in_the_way(plan):
        raise Trouble(
            f"{_some(taken)} already exists, and this program did not create it.",
            "The new venv would overwrite existing files that could not be restored.",
            "Move the existing files elsewhere, or choose a new folder with --venv.",
        )
    return None


def _system_run(plan: Plan, standing: Sequence[Record]) -> Record | None:
    """The unfinished run of a plan about the system alone; a finished one may be needed again."""
    same = (r for r in standing if r.plan["id"] == plan.id and r.state == UNFINISHED)
    return next(same, None)


def _refuse_another_folder(plan: Plan, record: Record) -> None:
    if changes_existing(plan) and (elsewhere := absence(record, plan.venv)):
        raise Trouble(
            f"{elsewhere}. Run {record.id} changed the environment that was at that path.",
            "Continuing here would mix two environments. Nothing was changed.",
            "Specify this environment's real path with --venv, or change the link back.",
        )


def _other_plan(plan: Plan, other: Record) -> Trouble:
    found = difference(other.plan, plan_form(plan))
    asked = (
        (f"The earlier run was started {found.before}. This time, the command was run {found.now}.")
        if found
        else ""
    )
    if other.state != UNFINISHED:
        return Trouble(
            f"{plan.venv} already contains {other.name} (run {other.id}, {other.state}).",
            f"A folder can have only one stack at a time. {asked}".strip(),
            f"Use another folder, or undo that run first: rdna1-setup rollback {other.id}",
        )
    again = f"To continue that run, run the command again {found.before}. " if found else ""
    return Trouble(
        f"{plan.venv} already contains an unfinished run of {other.name} ({other.id}).",
        asked
        or "The steps of the unfinished run differ from those of this plan. Another version of "
        "this program planned that run, or the "
        "machine has changed since.",
        f"{again}To start over, undo it first: rdna1-setup rollback {other.id}",
    )


def _refuse_taken_backups(plan: Plan, standing: Sequence[Record]) -> None:
    """Raise Trouble for a backup that holds a first state: moving more into it would mix two."""
    backups = [step.backup for step in plan.steps if isinstance(step, SetAsidePackages)]
    for backup in (each for each in backups if os.path.lexists(f"{each}/{MANIFEST}")):
        for record in standing:
            if backup in (step.get("backup") for step in record.plan["steps"]):
                raise Trouble(
                    f"{backup} contains the backup of run {record.id}, which has not been undone.",
                    f"The backup belongs to {record.plan['venv']}, and a second run would mix it "
                    "with the changed state.",
                    f"Undo that run first (rdna1-setup rollback {record.id}). Or omit "
                    "--user-torch-aside to leave your own packages where they are.",
                )
        raise without_journal(plan, backup)


def _in_the_way(plan: Plan) -> list[str]:
    """What lies where the plan would write."""
    venv = Path(plan.venv)
    if os.path.lexists(venv) and not venv.is_dir():
        return [plan.venv]
    written = (s.path for s in plan.steps if isinstance(s, (WriteFile, PinInstalled)))
    taken = [
        str(venv / name)
        for name in LAYOUT
        if os.path.lexists(venv / name)
        and (not (venv / name).is_dir() or (venv / name).is_symlink())
    ]
    taken += [str(venv / path) for path in sorted(made_with_venv(venv, ()))]
    caches = (step.cache for step in plan.steps if isinstance(step, InstallWheels))
    return taken + [path for path in (*written, *caches) if os.path.lexists(path)]


def _some(paths: Sequence[str]) -> str:
    more = f" (and {len(paths) - 1} more)" if len(paths) > 1 else ""
    return f"{paths[0]}{more}"


def refuse_to_overwrite(step: Step, plan: Plan, record: Record) -> None:
    """Raise Trouble when installing would write over files that are not ours: those that were
    there before the run, and in an environment that existed everything that is no work of it."""
    if not isinstance(step, InstallWheels):
        return
    step.refuse_other_versions()
    before = frozenset(files_before(record))
    if not (before or changes_existing(plan)):
        return
    there = wheel_files(Path(plan.venv), step.wheels, step.site).keys()
    if changes_existing(plan):
        ours = Owned(Path(record.folder)).read().keys()
        # Bytecode goes with its source, whoever compiled it.
        taken = sorted(path for path in there - ours if not path.endswith(".pyc"))
    else:
        taken = sorted(there & before)
    if taken:
        raise Trouble(
            f"{plan.venv}/{_some(taken)} already exists, and this program did not create it.",
            "A wheel contains a file with the same name and would overwrite the existing file.",
            "Move the existing files out of the way, or undo this run and choose a new folder "
            "with --venv.",
        )
