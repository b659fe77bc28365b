"""`navitas history`."""
