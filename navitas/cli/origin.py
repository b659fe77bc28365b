"""What a recording says of where it comes from: this computer, Java, the project's revision, the command line."""

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
from navitas.cli.masking import masked
from navitas.errors import BuildError
from navitas.recording.manifest import GitState, HostInfo, JavaVersions, Provenance
from navitas.virtual_phone.jdks import program, why_not


def provenance(tests: Iterable[str] = (), *, build_java: str | None = None, revision: Revision | None = None) -> Provenance:
    """The origin of a recording that is made now; `tests` are versions of the Java that runs the tests."""
    versions = JavaVersions(tests=sorted(set(tests)), build=build_java)
    return Provenance(
        host=HostInfo(os=f"{platform.system()} {platform.release()}".strip(), machine=platform.machine(), cpus=os.cpu_count()),
        java=versions if versions != JavaVersions() else None,
        git=GitState(revision=revision.commit, dirty=revision.dirty) if revision is not None else None,
        command_line=command_line(),
    )


def command_line() -> list[str]:
    """The command as it was typed, without secrets; empty outside of the command line."""
    context = click.get_current_context(silent=True)
    arguments = context.find_root().obj if context is not None else None
    return ["navitas", *masked(arguments)] if isinstance(arguments, tuple) else []


def java_of_tests(bundles: Iterable[Bundle]) -> set[str]:
    """Versions of the Java that a virtual phone of ours runs the bundles' tests on, as far as they are known."""
    named = {bundle.manifest.java_home if isinstance(bundle.manifest, BundleManifest) else None for bundle in bundles}
    found = set()
    for home in named:
        with suppress(BuildError):  # there is no Java: the phone says so
            java = program(home) if home is not None and not why_not(home) else Path(find_java())
            found.add(java_version(java))
    return {version for version in found if version is not None}
