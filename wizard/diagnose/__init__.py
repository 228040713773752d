"""Facts, logs and pasted text to findings: what is wrong, what proves it, what mends it."""
