"""What comes over a network: whole, checked, and gone on with."""
