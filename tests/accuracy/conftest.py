"""Fixtures of the live comparisons (`make accuracy`)."""

from support.lab_fixtures import bundles, gradle, phone, sample

__all__ = ["bundles", "gradle", "phone", "sample"]
