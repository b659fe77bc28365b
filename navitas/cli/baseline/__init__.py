"""`navitas baseline`."""
