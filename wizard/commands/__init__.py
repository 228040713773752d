"""One small file a headless command."""
