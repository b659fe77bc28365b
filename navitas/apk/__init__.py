"""Read APKs."""
