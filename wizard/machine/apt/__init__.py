"""What apt knows: its sources, indexes, keys and pins, read from files alone."""
