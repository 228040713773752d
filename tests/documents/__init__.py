"""Documents that are made from the program, and that they still fit it."""
