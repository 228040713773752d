"""How to use what a plan installed: commands as a shell takes them."""

from __future__ import annotations

import shlex

from wizard.plan.steps import Plan

SCRIPT = "your_script.py"


def use_command(plan: Plan) -> str:
    """Starts a program with the Python of the venv."""
    return f"{_program(plan, 'python')} {SCRIPT}"


def launcher_command(plan: Plan) -> str:
    """Starts a program with all that must be settled before Python starts."""
    return f"{_program(plan, 'rdna1-python')} {SCRIPT}"


def measure_command(plan: Plan) -> str:
    """Measures Conv2d on the device that the stack is for."""
    device = " --device cpu" if on_processor(plan) else ""
    return f"rdna1-setup conv2d --python {_program(plan, 'python')}{device}"


def on_processor(plan: Plan) -> bool:
    """True for a stack that leaves the card unused."""
    return plan.stack == "cpu"


def _program(plan: Plan, name: str) -> str:
    return shlex.quote(f"{plan.venv}/bin/{name}")
