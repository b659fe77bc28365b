"""The provenance of a recording: this computer, Java, the project's revision, the command line."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click

from navitas.build.git import Revision
from navitas.build.java import find_java, java_version
from navitas.bundle.manifest import BundleManifest
from navitas.bundle.reader import Bundle
from navitas.cli.masking import mask_secrets
from navitas.errors import BuildError
from navitas.recording.manifest import GitState, HostInfo, JavaVersions, Provenance
from navitas.virtual_phone.host_java import program, why_not


def provenance(tests: Iterable[str] = (), *, build_java: str | None = None, revision: Revision | None = None) -> Provenance:
    """Return the provenance of a new recording. `tests` are the Java versions that run tests."""
    versions = JavaVersions(tests=sorted(set(tests)), build=build_java)
    return Provenance(
        host=HostInfo(os=f"{platform.system()} {platform.release()}".strip(), machine=platform.machine(), cpus=os.cpu_count()),
        java=versions if versions != JavaVersions() else None,
        git=GitState(revision=revision.commit, dirty=revision.dirty) if revision is not None else None,
        command_line=command_line(),
    )


def command_line() -> list[str]:
    """Return the command as typed, without secrets. Empty outside the command line."""
    context = click.get_current_context(silent=True)
    arguments = context.find_root().obj if context is not None else None
    return ["navitas", *mask_secrets(arguments)] if isinstance(arguments, tuple) else []


def find_java_versions(bundles: Iterable[Bundle]) -> set[str]:
    """Return the known Java versions on which the virtual phone runs the bundles' tests."""
    named = {bundle.manifest.java_home if isinstance(bundle.manifest, BundleManifest) else None for bundle in bundles}
    found = set()
    for home in named:
        with suppress(BuildError):  # The phone reports that there is no Java.
            java = program(home) if home is not None and not why_not(home) else Path(find_java())
            found.add(java_version(java))
    return {version for version in found if version is not None}
