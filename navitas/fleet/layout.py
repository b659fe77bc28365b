"""What lies where in a fleet's folder (docs/formats.md). It imports nothing: the command line knows it without Arrow."""

from __future__ import annotations

SETTINGS = "fleet.json"
PACKAGES = "packages.parquet"
LEDGER = "ledger.jsonl"
LOCK = "lock"
SAMPLES = "samples"
WORK = "work"
"""Results of stages."""
TRUTH = "truth"
"""What is true of a simulated fleet."""
QUARANTINE = "quarantine"
INCOMING = "incoming"
"""Files of sources that are not stored yet."""

ALL = (SETTINGS, PACKAGES, LEDGER, LOCK, SAMPLES, WORK, TRUTH, QUARANTINE, INCOMING)
