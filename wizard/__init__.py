"""The core of rdna1-setup: every decision, no terminal."""

__version__ = "0.1.0"
