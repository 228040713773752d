"""One launch after another on the card: workers, what they are told, and what became of each."""
