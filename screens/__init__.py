"""The terminal: one wizard step a file."""
