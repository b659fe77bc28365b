"""What the process of an app needs of the phone that it runs on."""

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
    """The parts of a phone that apps run on."""

    files: FileTree
    processes: ProcessTable
    packages: PackageManager
    logd: LogDaemon
    log_address: Path
    """The file that names the log's port and token."""
    jdks: JdkList
