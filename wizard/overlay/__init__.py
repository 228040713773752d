"""Root's part of a plan, tried in an overlay of the system: what it would change, file by file."""
