"""Many machines: one folder that needs no internet, and what it is for."""
