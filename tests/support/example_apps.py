"""Android apps such as those in `examples`, instrumented with hooks: compiled without Gradle or an SDK, or built by Gradle."""

from __future__ import annotations

import json
import shutil
import subprocess
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from navitas.capture.build.bridge import InstrumentOptions
from navitas.capture.build.instrument import instrument
from navitas.capture.build.java import JARS
from navitas.capture.build.plugin_repository import install_plugin
from navitas.capture.bundle.reader import Bundle, open_bundle
from support import bundle_maker
from support.android_projects import aapt2
from support.apk_maker import ANDROID, Signer, Tag, write
from support.framework import provide
from support.notes_app import compile_classes, pack_classes, woven

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def build_example(name: str, folder: Path, gradle: str) -> Bundle:
    """Return the bundle of an example with libraries, as a user builds it. ANDROID_HOME is an SDK."""
    project = _copied(name, folder / name)
    repository = f"-Dmaven.repo.local={install_plugin(folder / 'plugin')}"
    command = [gradle, "-p", str(project), repository, "navitasBundleDebug", "-Pnavitas.hooks=true"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return open_bundle(project / "build" / "navitas" / "debug" / f"{name}-debug.bundle.zip")


def _copied(name: str, project: Path) -> Path:
    """Copy an example, which builds with the test SDK's aapt2 if there is one."""
    shutil.copytree(EXAMPLES / name, project, ignore=shutil.ignore_patterns("build", ".gradle"))
    if (made := aapt2()) is not None:
        with (project / "gradle.properties").open("a") as properties:
            properties.write(f"android.aapt2FromMavenOverride={made}\n")
    return project


def make_example(project: Path, folder: Path, *, target_sdk: int) -> Bundle:
    """Return the bundle of an app `org.example.PROJECT` without libraries. Raises `NotFetchedError`."""
    source = project / "src" / "main"
    package = f"org.example.{project.name}"
    framework = provide()
    class_path = [woven(folder / "woven"), framework.android, *framework.jars, *framework.last]
    files = sorted((source / "java").rglob("*.java"))
    (folder / "app").mkdir()
    classes = compile_classes(folder / "app", files, class_path)
    instrument([classes], folder / "instrumented", folder / "map.json", InstrumentOptions(hooks=True))
    map_id = json.loads((folder / "map.json").read_text())["map_id"]
    signer = Signer(folder, JARS / "navitas-phone-install.jar")
    root = ElementTree.parse(source / "AndroidManifest.xml").getroot()
    apk = signer.add(write(folder / "app.raw", _manifest(root, package, target_sdk)), folder / "app.apk")
    signer.run()
    jars = {
        "app/000-app.jar": pack_classes(folder / "app.jar", folder / "instrumented", map_id),
        "app/001-runtime.jar": JARS / "navitas-runtime.jar",
        "app/002-hooks.jar": JARS / "navitas-hooks.jar",
    }
    with zipfile.ZipFile(folder / "jvm.zip", "w") as archive:
        document = {"schema_version": 1, "package": package, "test_package": package, "class_path": [*jars]}
        archive.writestr("jvm.json", json.dumps(document))
        for entry, jar in jars.items():
            archive.write(jar, entry)
    manifest = bundle_maker.ANDROID_MANIFEST | {
        "project": project.name, "package": package, "test_package": package, "runner": None, "map_id": map_id, "hooks": True,
        "includes_map_ids": [], "apks": {"app": [{"file": "app.apk", "abi": None}], "test": None},
    }  # fmt: skip
    made = {each: (folder / each).read_bytes() for each in (apk.name, "jvm.zip", "map.json")}
    return open_bundle(bundle_maker.make(folder / f"{project.name}.bundle.zip", {"bundle.json": json.dumps(manifest), **made}))


def _manifest(root: ElementTree.Element, package: str, target_sdk: int) -> Tag:
    """Return a manifest as the Android Gradle Plugin merges it for a debug build."""
    sdk = Tag("uses-sdk", {"minSdkVersion": 21, "targetSdkVersion": target_sdk})
    merged = _tag(root)
    parts = tuple(
        Tag(part.name, {**part.attributes, "debuggable": True}, part.children) if part.name == "application" else part
        for part in merged.children
    )
    return Tag("manifest", {"package": package, "versionCode": 1, "versionName": "1"}, (sdk, *parts))


def _tag(element: ElementTree.Element) -> Tag:
    attributes = {name.removeprefix(f"{{{ANDROID}}}"): _value(value) for name, value in element.attrib.items()}
    return Tag(element.tag, attributes, tuple(map(_tag, element)))


def _value(text: str) -> str | bool:
    return text == "true" if text in ("true", "false") else text
