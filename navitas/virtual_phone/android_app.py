"""The process of an Android app: a JVM with Android's framework, which runs the classes pushed with the APK."""

from __future__ import annotations

import asyncio
import os
import shutil
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from navitas.capture.build.java import find_java, jar
from navitas.capture.bundle.archive import JvmManifest, open_jvm
from navitas.capture.bundle.manifest import InvalidBundle
from navitas.virtual_phone import firmware
from navitas.virtual_phone.app_host import AppHost, Launch, java_launch
from navitas.virtual_phone.host_java import StartError, java_release, start_errors
from navitas.virtual_phone.package import APK, APK_TEXT, Package
from navitas.virtual_phone.releases import FINE_POWER_MONITORS, has

PUSHED = "/data/local/tmp/navitas"
_UNPACKED = "data/misc/navitas"
_MAIN = "org.navitas.phone.android.AndroidMain"
_LEAST_JAVA = 17
_OPENED = ("java.lang", "java.lang.reflect", "java.io", "java.net", "java.util")
_RUNNERS = "androidx.test.internal.runner.junit4.AndroidJUnit4ClassRunner"


@dataclass(frozen=True, slots=True)
class Classes:
    """An unpacked jvm.zip."""

    manifest: JvmManifest
    folder: Path

    def paths(self, entries: list[str]) -> list[Path]:
        return [self.folder / entry for entry in entries]


async def unpack_classes(host: AppHost, test_package: str) -> Classes:
    """Unpack and return the classes pushed for a test package. Raises `StartError`."""
    pushed = f"{PUSHED}/{test_package}.jvm.zip"
    try:
        return await asyncio.to_thread(_unpack, host, pushed, test_package)
    except FileNotFoundError:
        reason = f"the classes of {test_package} are not on this phone, which runs no dex code: push its jvm.zip to {pushed}"
        raise StartError(f"{reason} (navitas profile does)") from None
    except (InvalidBundle, OSError) as error:
        raise StartError(f"{pushed}: {error}") from None


def _unpack(host: AppHost, pushed: str, name: str) -> Classes:
    with host.files.open_read(pushed) as file:
        info = os.fstat(file.fileno())
        home = host.files.root / _UNPACKED / name
        folder = home / f"{info.st_mtime_ns}-{info.st_size}"
        with open_jvm(file) as (archive, manifest):
            if manifest.test_package != name:
                raise InvalidBundle(f"it contains the classes of {manifest.test_package}")
            if not folder.is_dir():
                shutil.rmtree(home, ignore_errors=True)
                part = home / ".part"
                part.mkdir(parents=True)
                archive.extractall(part)
                part.replace(folder)
            return Classes(manifest, folder)


@start_errors()
def launch(
    host: AppHost, app: Package, classes: Classes, runner: str, arguments: list[tuple[str, str]], *, alone: bool = False
) -> Launch:
    """Return the JVM of an app, with its tests or `alone`. Raises `StartError`."""
    framework = firmware.find()
    java = str(find_java())
    if (version := java_release(java)) is not None and version < _LEAST_JAVA:
        reason = f"Android apps need Java {_LEAST_JAVA} or newer on this machine, and {java} is {version}"
        raise StartError(f"{reason}: set JAVA_HOME")
    first = jar("navitas-phone-android.jar")
    # Put Robolectric's libraries and JUnit first: it needs these versions. Android's classes come last, after the phone's Log.
    tests = host.packages.get(classes.manifest.test_package)
    # Only the APKs contain resources of Java code. An app without tests is its own test package.
    apks = list(dict.fromkeys(package.code / APK for package in (app, tests) if package))
    others = (*framework.jars, *classes.paths(classes.manifest.class_path), *apks, *framework.last, framework.android)
    class_path = [jar("navitas-phone.jar"), *others]
    properties = {
        "navitas.testRoots": os.pathsep.join(map(str, classes.paths(classes.manifest.test_roots))),
        "navitas.app": str(alone).lower(),
        "navitas.android.manifest": str(app.code / APK_TEXT),
        "navitas.android.apk": str(app.code / APK),
        "navitas.android.data": str(app.data),
        "navitas.android.instrumentation": runner,
        "navitas.android.sdk": str(firmware.SDK),
        "navitas.android.powerMonitors": str(has("power monitors", host.packages.platform.sdk)).lower(),
        "navitas.android.finePowerMonitors": str(host.packages.has_permission(app.uid, FINE_POWER_MONITORS)).lower(),
        "android.junit.runner": _RUNNERS,
        "robolectric.enabledSdks": str(firmware.SDK),  # else Robolectric warns of SDKs that need a newer Java
        "robolectric.offline": "true",
        "robolectric.dependency.dir": str(framework.folder),
        "java.io.tmpdir": str(app.data / "cache"),
    }
    if tests is not None and tests is not app:
        properties["navitas.android.testApk"] = str(tests.code / APK)

    # The serial collector starts a sixth faster, with fewer threads besides the app's own.
    command = [java, *host.stacks.agent(app), "-XX:+UseSerialGC"]
    command += [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    run = [_MAIN, *chain.from_iterable(arguments)]
    return replace(java_launch(host, app, command, properties, class_path=(first, class_path), run=run), hears_phone=True)
