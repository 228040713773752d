"""Plans that mend what was found."""
