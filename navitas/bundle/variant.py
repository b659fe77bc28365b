"""Make copies of a bundle with other inputs for its tests, or other options for their JVM."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from navitas.bundle.archive import MAX_MANIFEST_BYTES, open_archive
from navitas.bundle.manifest import AndroidManifest
from navitas.bundle.reader import Bundle, open_bundle
from navitas.errors import BuildError

_MANIFEST = "bundle.json"


def with_inputs(bundle: Bundle, path: Path, inputs: Mapping[str, str], jvm_args: Sequence[str] = ()) -> Bundle:
    """Write a copy of a bundle to `path`, and open it.

    `inputs` become system properties of the tests of Java code, and arguments of the instrumentation of Android apps
    (`InstrumentationRegistry.getArguments()`). `jvm_args` are added for Java code. Raises `BuildError` for a damaged bundle, and
    for `jvm_args` of an Android app.
    """
    if isinstance(bundle.manifest, AndroidManifest) and jvm_args:
        raise BuildError(f"{bundle.path}: an Android app has no options of a JVM", "Leave the compiler as it is.")
    with open_archive(bundle.path) as archive, zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as copy:
        document = json.loads(archive.read(_MANIFEST, MAX_MANIFEST_BYTES))
        key = "runner_arguments" if isinstance(bundle.manifest, AndroidManifest) else "system_properties"
        document[key] = {**document.get(key, {}), **inputs}
        if jvm_args:
            document["jvm_args"] = [*document["jvm_args"], *jvm_args]
        if "working_dir" in document:  # relative to the folder of the bundle
            document["working_dir"] = str(bundle.working_dir)
        for entry in archive.zip.infolist():
            content = json.dumps(document).encode() if entry.filename == _MANIFEST else archive.zip.read(entry)
            copy.writestr(entry.filename, content)
    return open_bundle(path)
