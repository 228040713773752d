"""What a start may do, as the screens and the plain road say it at their beginning."""

DRY_RUN_TOLD = "DRY RUN: nothing is changed, downloaded or started. Steps are only shown."
DEMO_TOLD = "DEMO: an example machine, not yours. Nothing is changed or started."
