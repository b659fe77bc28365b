"""The JVM of a plain Java package's tests, started as the project's `test` task would start it."""

from __future__ import annotations

import os
from pathlib import Path

from navitas.bundle.manifest import BundleManifest
from navitas.virtual_phone.app_host import AppHost
from navitas.virtual_phone.class_path import class_path_argument
from navitas.virtual_phone.host_java import choose_java, jar, java_version
from navitas.virtual_phone.launch import Launch
from navitas.virtual_phone.package import RUNNER, Package

_VIRTUAL_THREADS = 21
"""The version of Java that has them."""


def launch(host: AppHost, package: Package, manifest: BundleManifest, arguments: list[tuple[str, str]]) -> Launch:
    """Return the JVM that runs a package's tests. Raises `StartError`."""
    task = manifest.test_task
    phone_jar, class_path = jar("navitas-phone.jar"), [package.code / entry for entry in manifest.class_path]
    properties = {
        **manifest.system_properties,
        "navitas.sysRoot": str(host.files.root),
        "navitas.process": package.name,
        "navitas.uid": str(package.uid),
        "navitas.log": str(host.log_address),
        "navitas.stream": "",  # known only when the process starts
        "navitas.testFramework": task.framework,
        "navitas.scanForTestClasses": str(task.scan_for_test_classes).lower(),
        "navitas.includeEngines": ",".join(task.include_engines),
        "navitas.excludeEngines": ",".join(task.exclude_engines),
        "navitas.includeTags": ",".join(task.include_tags),
        "navitas.excludeTags": ",".join(task.exclude_tags),
        "navitas.testRoots": os.pathsep.join(str(package.code / root) for root in manifest.test_roots),
    }
    java, wrong_java = choose_java(manifest.java_home, host.jdks)
    # First, so that the build's own agents get the classes with probes.
    agent = [f"-javaagent:{phone_jar}={package.code / manifest.probed_classes}"] if manifest.probed_classes else []
    # So that the runtime finds the carriers of virtual threads. Gradle's own test JVMs open this package, too.
    opened = ["--add-opens=java.base/java.lang=ALL-UNNAMED"] if (java_version(java) or 0) >= _VIRTUAL_THREADS else []
    folder, wrong_folder = _working_dir(package, manifest, arguments)

    def argv(stream: str) -> list[str]:
        return [
            java,
            *agent,
            *opened,
            *manifest.jvm_args,
            *(f"-D{name}={value}" for name, value in {**properties, "navitas.stream": stream}.items()),
            "-cp",
            class_path_argument(phone_jar, class_path, package.data / "cache" / "class-path.jar"),
            RUNNER,
            *(text for pair in arguments for text in pair),
        ]

    removed = set(manifest.removed_variables)
    env = {name: value for name, value in os.environ.items() if name not in removed} | manifest.environment
    return Launch(argv, package.name, package.identity, folder, env, tuple(filter(None, (wrong_java, wrong_folder))))


def _working_dir(package: Package, manifest: BundleManifest, arguments: list[tuple[str, str]]) -> tuple[Path, str]:
    """Return the folder from `-e workingDir`, else the bundle's. If it is missing, return the app's data and a warning."""
    folder = Path(dict(arguments).get("workingDir", manifest.working_dir))
    if folder.is_absolute() and folder.is_dir():
        return folder, ""
    return package.data, f"the tests' working folder {folder} does not exist: they ran in an empty folder"
