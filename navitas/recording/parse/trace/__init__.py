"""Read traces of the kernel's scheduler (ftrace text and Perfetto files) into typed tables on the run's clock."""
