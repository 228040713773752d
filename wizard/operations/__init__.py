"""What a plan is made of: one module a kind."""
