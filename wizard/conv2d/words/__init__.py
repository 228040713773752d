"""Conv2d in words: requests, layers, warnings and verdicts, as people type and read them."""
