"""What a plan for an environment that exists says of itself: what goes, stays, and comes back."""

from __future__ import annotations

from wizard.knowledge.stacks import Stack
from wizard.machine.contents import OURS
from wizard.machine.facts.contents import Contents, Distribution
from wizard.plan.choice import Choice
from wizard.plan.family import TORCH, replaced, torch_family, without_successor


def existing_notes(choice: Choice, stack: Stack, there: Contents) -> tuple[str, ...]:
    """What is replaced, what stays, and how to go back."""
    goes = replaced(there, stack)
    stay = len(there.distributions) - len(goes)
    kind = "conda environment" if there.kind == "conda" else "venv"
    gone = f"Replaced: {_names(goes)}." if goes else "There is no torch in it: nothing is replaced."
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
        *_user_site_notes(choice, there),
    )


def _names(distributions: tuple[Distribution, ...]) -> str:
    """Names and versions, torch first, NVIDIA's many wheels as a number."""
    first = sorted(distributions, key=lambda each: (each.name not in TORCH, each.name))
    told = [f"{d.name} {d.version}" for d in first if not d.name.startswith(("nvidia-", "cuda-"))]
    nvidia = len(first) - len(told)
    wheels = "wheel" if nvidia == 1 else "wheels"
    return ", ".join([*told, *([f"{nvidia} nvidia {wheels} of that torch"] if nvidia else [])])


def _user_site_notes(choice: Choice, there: Contents) -> tuple[str, ...]:
    family = torch_family(there.user_distributions)
    if not family:
        return ()
    effect = (
        "This environment imports it before its own"
        if there.user_first
        else "This environment imports it too, where it has none of its own"
    )
    offer = (
        f"It moves to ~/.local/{OURS}, as you asked; other programs of this Python lose it."
        if choice.user_torch_aside
        else "It stays; --user-torch-aside (on Review: u) moves it away, rollback brings it back."
    )
    return (f"{there.user_site} holds {_names(family)}. {effect}. {offer}",)
