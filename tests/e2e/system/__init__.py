"""Worlds for testing the system footprint: real roots, real apt, a stand-in of AMD's archive."""
