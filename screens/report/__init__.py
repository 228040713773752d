"""A report for others: gathered, redacted, shown, written."""
