"""The root helper: what it refuses, what it does, and that nothing stops it half way."""
