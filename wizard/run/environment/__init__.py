"""The files of an environment: what is in it, what goes in, what leaves, what is ours."""
