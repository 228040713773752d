"""Carries a plan out: executors, downloads, journal."""
