"""The call stacks that all threads of a profile share: its tables of strings, sources, functions, frames and stacks."""

from __future__ import annotations

from typing import Any

import numpy as np

from navitas.base.json_text import column
from navitas.base.untrusted_text import printable
from navitas.energy.analyze.call_words import call_words
from navitas.energy.analyze.names import MethodNames, method_of, source_path
from navitas.energy.analyze.profile import Profile
from navitas.energy.attribute.calls.paths import OUTSIDE
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.forest import path_sums
from navitas.recording.parse.arrays import I64, U8
from navitas.report.speedscope import OWNER_FRAMES

METHODS, OTHER = 0, 1
"""Categories of frames."""
CATEGORIES = (("Methods", "blue"), ("Outside of methods", "grey"))
_LONGEST_NAME = 1000
_LIBRARY = 1
"""The type of a resource: the methods are those of one library, the app."""


class SharedTables:
    """Stacks of a profile's call paths, callers first, then those of energy outside of calls. Functions have one frame."""

    def __init__(self, profile: Profile) -> None:
        paths = profile.ledger.paths
        used = np.unique(profile.tables.trees.path)
        depth = path_sums(paths.parent, (paths.method >= 0).astype(np.int64))
        used = used[np.argsort(depth[used], kind="stable")]
        self._of_path = np.full(len(paths), -1)
        self._of_path[used] = np.arange(len(used))
        self._methods, method = np.unique(paths.method[used], return_inverse=True)
        labels = [call_words(profile.ledger).frame, *OWNER_FRAMES.values()]
        caller = self._of_path[np.maximum(paths.parent[used], OUTSIDE)]
        is_root = paths.parent[used] <= OUTSIDE
        self._offset = np.append(np.where(is_root, 0, np.arange(len(used)) - caller), np.zeros(len(labels), np.int64))
        self._frame = np.append(method, len(self._methods) + np.arange(len(labels)))
        self._of_kind = np.full(len(OwnerKind), len(used))
        self._of_kind[list(OWNER_FRAMES)] += 1 + np.arange(len(OWNER_FRAMES))
        self._profile, self._labels = profile, labels
        self._strings: dict[str, int] = {}

    def of(self, path: I64, kind: U8) -> I64:
        """Return the stack of each call path; of energy outside of calls, that of the kind of owner (`OwnerKind`)."""
        return np.where(path == OUTSIDE, self._of_kind[kind], self._of_path[path])

    def string(self, text: str) -> int:
        """Return the number of a string."""
        return self._strings.setdefault(printable(text, _LONGEST_NAME), len(self._strings))

    def tables(self) -> dict[str, Any]:
        """Return the shared tables. No string may be added later."""
        functions, sources = self._functions()
        size = functions["length"]
        nothing, no_number = [None] * size, [-1] * size
        return {
            "stackTable": {
                "frame": column(map(str, self._frame.tolist())),
                "prefixOffset": column(map(str, self._offset.tolist())),
                "length": len(self._frame),
            },
            "frameTable": {
                "address": no_number,
                "lib": no_number,
                "inlineDepth": [0] * size,
                "category": [METHODS] * len(self._methods) + [OTHER] * len(self._labels),
                "subcategory": [0] * size,
                "func": list(range(size)),
                "nativeSymbol": nothing,
                "innerWindowID": [0] * size,
                "line": functions["lineNumber"],
                "column": nothing,
                "originalLocation": nothing,
                "length": size,
            },
            "funcTable": functions,
            "resourceTable": {"name": [self.string(self._profile.project)], "host": [None], "type": [_LIBRARY], "length": 1},
            "nativeSymbols": {"libIndex": [], "address": [], "name": [], "functionSize": [], "length": 0},
            "sources": {
                "id": [None] * len(sources),
                "filename": sources,
                "startLine": [1] * len(sources),
                "startColumn": [1] * len(sources),
                "sourceMapURL": [None] * len(sources),
                "content": [None] * len(sources),
                "length": len(sources),
            },
            "sourceLocationTable": {"source": [], "line": [], "column": [], "length": 0},
            "stringArray": list(self._strings),
        }

    def _functions(self) -> tuple[dict[str, Any], list[int]]:
        """Return the table of functions, and the names of source files as numbers of strings."""
        table = self._profile.method_table
        names, labels = MethodNames(table), len(self._labels)
        methods = [method_of(table, index) for index in self._methods.tolist()]
        files = ["" if method is None else source_path(method) for method in methods]
        sources = {file: number for number, file in enumerate(dict.fromkeys(filter(None, files)))}
        functions = {
            "name": [*(self.string(names.label(index)) for index in self._methods.tolist()), *map(self.string, self._labels)],
            "isJS": [False] * (len(methods) + labels),
            "relevantForJS": [False] * (len(methods) + labels),
            "resource": [0] * len(methods) + [-1] * labels,
            "source": [*map(sources.get, files), *[None] * labels],
            "lineNumber": [*(None if method is None else method.line for method in methods), *[None] * labels],
            "columnNumber": [None] * (len(methods) + labels),
            "originalLocation": [None] * (len(methods) + labels),
            "length": len(methods) + labels,
        }
        return functions, list(map(self.string, sources))
