"""The door in: how a machine is looked at."""
