"""What is found out before a plan with root steps: looked at and asked as the ordinary user."""
