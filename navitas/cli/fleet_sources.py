"""Sources of samples in a command line: files, folders, patterns, URLs, and standard input."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from navitas.cli.paths import PathType
from navitas.errors import UsageError
from navitas.fleet.ingest.remote import fetch_files, shown_url
from navitas.owned_folder import owned_folder
from navitas.regular_files import is_url


@dataclass(frozen=True, slots=True)
class NamedSource:
    """Local paths, or a URL. `name` is what messages call a temporary copy of standard input."""

    paths: tuple[Path, ...] = ()
    url: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True)
class LocalFile:
    """A local file. `name` is what messages call it if it is a temporary copy."""

    path: Path
    name: str = ""


class SamplesSource(PathType):
    """A source of samples. Raises `UsageError` if a file is missing, or if nothing matches a pattern."""

    def __init__(self) -> None:
        super().__init__("read", any_name=True, is_file=True)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> NamedSource:  # type: ignore[override]
        text = str(value)
        if is_url(text):
            return NamedSource(url=text)
        if glob.has_magic(text) and not Path(text).exists():
            found = sorted(glob.glob(text, recursive=True))  # noqa: PTH207 (Path.glob has no absolute patterns)
            if not found:
                raise UsageError(f"no file matches {text}", "Check the pattern; ** stands for folders at any depth.")
            return NamedSource(tuple(super(SamplesSource, self).convert(one, param, ctx) for one in found))
        return NamedSource((super().convert(value, param, ctx),), name="standard input" if text == "-" else "")


@contextmanager
def local_files(sources: Sequence[NamedSource]) -> Iterator[list[LocalFile]]:
    """All files of the sources, in order. Those of URLs are temporary copies. Raises `UsageError` if there are none."""
    found: list[LocalFile] = []
    with ExitStack() as copies:
        for source in sources:
            if source.url:
                copied = fetch_files(source.url, copies.enter_context(owned_folder("navitas-ingest-")))
                found += [LocalFile(path, f"{shown_url(source.url)}: {path.name}") for path in copied]
            for path in source.paths:
                found += map(LocalFile, _inside(path)) if path.is_dir() else [LocalFile(path, source.name)]
        if not found:
            raise UsageError("no files in the named folders", "name files of samples")
        yield found


def _inside(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
