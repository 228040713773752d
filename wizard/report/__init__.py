"""One machine, one advice, one plan -> plain text for people."""
