"""Names in a fleet's folder (docs/dev/formats.md). Imports nothing, so that the command line can use it without Arrow."""

from __future__ import annotations

SETTINGS = "fleet.json"
PACKAGES = "packages.parquet"
LEDGER = "ledger.jsonl"
LOCK = "lock"
SAMPLES = "samples"
WORK = "work"
"""Results of stages."""
PERIODS = "periods"
"""Results of stages, restricted to periods."""
ERASED = "erased.json"
"""Clients that were erased, and parts that are gone."""
TRUTH = "truth"
"""Truth of a simulated fleet."""
TRUTH_MODEL = f"{TRUTH}/model.json"
"""Numbers of a simulated fleet."""
QUARANTINE = "quarantine"
INCOMING = "incoming"
"""Staged files of sources."""
COMMITS = "commits"
"""In an object store: lists of its objects."""

COMMITTED = (SETTINGS, PACKAGES, LEDGER, ERASED)
"""Files that a commit lists, in addition to parts of samples."""
ALL = (SETTINGS, PACKAGES, LEDGER, LOCK, SAMPLES, WORK, PERIODS, ERASED, TRUTH, QUARANTINE, INCOMING, COMMITS)
