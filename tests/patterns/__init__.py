"""Every regular expression that outside text meets, and how long it takes on ill will."""
