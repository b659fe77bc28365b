"""Checks of a version's energy by budgets: what is within, above, or not known."""
