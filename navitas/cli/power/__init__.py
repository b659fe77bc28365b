"""`navitas power`."""
