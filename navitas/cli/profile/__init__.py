"""`navitas profile` and `demo`."""
