"""Loads libraries that only an optional extra installs, such as `fit`, and names the command that installs them.

The command names libraries, not Navitas, so it works for each way of installing (docs/installing.md). Their versions are those of
the package's own metadata.
"""

from __future__ import annotations

import importlib
import re
import shlex
import shutil
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

from navitas.base.errors import UsageError

_PACKAGES = {"sklearn": "scikit-learn"}
"""Packages whose name is not that of their module."""
_AFTER_NAME = re.compile(r"[^\w.-]")
_EXTRA = re.compile(r"""\bextra\s*==\s*(["'])([\w.-]+)\1""")


def extra_library(module: str, user: str, extra: str) -> Any:
    """Return a module. `user` begins the message of the `UsageError` if it is not installed, such as "fitting needs"."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise UsageError(f"{user} the package {_PACKAGES.get(package, package)}", install_extra(extra)) from error


def install_extra(extra: str) -> str:
    """Return the command that installs all libraries of an extra, such as `pip install 'scipy>=1.13'`."""
    found = [requirement for name, requirement in _optional() if name == extra]
    return install_command(found) if found else f"run `pip install -e '.[{extra}]'` in the checkout of Navitas"


def install_packages(packages: Iterable[str]) -> str:
    """Return the command that installs packages, in versions that Navitas supports if it can use them."""
    known = {_AFTER_NAME.split(requirement, 1)[0]: requirement for _, requirement in _optional()}
    names = (_PACKAGES.get(package, package) for package in packages)
    return install_command(known.get(name, name) for name in names)


def install_command(requirements: Iterable[str]) -> str:
    """Return the command that installs packages into the environment that runs Navitas: by pipx, or by its own pip."""
    environment = Path(sys.prefix)
    if (environment / "pipx_metadata.json").is_file():
        command = f"pipx inject {shlex.quote(environment.name)}"
    elif (pip := shutil.which("pip")) is not None and Path(pip).parent == Path(sys.executable).parent:
        command = "pip install"
    else:
        command = f"{shlex.quote(sys.executable)} -m pip install"
    return " ".join([command, *map(shlex.quote, requirements)])


def _optional() -> list[tuple[str, str]]:
    """Return extras and their requirements, without markers. Empty if Navitas runs from sources that are not installed."""
    try:
        lines = metadata.requires("navitas") or []
    except metadata.PackageNotFoundError:
        return []
    parts = (line.partition(";") for line in lines)
    return [(found[2], requirement.strip()) for requirement, _, marker in parts if (found := _EXTRA.search(marker))]
