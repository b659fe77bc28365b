"""A run's kernel trace: which thread ran on which core when, recorded on the phone with `perfetto`, else `atrace`."""
