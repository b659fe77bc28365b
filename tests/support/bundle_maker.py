"""Generate bundles from docs/dev/formats.md alone."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MANIFEST: dict[str, Any] = {
    "schema_version": 1,
    "package": "org.example.sample",
    "module": ":app",
    "project": "sample",
    "map_id": "0123456789abcdef",
    "class_path": ["test-classes", "classes", "lib/000-junit-4.13.2.jar"],
    "test_roots": ["test-classes"],
    "working_dir": "/home/me/sample",
    "jvm_args": ["-Xmx1g"],
    "system_properties": {"a": "b"},
    "environment": {"FOO": "bar"},
    "java_home": None,
    "warnings": [],
}
MAP = json.dumps({"schema_version": 1, "map_id": "0123456789abcdef", "classes": [], "methods": [], "skipped": []})
FILES: dict[str, str | bytes] = {
    "test-classes/p/ATest.class": b"\xca\xfe\xba\xbe",
    "classes/p/A.class": b"\xca\xfe\xba\xbe",
    "lib/000-junit-4.13.2.jar": b"PK",
    "map.json": MAP,
    "bundle.json": json.dumps(MANIFEST),
}
ANDROID_MANIFEST: dict[str, Any] = {
    "schema_version": 1,
    "kind": "android",
    "project": "notes",
    "module": ":app",
    "variant": "demoDebug",
    "package": "org.example.notes.demo",
    "test_package": "org.example.notes.demo.test",
    "runner": "androidx.test.runner.AndroidJUnitRunner",
    "runner_arguments": {},
    "orchestrator": False,
    "clear_package_data": False,
    "debuggable": True,
    "minified": False,
    "min_sdk": 21,
    "agp_version": "7.4.2",
    "map_id": "0123456789abcdef",
    "includes_map_ids": ["00112233445566aa"],
    "apks": {"app": [{"file": "app.apk", "abi": None}], "test": "test.apk"},
    "mapping": None,
    "jvm": "jvm.zip",
    "warnings": [],
}
ANDROID_FILES: dict[str, str | bytes] = {
    "app.apk": b"PK app",
    "test.apk": b"PK test",
    "jvm.zip": b"PK jvm",
    "map.json": MAP,
    "bundle.json": json.dumps(ANDROID_MANIFEST),
}


def make(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
