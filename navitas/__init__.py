"""Navitas: joules per method and per thread, for Android and JVM code."""

__version__ = "0.1.0"
