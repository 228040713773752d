"""Tests of what is asked of indexes and repositories."""
