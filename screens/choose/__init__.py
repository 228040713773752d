"""The third step: what to run, where, and on which stack."""
