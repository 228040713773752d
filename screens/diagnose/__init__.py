"""What is wrong, what proves it and what fixes it: of this machine, or of a pasted text."""
