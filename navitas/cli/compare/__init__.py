"""`navitas compare` and `bisect`."""
