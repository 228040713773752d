"""Facts, logs and pasted text to findings: what is wrong, what proves it, what fixes it."""
