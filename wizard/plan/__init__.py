"""From facts and a choice to steps: fit, advice, planner, and the text of a plan."""
