"""Read a recording's raw files into typed tables."""
