"""Install the Gradle plugin into a Maven repository on disk, for `plugins { id 'org.navitas' }`."""

from __future__ import annotations

from pathlib import Path

from navitas import __version__
from navitas.build.home import with_home
from navitas.build.jars import jar
from navitas.build.plugin_pom import ARTIFACT, GROUP, MARKER, jar_pom, marker_pom
from navitas.errors import BuildError
from navitas.new_files import remove_abandoned, write_new

LOCAL = Path("~/.m2/repository")


def install_plugin(repository: Path) -> Path:
    """Write this version's plugin into a Maven repository, replacing an earlier copy. Returns the repository's path.

    Raises `BuildError` if it cannot be written.
    """
    root = with_home(repository)
    if str(root).startswith("~"):
        raise BuildError(f"{repository}: there is no such home folder", "Name a folder with --repository.")
    root = root.absolute()
    plugin = jar(f"{ARTIFACT}.jar")
    try:
        _put(root, ARTIFACT, "jar", plugin.read_bytes())
        _put(root, ARTIFACT, "pom", jar_pom(__version__).encode())
        _put(root, MARKER, "pom", marker_pom(__version__).encode())
    except OSError as error:
        place = error.filename2 or error.filename or root
        raise BuildError(f"{place}: {error.strerror}", "Name a writable folder with --repository.") from error
    return root


def _put(root: Path, artifact: str, kind: str, data: bytes) -> None:
    """Write a file of an artifact atomically, so that a running build never reads half of it."""
    folder = root.joinpath(*GROUP.split("."), artifact, __version__)
    folder.mkdir(parents=True, exist_ok=True)
    remove_abandoned(folder)
    write_new(folder / f"{artifact}-{__version__}.{kind}", data)
