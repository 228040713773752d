"""Ratios against a floor measured in the same run; each file is a script."""
