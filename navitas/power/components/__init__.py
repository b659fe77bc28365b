"""Power models of all components but the CPU: usage in, charge out. Formulas are Android's own (AOSP classes in docstrings)."""
