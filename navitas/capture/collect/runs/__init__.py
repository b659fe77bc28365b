"""The runs of a measurement: which tests, in which process, and what is recorded of each."""
