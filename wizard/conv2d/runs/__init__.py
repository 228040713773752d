"""Runs on disk, and the process of its own that carries one out."""
