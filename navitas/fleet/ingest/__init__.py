"""Files of samples → parts of a fleet's folder: read, checked, deduplicated, stored completely (docs/fleet-reference.md)."""
