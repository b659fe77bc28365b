"""A run's kernel trace: who ran on which core when, recorded on the phone with `perfetto`, else `atrace`."""
