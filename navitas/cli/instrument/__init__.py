"""`navitas instrument` and `plugin`."""
