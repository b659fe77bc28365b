"""Phones over adb, and the virtual phone."""
