"""Samples → the regression of each client's pairs on each app."""
