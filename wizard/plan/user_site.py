"""The torch among the user's own packages, which an environment may import before its own."""

from __future__ import annotations

from wizard.core.own_files import Places
from wizard.host.contents import OURS, Contents
from wizard.operations.set_aside_packages import SetAsidePackages
from wizard.plan.choice import Choice
from wizard.plan.family import names_of, torch_family
from wizard.plan.steps import Step


def user_site_steps(choice: Choice, there: Contents, places: Places) -> tuple[Step, ...]:
    family = torch_family(there.user_distributions)
    if not choice.user_torch_aside or not family:
        return ()
    root = f"{places.home}/.local"
    return (
        SetAsidePackages(
            "As you asked, the torch in your user packages is moved out of the way.",
            root,
            there.user_site,
            tuple((each.name, each.version) for each in family),
            (),
            "",
            f"{root}/{OURS}",
        ),
    )


def user_site_obstacle(choice: Choice, there: Contents) -> str:
    """Why that torch cannot be moved as it was asked for; ``""`` where it can."""
    family = torch_family(there.user_distributions) if choice.user_torch_aside else ()
    spread = [each.name for each in family if each.twice or not each.recorded]
    if not spread:
        return ""
    return (
        f"{', '.join(spread)} in {there.user_site} cannot be moved safely: it is installed in two "
        "versions, or has no list of its files (RECORD). Remove it with pip (run pip uninstall "
        "until no version is left). Or leave it there and omit --user-torch-aside (on Review, "
        "press u)."
    )


def user_torch(choice: Choice, there: Contents | None) -> str:
    """Whether the torch of the user's own packages is ``left`` or moved ``aside``; or no such."""
    if there is None or not torch_family(there.user_distributions):
        return ""
    return "aside" if choice.user_torch_aside else "left"


def user_site_notes(choice: Choice, there: Contents) -> tuple[str, ...]:
    family = torch_family(there.user_distributions)
    if not family:
        return ()
    effect = (
        "This environment imports it instead of its own"
        if there.user_first
        else "This environment has no torch of its own, so it imports that one"
    )
    offer = (
        f"As you asked, it is moved to ~/.local/{OURS}. Other programs that use this Python can "
        "then no longer import it."
        if choice.user_torch_aside
        else "That torch is kept in your user packages. To move it out of the way, use "
        "--user-torch-aside (on Review, "
        "press u). Rollback restores it."
    )
    return (f"{there.user_site} has {names_of(family)}. {effect}. {offer}",)
