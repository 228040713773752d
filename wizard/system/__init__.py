"""The door out: everything that changes anything for a plan."""
