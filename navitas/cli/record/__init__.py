"""`navitas record`."""
