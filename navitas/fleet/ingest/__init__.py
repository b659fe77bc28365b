"""Files of samples → parts of a fleet's folder: read, checked, deduplicated, stored completely or not (docs/fleet-reference.md)."""
