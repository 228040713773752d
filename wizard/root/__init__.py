"""The wizard's end of the line to the root helper: asking for rights, steps, what comes of them."""
