"""Totals of call paths by thread and test, from events and folded calls."""
