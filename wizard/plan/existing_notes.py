"""What a plan for an environment that exists says of itself: what goes, stays, and comes back."""

from __future__ import annotations

from wizard.core.amounts import listed
from wizard.host.contents import OURS, Contents
from wizard.knowledge.stacks import Stack
from wizard.plan.choice import Choice
from wizard.plan.family import names_of, pinned, replaced, without_successor
from wizard.plan.user_site import user_site_notes


def existing_notes(choice: Choice, stack: Stack, there: Contents) -> tuple[str, ...]:
    """What is replaced, what stays, and how to go back."""
    goes, along = replaced(there, stack), pinned(there, stack)
    changed = listed(["torch", *(each.name for each in along)])
    stay = len(there.distributions) - len(goes)
    kind = "conda environment" if there.kind == "conda" else "venv"
    gone = (
        (f"The plan replaces {names_of(goes)}.")
        if goes
        else "The environment has no torch, so nothing is replaced."
    )
    return (
        f"{there.path} is your {kind} with Python {there.python}. Only its "
        f"{changed} {'change' if along else 'changes'}.",
        f"{gone} Replaced files are not deleted, but moved to {there.path}/{OURS}.",
        f"All other packages ({stay}) keep their versions, and all other files are kept.",
        *(
            f"{each.name} is replaced because the old torch requires exactly version "
            f"{each.version}. A version that fits the new torch will be installed."
            for each in along
        ),
        *(
            f"{each.name} is removed, because it was built for the old torch, and {stack.id} does "
            "not include it."
            for each in without_successor(stack, goes)
        ),
        "To undo this, run rdna1-setup rollback. It removes the new files and moves the old ones "
        "back.",
        *user_site_notes(choice, there),
    )
