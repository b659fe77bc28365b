"""Loads the libraries of the extra `fit`, which only these commands need."""

from __future__ import annotations

import importlib
from typing import Any

from navitas.errors import UsageError


def library(name: str) -> Any:
    """Return a module such as `sklearn.linear_model`. Raises `UsageError` if it is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = {"sklearn": "scikit-learn"}.get(name.partition(".")[0], name.partition(".")[0])
        raise UsageError(f"this command needs the package {package}", "pip install 'navitas[fit]'") from None
