"""Kernel traces of runs: they show which thread ran on which core. Recorded on the phone with `perfetto` or `atrace`."""
