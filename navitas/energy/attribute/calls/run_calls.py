"""The calls of one run. Its events, fold tables and stack samples are read once, for everyone who needs call paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from navitas.energy.attribute.amounts import Amounts
from navitas.energy.attribute.calls.event_totals import EventTotals
from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.calls.sample_totals import totals_of_samples
from navitas.energy.attribute.calls.self_totals import CALLS, INSIDE_J, OUTSIDE_J, WALL_NS, SelfTotals, merged_totals
from navitas.energy.attribute.calls.step_totals import StepTotals
from navitas.energy.attribute.calls.walk import EventBatch, walk
from navitas.energy.attribute.component import NO_SPANS, ApiCalls, ApiSpans, ComponentCurves, ThreadCurves
from navitas.energy.attribute.curves import Curve, group_starts, overlaps
from navitas.energy.attribute.run_rows import numbers_of, stem
from navitas.energy.attribute.window_spans import WindowSpans
from navitas.recording.parse.arrays import I64, Bool
from navitas.recording.parse.folded import NO_FOLDED
from navitas.recording.parse.hook_calls import NO_NODE
from navitas.recording.parse.tables import Folded, RunTables, Thread


@dataclass(frozen=True, slots=True)
class FoldedCalls:
    """The rows of all fold tables, with the thread and the call path of each."""

    thread: I64
    rows: Folded
    path: I64

    @classmethod
    def of(cls, threads: Sequence[Thread], paths: Paths) -> FoldedCalls:
        """Join the tables thread by thread. New paths are added to `paths`."""
        folding = [index for index, thread in enumerate(threads) if len(thread.folded.node)]
        owner = np.repeat(np.array(folding, np.int64), [len(threads[index].folded.node) for index in folding])
        rows = Folded.joined([NO_FOLDED, *(threads[index].folded for index in folding)])
        return cls(owner, rows, _paths_of(owner, rows, paths))


def totals_of_folded(calls: FoldedCalls, spans: WindowSpans, amounts: Amounts, steps: StepTotals | None) -> SelfTotals:
    """Sum up the self time of every fold node, by test. It has the share of an epoch's energy that its self time has.

    `steps` gets the joules over time, if there is one.

    An epoch may extend over a test's edge, because a thread's last calls before it waits may have no anchor. Its calls count
    in the test in which it begins: the probe that ends the epoch is no part of it. Its time and energy are split at the edge.
    """
    owner, rows, path = calls.thread, calls.rows, calls.path
    row, window = overlaps(*spans.reached(rows.epoch_start_ns, rows.epoch_end_ns))
    start_ns, end_ns = rows.epoch_start_ns[row], rows.epoch_end_ns[row]
    low = np.clip(start_ns, spans.start_ns[window], spans.end_ns[window])
    high = np.clip(end_ns, spans.start_ns[window], spans.end_ns[window])
    share = rows.self_ns[row] / np.maximum(end_ns - start_ns, 1)
    spent, joules = amounts.between(owner[row], low, high)
    first = group_starts(row)
    counts = np.stack([rows.calls[row] * first, rows.throws[row] * first, np.zeros(len(row), np.int64)])
    inside = spent * share
    inside[[INSIDE_J, OUTSIDE_J]] = amounts.mean_power(owner[row], spent, joules) * counts[CALLS]
    used = np.any(counts > 0, axis=0) | (inside[WALL_NS] > 0)
    shared = {component: column * share for component, column in joules.items()}
    totals = SelfTotals(window, owner[row], path[row], counts, inside, shared)
    if steps is not None:
        steps.add_spans(totals, low, high)
    return merged_totals([totals.chosen(used)])


def _paths_of(owner: I64, rows: Folded, paths: Paths) -> I64:
    """The call path of every row; `owner` has the rows' threads."""
    span = int(rows.node.max(initial=0)) + 2
    key, row, inverse = np.unique(owner * span + rows.node, return_index=True, return_inverse=True)
    parent_key = owner[row] * span + rows.parent[row]
    parent_row = np.minimum(np.searchsorted(key, parent_key), max(len(key) - 1, 0))
    has_parent = (rows.parent[row] >= 0) & (key[parent_row] == parent_key) & (rows.parent[row] < rows.node[row])
    return paths.of_forest(np.where(has_parent, parent_row, -1), rows.method[row].astype(np.int64))[inverse]


def has_calls(threads: Sequence[Thread]) -> Bool:
    """Whether each thread has recorded calls. They are exact, so its stack samples are not used."""
    return np.array([len(thread.calls) > 0 or len(thread.folded.node) > 0 for thread in threads], bool)


