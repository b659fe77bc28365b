"""Where in a repository methods, tests and budgets stand: paths that tools of code review resolve."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from navitas.base.errors import UsageError
from navitas.insight.check.judgement import Judgement
from navitas.insight.compare.source_place import SourcePlace
from navitas.report.source_code import SourceCode


class RepositoryLine(NamedTuple):
    """A path relative to the root of a repository, with `/`, and a line; 0 if it is unknown.

    `is_file`: whether the file was found. Otherwise the path lacks the folder of sources.
    """

    path: str
    line: int
    is_file: bool = True

    @property
    def text(self) -> str:
        """The path and line, such as `app/src/main/java/org/example/Inbox.java:12`."""
        return f"{self.path}:{self.line}" if self.line else self.path


class RepositoryLines:
    """Finds lines in the sources of `folder`, a folder of the repository `root`.

    `blob_url` is the address of the repository's files at the judged commit; empty without a site that shows them.
    """

    def __init__(self, root: Path, folder: Path, blob_url: str = "") -> None:
        self.root, self.folder, self.blob_url = root, folder, blob_url

    @cached_property
    def _sources(self) -> SourceCode | None:
        try:
            return SourceCode(self.folder)
        except UsageError:  # A folder without sources.
            return None

    def of_source(self, source: SourcePlace) -> RepositoryLine:
        """Return where a method or test begins."""
        file = None if self._sources is None else self._sources.file(source.file, source.class_name)
        if file is None:
            return RepositoryLine(source.text.rpartition(":")[0] if source.line else source.text, source.line, is_file=False)
        return RepositoryLine(self._relative(file), source.line)

    def of_budget(self, location: str) -> RepositoryLine:
        """Return where a budget stands, from its `FILE:LINE`."""
        path, _, line = location.rpartition(":")
        if not (path and line.isdecimal()):
            path, line = location, "0"
        return RepositoryLine(self._relative(Path(path)), int(line))

    def of(self, judged: Judgement) -> RepositoryLine:
        """Return the line of a judged figure; else that of the first method that rose with it; else that of its budget."""
        methods: Iterable[SourcePlace | None] = (method.location for method in judged.methods)
        source = next((source for source in (judged.location, *methods) if source is not None), None)
        return self.of_budget(judged.budget.location) if source is None else self.of_source(source)

    def url(self, line: RepositoryLine) -> str:
        """Return the address of a line; empty without a site, or if the file was not found."""
        if not self.blob_url or not line.is_file:
            return ""
        return f"{self.blob_url}/{quote(line.path)}" + (f"#L{line.line}" if line.line else "")

    def _relative(self, path: Path) -> str:
        return Path(os.path.relpath(os.path.realpath(path), os.path.realpath(self.root))).as_posix()
