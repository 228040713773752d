"""A typed view of the data in ``assets``: cards, stacks, claims, applications, variables."""
