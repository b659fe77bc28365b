"""Add files, such as a history of batterystats, to a recording of `recording_maker`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from support.recording_maker import start_ns
from support.run_bytes import REAL_OFFSET_NS

_MS = 1_000_000


def wall_ms(at_ms: int, run: int = 0) -> int:
    """The wall clock at a time of a run."""
    return (REAL_OFFSET_NS + start_ns(run)) // _MS + at_ms


def add_history(folder: Path, text: str, run: int = 0) -> None:
    """Write `text` as the run's batterystats.txt, and name it in the manifest."""
    add_file(folder, "batterystats.txt", "batterystats", text.encode(), run)


def add_file(folder: Path, file: str, kind: str, data: bytes, run: int = 0) -> None:
    """Write a file of a run, and name it in the manifest."""
    name = f"runs/{run}/{file}"
    (folder / name).write_bytes(data)
    manifest = json.loads((folder / "manifest.json").read_text())
    digest = hashlib.sha256(data).hexdigest()
    manifest["files"].append({"path": name, "kind": kind, "bytes": len(data), "sha256": digest, "run": run})
    (folder / "manifest.json").write_text(json.dumps(manifest))
