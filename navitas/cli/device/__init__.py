"""`navitas devices` and `doctor`."""
