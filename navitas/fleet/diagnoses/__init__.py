"""Under which conditions, and since which version, an app drains, and what to do."""
