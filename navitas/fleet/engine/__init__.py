"""Engines that run stages: DuckDB on this machine, or Spark on a cluster."""
