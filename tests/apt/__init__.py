"""Tests of what is found out before a plan with root steps is begun."""
