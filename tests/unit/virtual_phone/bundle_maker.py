"""Small bundles for tests; their `java` is a shell script."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from typing import Any


def manifest(**changes: Any) -> dict[str, Any]:
    """A valid bundle.json."""
    plain = {
        "schema_version": 1,
        "package": "org.example.app",
        "module": ":",
        "project": "app",
        "map_id": "0" * 16,
        "class_path": ["test-classes", "classes"],
        "test_roots": ["test-classes"],
        "working_dir": "/",
        "jvm_args": ["-Xmx64m"],
        "system_properties": {"a": "b"},
        "environment": {"FROM_BUNDLE": "yes"},
        "java_home": None,
        "warnings": [],
    }
    return {**plain, **changes}


def bundle(entries: dict[str, bytes] | None = None, **changes: Any) -> bytes:
    """Bytes of a bundle with some more entries."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        archive.writestr("bundle.json", json.dumps(manifest(**changes)))
        archive.writestr("test-classes/T.class", b"class")
        for name, content in (entries or {}).items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return data.getvalue()


def fake_java(folder: Path, script: str) -> str:
    """A Java home whose `java` runs a shell script; what that prints is the instrumentation's stream."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nfor a; do case $a in -Dnavitas.stream=*) exec >"${{a#*=}}" ;; esac; done\n{script}\n')
    program.chmod(0o755)
    return str(folder)
