"""Diagnosis, and the texts that it is tried on."""
