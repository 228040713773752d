"""Tests of reports for others, and of what is taken out of them."""
