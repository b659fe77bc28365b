"""Files of samples → parts of a fleet's folder: read, checked, freed of duplicates, stored whole or not (docs/fleet.md)."""
