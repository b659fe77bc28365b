"""The programs and builtins of the phone's shell, one module for each topic."""

from __future__ import annotations

import importlib
import pkgutil


def load() -> None:
    """Import all modules of this package. Each one registers its commands."""
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
