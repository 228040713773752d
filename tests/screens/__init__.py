"""Tests of the screens, with collaborators made of plain values."""
