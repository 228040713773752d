"""Tests of the data in ``assets`` and its typed view."""
