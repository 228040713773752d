"""End-to-end tests: real programs, real torch, a real terminal."""
