"""`navitas vitals`."""
