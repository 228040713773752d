"""Runs of Conv2d experiments that are over."""
