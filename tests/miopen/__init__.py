"""Tests of asking MIOpen."""
