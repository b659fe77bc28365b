"""Kernel traces as the virtual phone's tracers write them."""
