"""What an app's process needs: the parts of the phone that it uses, and how to start it on this machine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from navitas.virtual_phone.file_tree import FileTree
from navitas.virtual_phone.host_java import JdkList
from navitas.virtual_phone.host_process import HostProcess, host_process
from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.logd import LogDaemon
from navitas.virtual_phone.package_manager import PackageManager
from navitas.virtual_phone.process_table import ProcessTable
from navitas.virtual_phone.trace.stack_sampler import StackSampler


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
    stacks: StackSampler


@dataclass(frozen=True, slots=True)
class Launch:
    """A process to start. `argv` receives the file for its stream. `warnings` name differences from the package's settings.

    A process that `hears_phone` reads requests of the phone from standard input.
    """

    argv: Callable[[str], Sequence[str]]
    name: str
    who: Identity
    cwd: Path
    env: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    hears_phone: bool = False

    def process(self, table: ProcessTable) -> AbstractAsyncContextManager[HostProcess]:
        """Return the context in which it runs. Raises `OSError` on entry if it cannot be started."""
        return host_process(
            table, self.argv, name=self.name, who=self.who, cwd=self.cwd, env=self.env, takes_input=self.hears_phone
        )
