"""The parts of the phone that an app's process needs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from navitas.virtual_phone.file_tree import FileTree
from navitas.virtual_phone.jdks import JdkList
from navitas.virtual_phone.logd import LogDaemon
from navitas.virtual_phone.package_manager import PackageManager
from navitas.virtual_phone.process_table import ProcessTable


@dataclass(frozen=True, slots=True)
class AppHost:
    """The parts of a phone that apps use."""

    files: FileTree
    processes: ProcessTable
    packages: PackageManager
    logd: LogDaemon
    log_address: Path
    """The file with the log's port and token."""
    jdks: JdkList
