"""The bound on CPUs, for all readers of data that others wrote."""

from __future__ import annotations

from typing import Final

MAX_CPUS: Final = 4096
"""Devices, power profiles and traces have at most this many CPUs, numbered from 0."""
