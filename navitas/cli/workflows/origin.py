"""The provenance of a recording: this computer, Java, the project's revision, the command line."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from contextlib import suppress

from navitas.base.errors import BuildError
from navitas.capture.build.git import Revision
from navitas.capture.build.java import find_java, java_version
from navitas.capture.bundle.manifest import BundleManifest
from navitas.capture.bundle.reader import Bundle
from navitas.recording.manifest import GitState, HostInfo, JavaVersions, Provenance
from navitas.virtual_phone.host_java import program, why_not


def provenance(
    command_line: Sequence[str], tests: Iterable[str] = (), *, build_java: str | None = None, revision: Revision | None = None
) -> Provenance:
    """Return the provenance of a new recording. `tests` are the Java versions that run tests."""
    versions = JavaVersions(tests=sorted(set(tests)), build=build_java)
    return Provenance(
        host=HostInfo(os=f"{platform.system()} {platform.release()}".strip(), machine=platform.machine(), cpus=os.cpu_count()),
        java=versions if versions != JavaVersions() else None,
        git=GitState(revision=revision.commit, dirty=revision.dirty) if revision is not None else None,
        command_line=list(command_line),
    )


def find_java_versions(bundles: Iterable[Bundle]) -> set[str]:
    """Return the known Java versions on which the virtual phone runs the bundles' tests."""
    named = {bundle.manifest.java_home if isinstance(bundle.manifest, BundleManifest) else None for bundle in bundles}
    found = set()
    for home in named:
        with suppress(BuildError):  # The phone reports that there is no Java.
            java = program(home) if home is not None and not why_not(home) else find_java()
            found.add(java_version(java))
    return {version for version in found if version is not None}
