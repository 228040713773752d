"""What a plan for an environment that exists says of itself: what goes, stays, and comes back."""

from __future__ import annotations

from wizard.knowledge.stacks import Stack
from wizard.machine.contents import OURS
from wizard.machine.facts.contents import Contents
from wizard.plan.choice import Choice
from wizard.plan.family import names_of, replaced, without_successor
from wizard.plan.user_site import user_site_notes


def existing_notes(choice: Choice, stack: Stack, there: Contents) -> tuple[str, ...]:
    """What is replaced, what stays, and how to go back."""
    goes = replaced(there, stack)
    stay = len(there.distributions) - len(goes)
    kind = "conda environment" if there.kind == "conda" else "venv"
    gone = (
        f"Replaced: {names_of(goes)}." if goes else "There is no torch in it: nothing is replaced."
    )
    return (
        f"{there.path} is a {kind} of yours with Python {there.python}: only its torch changes.",
        f"{gone} What is replaced is not deleted: it moves to {there.path}/{OURS} and waits there.",
        f"Stays as it is: {stay} other packages, held at their versions, and every other file.",
        *(
            f"{each.name} goes and does not come back: it is built for the old torch, and "
            f"{stack.id} brings none."
            for each in without_successor(stack, goes)
        ),
        "To go back: rdna1-setup rollback. It removes what came and moves the same files back.",
        *user_site_notes(choice, there),
    )
