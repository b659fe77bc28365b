"""One test run on one device, from bundle to recording."""