_Energies = tuple[dict[int, ThreadCurves], Curve | None]
_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class ApiMethods:
    """Which methods are of APIs that use a component: a `HookKind`, else 0. `labels` are names of the methods for messages."""

    kinds: I64 = field(default_factory=lambda: np.zeros(0, np.int64))
    labels: Sequence[str] = ()


class RunCalls:
    """Call paths and totals of a run's calls. New paths are added to `paths`.

    `components` are the curves of components, in order, as they become known. Events are read when the first component asks for
    `api`, or for the totals. If the curves of threads are complete by then, as those of the CPU are, once is enough.
    `with_steps`: whether the energy of the totals over time is wanted.
    """

    def __init__(self, run: RunTables, paths: Paths, methods: ApiMethods | None = None, *, with_steps: bool = False) -> None:
        self.run, self.paths, self.spans = run, paths, WindowSpans(run.app.windows)
        self.components: list[ComponentCurves | None] = []
        self._methods = methods or ApiMethods()
        self._records = _Records(run)
        self._read_with: _Energies | None = None
        self._totals: list[SelfTotals] = []
        self._steps = StepTotals(run.start_ns, run.end_ns) if with_steps else None
        self._api: ApiCalls | None = None

    @property
    def api(self) -> ApiCalls:
        """The calls of APIs that use a component."""
        if self._api is None:
            self._read(self.components)
        assert self._api is not None
        return self._api

    @property
    def starters(self) -> I64:
        """The starter's call path of each handoff, `OUTSIDE` if its thread or its call is unknown."""
        return self._paths_of("handoffs")

    @property
    def communications(self) -> I64:
        """The call path of each communication between modules, `OUTSIDE` if it is unknown."""
        return self._paths_of("communications")

    def take_totals(self, components: Sequence[ComponentCurves | None]) -> list[SelfTotals]:
        """Return the totals of events, of folded calls and of samples, by these curves. They are large, so not kept."""
        if self._read_with is None or not _is_same(self._read_with, _energies(components)):
            self._read(components)
        taken, self._totals, self._read_with = self._totals, [], None
        return taken

    def take_steps(self) -> StepTotals | None:
        """Return the energy of the totals over time, if it is wanted. It is large, so not kept."""
        taken, self._steps = self._steps, None
        return taken

    def _paths_of(self, table: str) -> I64:
        if table in self._records.parts and self._api is None:
            self._read(self.components)
        return self._records.of(table)

    def _read(self, components: Sequence[ComponentCurves | None]) -> None:
        """Read all events and folded calls."""
        kinds = np.append(self._methods.kinds, 0)  # the last one is that of `OUTSIDE`, which has the method -1
        has_apis, api = bool(kinds.any()), [NO_SPANS]
        threads, alternative = _energies(components)
        amounts = Amounts(threads, alternative).with_local_cost(self.run)
        if self._steps is not None:
            self._steps = StepTotals(self.run.start_ns, self.run.end_ns)
        totals = EventTotals(self.spans, amounts, self.paths, self._steps) if components else None
        first = self._api is None
        for batch in walk(self.run.threads, self.paths, self.spans.marks if totals is None else totals.marks):
            if totals is not None:
                totals.add(batch)
            if first:
                self._records.read(batch)
                if has_apis:
                    api.append(_api_spans(batch, kinds[self.paths.method]))
        folded = FoldedCalls.of(self.run.threads, self.paths)
        if totals is not None:
            cost = self.run.calls.probe_cost
            of_events, of_folded = (None, None) if cost is None else (cost.events, cost.folded)
            folded_totals = totals_of_folded(folded, self.spans, amounts, self._steps)
            self._totals = [totals.totals().with_probes(of_events), folded_totals.with_probes(of_folded)]
            if (samples := self.run.calls.samples) is not None:
                skipped = has_calls(self.run.threads)
                kind = numbers_of([(thread.role, stem(thread.name)) for thread in self.run.threads])
                of_samples = totals_of_samples(
                    samples, self.paths, self.spans, amounts, kind=kind, skipped=skipped, steps=self._steps
                )
                self._totals.append(of_samples)
            self._read_with = threads, alternative
        if first:
            self._records.read_folded(folded)
            if has_apis and len(folded.path):
                api.append(_folded_spans(folded, kinds[self.paths.method[folded.path]]))
            joined = ApiSpans.joined(api)
            columns = self.paths.method.copy(), self.paths.parent.copy()
            self._api = ApiCalls(self._records.of("hooks"), joined, *columns, self._methods.kinds > 0, self._methods.labels)


