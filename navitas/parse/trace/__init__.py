"""Traces of the kernel's scheduler: ftrace text and Perfetto files → typed tables on the run's clock."""
