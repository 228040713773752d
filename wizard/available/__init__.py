"""Whether wheels and packages are still there to be had, asked on request only."""
