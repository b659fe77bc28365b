"""Loads the libraries of the extra `fit`, which only these commands need."""

from __future__ import annotations

from typing import Any

from navitas.base.extra_libraries import extra_library


def library(name: str) -> Any:
    """Return a module such as `sklearn.linear_model`. Raises `UsageError` if it is not installed."""
    return extra_library(name, "this command needs", "fit")
