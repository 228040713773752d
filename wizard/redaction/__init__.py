"""What must not leave a machine: how it is known, and what stands in its place."""
