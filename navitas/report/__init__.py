"""Reporters: pure functions of the analysed result."""
