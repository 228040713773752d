"""From facts and a choice to steps: the planner, each kind of plan, and a plan as text."""
