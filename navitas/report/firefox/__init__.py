"""Profiles for the Firefox Profiler."""
