"""A folder that installs a stack on machines without internet: its wheels, and a Python."""
