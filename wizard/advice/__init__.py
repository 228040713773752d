"""Which stack for what: hard floors, reviewed verdicts, one recommendation."""
