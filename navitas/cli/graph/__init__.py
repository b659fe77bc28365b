"""`navitas graph`."""
