"""Layers: none are needed."""
