"""Results that go from one machine to another: cards, profiles, comparisons."""
