"""Ingestion: reads, checks and deduplicates files of samples, and stores them as parts of a fleet (docs/fleet-reference.md)."""
