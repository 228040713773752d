"""What is wrong, what proves it and what mends it: of this machine, or of a pasted text."""
