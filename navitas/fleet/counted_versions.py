"""Versions of running times: counters and foreground apps are packages alone, and lists of running apps have versions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.memberships import AppLists
from navitas.fleet.sample_columns import RunLists
from navitas.fleet.schema import I64
from navitas.fleet.statistics import Bool


def with_versions(runs: RunLists, client: I64, app_of: NDArray[np.integer], has_version: Bool) -> RunLists:
    """The same running times, by the version that the client ran last before each sample, or else first after it.

    Numbers in the lists are places in `app_of`, which maps them to apps, and in `has_version`.
    """
    if all(has_version[lists.app].all() for lists in runs.kinds()):
        return runs
    seen = _Seen(runs.apps, client, app_of, has_version)
    running, foreground = (None if lists is None else seen.versioned(lists) for lists in (runs.running, runs.foreground))
    return replace(runs, apps=seen.versioned(runs.apps), running=running, foreground=foreground)


class _Seen:
    """Where the versions of apps are in lists of running apps: by client, app and sample."""

    def __init__(self, lists: AppLists, client: I64, app_of: NDArray[np.integer], has_version: Bool) -> None:
        self._app_of, self._has_version, self._samples = app_of.astype(np.int64), has_version, len(client)
        self._owner = np.cumsum(np.append(False, client[1:] != client[:-1]))[: len(client)]
        self._width = int(app_of.max(initial=0)) + 1
        entries = np.flatnonzero(has_version[lists.app])
        key = self._key(lists, entries)
        order = np.argsort(key, kind="stable")
        self._seen, self._number = key[order], lists.app[entries][order]

    def versioned(self, lists: AppLists) -> AppLists:
        """The lists with versions where they are known."""
        unknown = np.flatnonzero(~self._has_version[lists.app])
        if not len(unknown) or not len(self._number):
            return lists
        wanted = self._key(lists, unknown)
        after = np.searchsorted(self._seen, wanted, side="right")
        number = lists.app.copy()
        for place in (np.minimum(after, len(self._number) - 1), np.maximum(after - 1, 0)):
            same = self._seen[place] // self._samples == wanted // self._samples
            number[unknown[same]] = self._number[place[same]]
        return replace(lists, app=number)

    def _key(self, lists: AppLists, entries: I64) -> I64:
        sample = np.repeat(np.arange(self._samples), np.diff(lists.offset))[entries]
        return (self._owner[sample] * self._width + self._app_of[lists.app[entries]]) * self._samples + sample
