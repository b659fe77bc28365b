"""From a recording's raw files to typed tables."""
