"""Bundles made by hand from docs/formats.md alone."""

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


def make(path: Path, files: Mapping[str, str | bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return path
