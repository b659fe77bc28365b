"""Energy of source-level operations: executed blocks × operations of blocks × costs (Li and Gallagher; docs/operations.md)."""
