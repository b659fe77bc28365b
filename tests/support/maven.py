"""Jars from Maven Central, or from the repository in Maven's settings, for tests and benchmarks."""

from __future__ import annotations

import fcntl
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

_POM = """\
<project>
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.navitas</groupId><artifactId>fetch</artifactId><version>1</version>
  <dependencies>{dependencies}</dependencies>
</project>
"""
Provide = Callable[[list[Path]], None]
_FIELDS = ("groupId", "artifactId", "version", "type", "classifier")


class NotFetchedError(Exception):
    """Maven is missing or cannot fetch the requested artifacts. The message says which."""


def fetch(artifacts: Sequence[str], folder: Path, *, transitive: bool = False) -> Path:
    """Copy artifacts (`group:artifact:version[:type[:classifier]]`) into a folder, in one run of Maven."""
    maven = shutil.which("mvn")
    if maven is None:
        raise NotFetchedError("no mvn on PATH")
    folder.mkdir(parents=True, exist_ok=True)
    pom = folder / "pom.xml"
    pom.write_text(_POM.format(dependencies="".join(map(_dependency, artifacts))))
    command = [maven, "-q", "-B", "-f", str(pom), "dependency:copy-dependencies", f"-DoutputDirectory={folder}"]
    if not transitive:
        command.append("-DexcludeTransitive=true")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotFetchedError(f"Maven cannot fetch {', '.join(artifacts)}: {(done.stdout + done.stderr).strip()[:200]}")
    return folder


def fetch_once(
    artifacts: Sequence[str],
    place: Path,
    is_provided: Callable[[], bool],
    provide: Callable[[list[Path]], None],
    *,
    transitive: bool,
) -> None:
    """Provide the files of artifacts, unless they are provided already. `place` is a folder of the cache, for the lock."""
    place.mkdir(parents=True, exist_ok=True)
    with (place / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test processes
        if not is_provided():
            with tempfile.TemporaryDirectory(dir=place) as folder:
                files = fetch(artifacts, Path(folder), transitive=transitive)
                provide([*files.glob("*.jar"), *files.glob("*.aar")])


def _dependency(artifact: str) -> str:
    fields = zip(_FIELDS, artifact.split(":"), strict=False)
    return f"<dependency>{''.join(f'<{name}>{escape(value)}</{name}>' for name, value in fields)}</dependency>"
