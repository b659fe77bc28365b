"""What an app's process needs: the parts of the phone that it uses, and how to start it on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path

from navitas.virtual_phone.file_tree import FileTree
from navitas.virtual_phone.host_java import JdkList, class_path_argument
from navitas.virtual_phone.host_process import HostProcess, host_process
from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.logd import LogDaemon
from navitas.virtual_phone.package import Package
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


def java_launch(
    host: AppHost,
    package: Package,
    command: Sequence[str],
    properties: Mapping[str, str],
    *,
    class_path: tuple[Path, Sequence[Path]],
    run: Sequence[str],
) -> Launch:
    """Return a JVM of a package, in its folder of data.

    `command` is `java` with its options, `class_path` the first entry and the others. `run` is the main class with its arguments.
    """
    every_property = {
        **properties,
        "navitas.sysRoot": str(host.files.root),
        "navitas.process": package.name,
        "navitas.uid": str(package.uid),
        "navitas.log": str(host.log_address),
    }

    def argv(stream: str) -> list[str]:
        options = [f"-D{name}={value}" for name, value in {**every_property, "navitas.stream": stream}.items()]
        return [*command, *options, "-cp", class_path_argument(*class_path, package.data / "cache" / "class-path.jar"), *run]

    return Launch(argv, package.name, package.identity, package.data, os.environ)
