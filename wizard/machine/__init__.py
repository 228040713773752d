"""What the machine is: facts, and how each is read."""
