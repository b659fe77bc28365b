"""`navitas fleet`."""
