"""Report formats: pure functions of a profile."""
