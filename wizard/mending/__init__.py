"""From a finding to the plan that mends it."""
