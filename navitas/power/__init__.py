"""Read a power profile and build a power model from it."""