def _energies(components: Sequence[ComponentCurves | None]) -> _Energies:
    """What totals depend on: the curves of threads by component, and the alternative model's.

    Methods have the alternative of the first component, the CPU: a call uses no screen.
    """
    known = [(number, curves) for number, curves in enumerate(components) if curves is not None]
    threads = {number: curves.threads for number, curves in known if curves.threads is not None}
    return threads, next((curves.alternative for _, curves in known if curves.alternative is not None), None)


def _is_same(one: _Energies, other: _Energies) -> bool:
    return one[0].keys() == other[0].keys() and one[1] is other[1] and all(one[0][i] is other[0][i] for i in one[0])


class _Records:
    """The rows of a run's tables that belong to a call, and its path: `parts` are their rows by the name of the table.

    With events (`node` is `NO_NODE`), it is the path of the innermost call open on the thread at the time. With folded calls, it
    is the path of the node of the thread's fold table.
    """

    def __init__(self, run: RunTables) -> None:
        hooks, handed, sent = run.calls.hooks, run.calls.handoffs, run.app.communications
        tables = {
            "hooks": None if hooks is None else (hooks.thread, hooks.start_ns, hooks.node.astype(np.int64)),
            "handoffs": None if handed is None else (handed.origin, handed.origin_ns, handed.origin_node),
            "communications": None if sent is None else (sent.thread, sent.t_ns, sent.node),
        }
        self.parts: dict[str, slice] = {}
        columns: list[tuple[I64, I64, I64]] = [(_NONE, _NONE, _NONE)]
        size = 0
        for name, table in tables.items():
            if table is not None and len(table[0]):
                self.parts[name] = slice(size, size + len(table[0]))
                columns.append(table)
                size += len(table[0])
        self._thread, self._t_ns, self._node = (np.concatenate(column) for column in zip(*columns, strict=True))
        self._path = np.full(size, OUTSIDE)
        in_events = np.flatnonzero((self._node == NO_NODE) & (self._thread >= 0))
        self._order = in_events[np.lexsort((self._t_ns[in_events], self._thread[in_events]))]
        self._start = np.searchsorted(self._thread[self._order], np.arange(len(run.threads) + 1)).tolist()

    def of(self, table: str) -> I64:
        """The path of each row of a table."""
        return self._path[self.parts[table]] if table in self.parts else _NONE

    def read(self, batch: EventBatch) -> None:
        """Find the paths of the rows that lie within a batch."""
        for number, piece in enumerate(batch.pieces):
            own = self._order[self._start[piece.thread] : self._start[piece.thread + 1]]
            if len(own):
                points = slice(int(batch.start[number]), int(batch.start[number + 1]))
                times, t_ns = batch.t_ns[points], self._t_ns[own]
                low, high = np.searchsorted(t_ns, times[0], side="left"), np.searchsorted(t_ns, times[-1], side="right")
                at = np.searchsorted(times, t_ns[low:high], side="right") - 1
                self._path[own[low:high]] = batch.path[points][at]

    def read_folded(self, folded: FoldedCalls) -> None:
        """Find the paths of the rows whose calls were folded."""
        rows = np.flatnonzero((self._node != NO_NODE) & (self._thread >= 0))
        if len(rows) and len(folded.path):
            width = max(int(folded.rows.node.max()), int(self._node[rows].max())) + 1
            key, first = np.unique(folded.thread * width + folded.rows.node, return_index=True)
            wanted = self._thread[rows] * width + self._node[rows]
            at = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
            known = key[at] == wanted
            self._path[rows[known]] = folded.path[first[at[known]]]


def _api_spans(batch: EventBatch, kind_of_path: I64) -> ApiSpans:
    """The time in which calls of APIs were innermost. A test's edge within a call does not split it."""
    inside = kind_of_path[batch.path] > 0
    inside[batch.start[1:] - 1] = False
    is_event = np.ones(len(inside), bool)
    is_event[batch.segment_start] = False
    is_event[batch.start[:-1]] = True
    point = np.flatnonzero(inside & is_event)
    events = np.flatnonzero(is_event)
    begin, end = batch.t_ns[point], batch.t_ns[events[np.searchsorted(events, point) + 1]]
    piece = np.searchsorted(batch.start, point, side="right") - 1
    thread = np.array([one.thread for one in batch.pieces], np.int64)[piece]
    path = batch.path[point]
    return ApiSpans(thread, begin, begin, end, end - begin, path, kind_of_path[path])


def _folded_spans(folded: FoldedCalls, kind: I64) -> ApiSpans:
    begin, end, busy = folded.rows.epoch_start_ns, folded.rows.epoch_end_ns, folded.rows.self_ns
    spans = ApiSpans(folded.thread, np.maximum(end - 1, begin), begin, end, busy, folded.path, kind)
    return spans.chosen((kind > 0) & (busy > 0))
