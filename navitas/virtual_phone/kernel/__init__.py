"""The virtual phone's kernel: runs measured CPU time on virtual cores, keeps counters, and computes the energy (rails)."""
