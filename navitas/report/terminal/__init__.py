"""The report in the terminal, at any width."""
