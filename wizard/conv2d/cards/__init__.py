"""Results that go from one machine to another: cards and comparisons."""
