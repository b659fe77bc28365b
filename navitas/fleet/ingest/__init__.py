"""Files of samples → parts of a fleet's folder: read, checked, deduplicated, stored atomically (docs/fleet-reference.md)."""
