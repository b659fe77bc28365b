"""Kernel traces in the formats of the virtual phone's tracers."""
