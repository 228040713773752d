"""Types and texts that everything else uses: troubles, events, children, sizes."""
