"""Files that a venv keeps: constraints, variables, and the launcher that sets them."""

from __future__ import annotations

from wizard.advice.card import chosen_card
from wizard.advice.leftovers import MEASURED, left_out
from wizard.knowledge.stacks import Preset, Stack
from wizard.machine.facts import Machine
from wizard.operations.write_file import PinInstalled, WriteFile
from wizard.plan.choice import Choice
from wizard.plan.environment import MODULE, PTH, launcher_text, module_text, with_constraint
from wizard.plan.impossible import PlanImpossible
from wizard.plan.steps import Step


def setting_steps(
    machine: Machine, choice: Choice, stack: Stack, minor: str, pip_conf: str = "", site: str = ""
) -> tuple[Step, ...]:
    """What keeps the stack as it is, and its variables in every start of its Python.

    ``minor`` is that Python's, such as ``3.10``; a ``pip.conf`` that was there keeps its lines.
    ``site`` is the site folder of an environment that existed: another Python's packages below it
    are not ours to see.
    """
    venv, preset = choice.venv, chosen_preset(choice, stack)
    settings = (
        *stack.environment,
        *(preset.variables if preset else ()),
        *visible_device(machine, choice, stack),
    )
    packages = f"{venv}/lib/python{minor}/site-packages"
    constraints = f"{venv}/rdna1-constraints.txt"
    out = left_out(machine, stack)
    # Not in the module what Conv2d's search sets for this Python: it would be gone again.
    unset = (*stack.unset, *(name for name in out if not name.startswith(MEASURED)))
    launcher = launcher_text(venv, settings, tuple(dict.fromkeys((*unset, *out))))
    variables: tuple[Step, ...] = ()
    if settings or unset:
        variables = (
            _file(
                venv,
                f"{packages}/{MODULE}.py",
                module_text(settings, unset),
                "These are the environment variables for this stack. They affect only this "
                "environment.",
                "Write the settings of this stack",
            ),
            _file(
                venv,
                f"{packages}/{MODULE}.pth",
                PTH,
                "Shells, editors, Jupyter and cron jobs that start this Python also use the "
                "settings.",
                "Load settings when this Python starts",
            ),
        )
    return (
        _constraints(stack, venv, constraints, site),
        _file(
            venv,
            f"{venv}/pip.conf",
            with_constraint(pip_conf, constraints),
            "This makes pip in this environment keep the pinned versions.",
            "Make pip keep the pinned versions",
        ),
        *variables,
        _file(
            venv,
            f"{venv}/bin/rdna1-python",
            launcher,
            (
                "This command sets the same variables before Python starts, for libraries that "
                "need them that early."
            )
            if variables
            else "Every stack has this command. This stack needs no variables.",
            "Add the command rdna1-python",
            0o755,
        ),
    )


def chosen_preset(choice: Choice, stack: Stack) -> Preset | None:
    """The published variables that were chosen. Raises PlanImpossible for a name of none."""
    if not choice.preset:
        return None
    for preset in stack.presets:
        if preset.name == choice.preset:
            return preset
    known = " or ".join(f"'{preset.name}'" for preset in stack.presets) or "none"
    raise PlanImpossible(f"{stack.id} has no preset {choice.preset!r}. Its presets are: {known}.")


def _constraints(stack: Stack, venv: str, path: str, site: str) -> Step:
    reason = "This keeps a later installation from replacing PyTorch."
    title = "Pin package versions"
    if stack.constraints:
        return _file(venv, path, "".join(f"{line}\n" for line in stack.constraints), reason, title)
    family = ("torch", "torchvision", "torchaudio", "numpy")
    return PinInstalled(reason, venv, family, path, site)


def _file(
    venv: str, path: str, content: str, reason: str, title: str, mode: int = 0o644
) -> WriteFile:
    return WriteFile(reason, venv, path, content, mode, title)


def visible_device(machine: Machine, choice: Choice, stack: Stack) -> tuple[tuple[str, str], ...]:
    """ROCR_VISIBLE_DEVICES, where KFD offers more than the card that was chosen."""
    if not stack.gfx:
        return ()
    offered = sorted(
        (gpu for gpu in machine.gpus if gpu.kfd_node is not None), key=lambda gpu: gpu.kfd_node or 0
    )
    card = chosen_card(machine, choice.gpu)
    if card not in offered or len(offered) < 2:
        return ()
    return (("ROCR_VISIBLE_DEVICES", str(offered.index(card))),)
