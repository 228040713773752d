"""Plans word for word, before anything happens: the way there, and its undo."""
