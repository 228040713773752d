"""Makes a record of a machine: by allow-list, its owner disguised, looked at again at once."""
