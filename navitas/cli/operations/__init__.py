"""`navitas operations`."""
