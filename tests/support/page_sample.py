"""Data of a report page, as its scripts read it: made up, of any size, and the same for the same seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from navitas.base.units import UJ_PER_J, joules

RUN_MS = 6_000
STEP_MS = 20
COMPONENTS = ("cpu", "wifi")
APP_THREADS = ("main", "pool-1-thread-1", "RenderThread")
ALL_THREADS = (*APP_THREADS, "(base)")
_WORDS = ("Inbox", "Sync", "Cache", "Image", "Feed", "Session", "Store", "Layout", "Search", "Upload")
_VERBS = ("poll", "load", "parse", "merge", "decode", "draw", "write", "hash", "request", "measure")


def page_sample(nodes: int = 400, tests: int = 6, methods: int = 60, *, seed: int = 1, baseline: bool = False) -> dict[str, Any]:
    """Return the data of a page with about `nodes` nodes, which are deeper the more there are."""
    random = np.random.default_rng(seed)
    pairs = [(_WORDS[i % 10], _WORDS[i // 10 % 10]) for i in range(max(methods // 4, 1))]
    classes = [f"com.example.{first.lower()}.{first}{second}" for first, second in pairs]
    names = [f"{classes[i % len(classes)]}.{_VERBS[i % 10]}{_WORDS[i // 10 % 10]}{i}" for i in range(methods)]
    columns = _nodes(random, nodes, tests, methods)
    parent, method, test, thread, self_uj, calls = columns
    is_app = thread < len(APP_THREADS)
    inclusive = _inclusive(parent, self_uj)
    app_uj = np.bincount(test, self_uj * is_app, tests)
    starts = np.arange(tests) * RUN_MS / tests
    bins, timeline = _over_time(random, self_uj, test, thread, tests)
    wifi = np.flatnonzero((method % 7 == 3) & is_app)
    method_self = np.bincount(method[is_app & (method >= 0)], self_uj[is_app & (method >= 0)], methods)
    method_calls = np.bincount(method[method >= 0], calls[method >= 0], methods)
    order = np.argsort(-method_self, kind="stable")
    place = np.empty(methods, np.int64)
    place[order] = np.arange(methods)
    return {
        "figures": {"app_uj": float(app_uj.sum())},
        "components": list(COMPONENTS),
        "modules": ["app", "lib"],
        "tests": {
            "label": [f"{_WORDS[i % 10]}Test.{_VERBS[i % 10]}s{i}" for i in range(tests)],
            "class": [f"{_WORDS[i % 10]}Test" for i in range(tests)],
            "name": [f"{_VERBS[i % 10]}s{i}" for i in range(tests)],
            "app_uj": app_uj.tolist(),
            "interval": [None if i == 1 else f"± {joules(0.02 * uj / UJ_PER_J)}" for i, uj in enumerate(app_uj)],
            "wall_ms": [RUN_MS / tests] * tests,
            "mean_mw": (app_uj / (RUN_MS / tests)).tolist(),
            "status": ["passed", "failed", *["passed"] * tests][:tests],
            "run": [0] * tests,
            "start_ms": starts.tolist(),
            "end_ms": (starts + RUN_MS / tests).tolist(),
        },
        "threads": {"name": list(ALL_THREADS), "role": ["", "other threads", "", ""], "app": [True] * 3 + [False]},
        "methods": {
            "label": [".".join(names[i].split(".")[-2:]) for i in order],
            "full": [names[i] for i in order],
            "module": [int(i) % 2 for i in order],
            "source": [f"{names[i].split('.')[-2]}.java:{10 + int(i)}" for i in order],
            "note": ["energy within its error" if i == 5 else "" for i in order],
            "code": [None] * methods,
            "self_uj": method_self[order].tolist(),
            "interval": [f"± {joules(0.03 * method_self[i] / UJ_PER_J)}" for i in order],
            "inclusive_uj": _method_inclusive(parent, method, inclusive, is_app, methods)[order].tolist(),
            "calls": method_calls[order].astype(int).tolist(),
            "self_mw": (method_self[order] / (method_self[order] / 400 + 0.01)).tolist(),
        },
        "nodes": {
            "parent": parent.tolist(),
            "method": np.where(method >= 0, place[method], method).tolist(),
            "test": test.tolist(),
            "thread": thread.tolist(),
            "self_uj": self_uj.tolist(),
            "calls": calls.tolist(),
            "by": {"wifi": {"node": wifi.tolist(), "uj": (0.5 * self_uj[wifi]).tolist()}},
        },
        "bins": bins,
        "timeline": timeline,
        "baseline": _baseline(random, self_uj, method_self[order], app_uj) if baseline else None,
    }


def _nodes(random: np.random.Generator, count: int, tests: int, methods: int) -> tuple[np.ndarray, ...]:
    """Roots for each test and thread, then calls below earlier nodes, more often below late ones."""
    threads = len(ALL_THREADS)
    parent, method, test, thread = [-1] * (tests * threads), [-1] * (tests * threads), [], []
    for number in range(tests * threads):
        test.append(number // threads)
        thread.append(number % threads)
    roots = np.array([i for i in range(tests * threads) if i % threads < len(APP_THREADS)])
    below: list[int] = []
    for number in range(tests * threads, max(count, 2 * tests * threads)):
        is_root = not below or random.random() < 0.02
        above = int(random.choice(roots)) if is_root else below[int(len(below) * random.random() ** 0.7)]
        parent.append(-1 if is_root else above)
        method.append(int(methods * random.random() ** 2))
        test.append(test[above])
        thread.append(thread[above])
        below.append(number)
    self_uj = np.round(random.pareto(1.2, len(parent)) * 900, 1)
    calls = np.where(np.array(method) >= 0, random.integers(1, 200, len(parent)), 0)
    return np.array(parent), np.array(method), np.array(test), np.array(thread), self_uj, calls


def _inclusive(parent: np.ndarray, self_uj: np.ndarray) -> np.ndarray:
    sums = self_uj.copy()
    for node in range(len(parent) - 1, -1, -1):
        if parent[node] >= 0:
            sums[parent[node]] += sums[node]
    return sums


def _method_inclusive(
    parent: np.ndarray, method: np.ndarray, inclusive: np.ndarray, is_app: np.ndarray, methods: int
) -> np.ndarray:
    """The energy of each method with its callees; a call below one of the same method counts once."""
    sums = np.zeros(methods)
    for node in np.flatnonzero(is_app & (method >= 0)).tolist():
        above = parent[node]
        while above >= 0 and method[above] != method[node]:
            above = parent[above]
        if above < 0:
            sums[method[node]] += inclusive[node]
    return sums


def _over_time(
    random: np.random.Generator, self_uj: np.ndarray, test: np.ndarray, thread: np.ndarray, tests: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Each node's energy flows in one or two bins of its test; power over time is their sum."""
    edges = np.linspace(0, RUN_MS, 4 * tests + 1)
    first = 4 * test + random.integers(0, 3, len(test))
    entries = [(node, int(first[node]) + part, float(self_uj[node]) / 2) for node in range(len(test)) for part in (0, 1)]
    steps = RUN_MS // STEP_MS
    power = {name: np.zeros(steps) for name in (*COMPONENTS, *ALL_THREADS)}
    for node, number, uj in entries:
        low, high = (round(edge / STEP_MS) for edge in edges[number : number + 2])
        step_mw = uj / (high - low) / STEP_MS
        power["wifi" if node % 7 == 3 else "cpu"][low:high] += step_mw
        power[ALL_THREADS[thread[node]]][low:high] += step_mw
    series = {name: np.round(values, 3).tolist() for name, values in power.items()}
    bins = {
        "run": [{"edges_ms": edges.tolist()}],
        "node": [node for node, _, _ in entries],
        "run_of": [0] * len(entries),
        "bin": [number for _, number, _ in entries],
        "uj": [uj for _, _, uj in entries],
    }
    rows = {"components": {name: series[name] for name in COMPONENTS}, "threads": {name: series[name] for name in ALL_THREADS}}
    return bins, [{"run": 0, "start_ms": 0, "step_ms": STEP_MS, **rows}]


def _baseline(random: np.random.Generator, self_uj: np.ndarray, method_self: np.ndarray, app_uj: np.ndarray) -> dict[str, Any]:
    return {
        "name": "main",
        "tests": {"app_uj": [None, *(0.9 * app_uj[1:]).tolist()], **_ranges(len(app_uj))},
        "nodes": {"self_uj": np.round(self_uj * random.uniform(0.5, 1.5, len(self_uj)), 1).tolist()},
        "methods": {"self_uj": (0.8 * method_self).tolist(), **_ranges(len(method_self))},
    }


def _ranges(size: int) -> dict[str, list[float | None]]:
    return {"low_percent": [None, *[8.0] * (size - 1)], "high_percent": [None, *[31.5] * (size - 1)]}
