"""Perfetto traces for ui.perfetto.dev: energy by call path, power, tests and calls, with the recorded kernel trace."""
