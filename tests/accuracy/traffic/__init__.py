"""Traffic with a known cause, to score what the profiler makes of it."""
