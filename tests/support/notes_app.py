"""A small Android app with instrumentation tests, compiled, instrumented and packed into APKs. Its classes are in a jvm.zip.

All tests share one build of it, and of its APKs, if they need no other: `cached` keeps them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from navitas.capture.build.bridge import InstrumentOptions
from navitas.capture.build.instrument import instrument
from navitas.capture.build.java import JARS
from navitas.capture.bundle.reader import Bundle, open_bundle
from navitas.virtual_phone import firmware
from support import apk_maker, bundle_maker
from support.apk_maker import Signer, Tag, activity, instrumentation, manifest, write
from support.bundle_cache import digest, kept
from support.framework import NotFetchedError, provide
from support.java_sources import java_sources
from support.maven import fetch

APP, TESTS = "org.example.notes", "org.example.notes.test"
RUNNER = f"{TESTS}/androidx.test.runner.AndroidJUnitRunner"
PERMISSIONS = (
    "RECORD_AUDIO", "ACCESS_FINE_LOCATION", "CAMERA", "WAKE_LOCK", "ACCESS_WIFI_STATE", "CHANGE_WIFI_STATE", "BLUETOOTH_SCAN",
    "BLUETOOTH_CONNECT",
)  # fmt: skip
_WOVEN = "org.robolectric.internal.bytecode"
_FRAMEWORKS_JUNIT = "4.13.2"


@dataclass(frozen=True, slots=True)
class Made:
    """The app's files: its APK and that of its tests, their classes, and the app's method map."""

    apks: list[Path]
    jvm: Path
    map: Path


def cached(
    shelf: Path,
    tests: Mapping[str, str] | None = None,
    junit: str = _FRAMEWORKS_JUNIT,
    hooked: Mapping[str, str] | None = None,
    **manifest: Any,
) -> Made:
    """Return the app with tests (sources by class name; its own if None) for a JUnit version, and with options of the manifest.

    With `hooked`, the app has these classes, too, and hooks. An app of the same inputs is built once, also its classes and its
    APKs on their own, below `shelf`. The caller must not change its files. Raises `NotFetchedError`.
    """
    code = [("code", Path(module)) for module in (__file__, apk_maker.__file__)]
    of_app, of_tests = java_sources("notes/app") | dict(hooked or {}), tests or java_sources("notes/tests")
    of_classes = digest([firmware.NAME, repr((of_app, of_tests, junit, hooked is None))], code)
    classes = kept(shelf, of_classes, lambda folder: _make_classes(folder, of_app, of_tests, junit, hooks=hooked is not None))
    apks = kept(shelf, digest([repr(sorted(manifest.items()))], code), lambda folder: _make_apks(folder, **manifest))
    return Made([apks / "app.apk", apks / "tests.apk"], classes / "jvm.zip", classes / "map.json")


def _make_classes(folder: Path, sources: Mapping[str, str], tests: Mapping[str, str], junit: str, *, hooks: bool) -> None:
    """Compile and instrument the app, compile its tests, and write their jvm.zip."""
    if shutil.which("javac") is None or not (JARS / "navitas-phone-android.jar").is_file():
        raise NotFetchedError("no JDK, or the jars are not built: make jars")
    framework = provide()
    if junit == _FRAMEWORKS_JUNIT:
        libraries = [jar for jar in (*framework.jars, *framework.last) if jar.name.startswith(("junit-", "hamcrest-"))]
    else:
        libraries = sorted(fetch([f"junit:junit:{junit}"], folder / "lib", transitive=True).glob("*.jar"))
    class_path = [woven(folder / "woven"), framework.android, *libraries, *framework.jars, *framework.last]
    app = _compiled(folder / "app", sources, class_path)
    instrument([app], folder / "instrumented", folder / "map.json", InstrumentOptions(hooks=hooks))
    compiled = _compiled(folder / "tests", tests, [*class_path, app])
    app_jar = pack_classes(folder / "app.jar", folder / "instrumented", json.loads((folder / "map.json").read_text())["map_id"])
    entries = {"app/000-app.jar": app_jar, "app/001-runtime.jar": JARS / "navitas-runtime.jar"}
    entries |= {"app/002-hooks.jar": JARS / "navitas-hooks.jar"} if hooks else {}
    entries |= {"test/000-tests.jar": pack_classes(folder / "tests.jar", compiled)}
    entries |= {"test/001-listener.jar": JARS / "navitas-runtime-junit.jar"}
    entries |= {f"test/{number:03}-{file.name}": file for number, file in enumerate(libraries, 2)}
    with zipfile.ZipFile(folder / "jvm.zip", "w") as archive:
        document = {"schema_version": 1, "package": APP, "test_package": TESTS, "class_path": [*entries]}
        archive.writestr("jvm.json", json.dumps(document))
        for name, file in entries.items():
            archive.write(file, name)


def _make_apks(
    folder: Path,
    application: str = "android.app.Application",
    *,
    permissions: Sequence[str] = PERMISSIONS,
    debuggable: bool = True,
    launcher: bool = True,
    target_sdk: int = 33,
) -> None:
    """Write the APKs, with an Application class. The manifest requests `permissions`; launchers may show the activity."""
    if shutil.which("keytool") is None:
        raise NotFetchedError("no JDK")
    signer = Signer(folder, JARS / "navitas-phone-install.jar")
    parts = (
        activity(".Main", launcher=launcher),
        activity(".Detail"),
        *(Tag("service", {"name": name}) for name in (".Sync", ".Queue")),
    )
    requests = [Tag("uses-permission", {"name": f"android.permission.{name}"}) for name in permissions]
    named: dict[str, bool | int | str] = {"name": application, "debuggable": debuggable}
    app = manifest(APP, *parts, application=named, target_sdk=target_sdk, outside=requests)
    signer.add(write(folder / "app.raw", app), folder / "app.apk")
    tests = manifest(TESTS, outside=(instrumentation(APP),))
    signer.add(write(folder / "tests.raw", tests, {"assets/seed.txt": b"tests"}), folder / "tests.apk")
    signer.run()


def make_bundle(folder: Path) -> Bundle:
    """Return the app as a bundle from a build. Raises `NotFetchedError`."""
    folder.mkdir(parents=True, exist_ok=True)
    return open_bundle(bundle_of(cached(folder), folder / "notes.bundle.zip"))


def bundle_of(made: Made, file: Path, **fields: object) -> Path:
    """Return the bundle of a built app, with some fields of `bundle.json` replaced."""
    map_id = json.loads(made.map.read_text())["map_id"]
    names = {"package": APP, "test_package": TESTS, "map_id": map_id, "includes_map_ids": []}
    files = dict(zip(("app.apk", "test.apk"), (apk.read_bytes() for apk in made.apks), strict=True))
    files |= {"jvm.zip": made.jvm.read_bytes(), "map.json": made.map.read_bytes()}
    content = json.dumps({**bundle_maker.ANDROID_MANIFEST, **names, **fields})
    return bundle_maker.make(file, {"bundle.json": content, **files})


def _compiled(folder: Path, sources: Mapping[str, str], class_path: list[Path], package: str = APP) -> Path:
    """Return the folder of the compiled classes, all in one package."""
    folder.mkdir()
    files = []
    for name, text in sources.items():
        files.append(folder / f"{name}.java")
        files[-1].write_text(f"package {package};\n{text}")
    return compile_classes(folder, files, class_path)


def woven(folder: Path) -> Path:
    """Return what comes first on the class path: Robolectric has modified the framework's classes.

    With this interface empty, subclasses compile as on Android.
    """
    return _compiled(folder, {"ShadowedObject": "public interface ShadowedObject {}"}, [], _WOVEN)


def compile_classes(folder: Path, files: Sequence[Path], class_path: Sequence[Path]) -> Path:
    """Compile Java files, and return the folder of the classes."""
    class_path_text = ":".join(map(str, [folder, *class_path]))
    subprocess.run(["javac", "-nowarn", "-cp", class_path_text, "-d", folder / "classes", *files], check=True)
    return folder / "classes"


def pack_classes(jar: Path, classes: Path, map_id: str | None = None) -> Path:
    """Write a jar of compiled classes below the package `org`, with the id of their method map."""
    with zipfile.ZipFile(jar, "w") as archive:
        root = next(iter(classes.rglob("org"))).parent
        for found in root.rglob("*.class"):
            archive.write(found, str(found.relative_to(root)))
        if map_id is not None:
            archive.writestr("META-INF/navitas/map.properties", f"map_id={map_id}\n")
    return jar
