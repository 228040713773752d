"""Conv2d on the user's own card: shapes, the worker's client, verdicts."""
