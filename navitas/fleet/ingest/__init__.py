"""Files of samples → parts of a fleet's folder: read, checked, deduplicated, stored or refused (docs/fleet-reference.md)."""
