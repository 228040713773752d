"""Tests of the Conv2d worker, its client, presets and verdicts."""
