"""What is looked for by many launches: limits, settings, ways around a shape."""
