"""The census of operations: which source-level operations each basic block has."""
