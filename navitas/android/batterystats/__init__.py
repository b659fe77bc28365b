"""Reads `dumpsys batterystats`: text and `--checkin`, Android 4.4 to 16 (docs/dev/formats.md)."""
