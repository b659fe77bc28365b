"""Loads libraries that only an optional extra installs, such as `navitas[fit]`."""

from __future__ import annotations

import importlib
from typing import Any

from navitas.errors import UsageError

_PACKAGES = {"sklearn": "scikit-learn"}
"""Packages whose name is not that of their module."""


def extra_library(module: str, user: str, extra: str) -> Any:
    """Return a module. `user` begins the message of the `UsageError` if it is not installed, such as "fitting needs"."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UsageError(f"{user} the package {_PACKAGES.get(package, package)}", f"pip install 'navitas[{extra}]'") from error
