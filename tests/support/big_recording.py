"""Generate recordings with any number of call events, quickly and in little memory, by repeating random call trees."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support import chunk_writer as cw
from support.recording_maker import make_recording, start_ns
from support.run_bytes import TID0
from support.scenario import Scenario, TestSpec, ThreadSpec

CHUNK_EVENTS = 8192
MEAN_NS = 400
FIRST_MS = 20
_ENTER, _EXIT, _THROW = 0, 1, 2
_SHARE = 0.9
_MS = 1_000_000


@dataclass(frozen=True)
class Mix:
    """Properties of the calls: number of methods, callees per method, maximum depth, and rate of throws."""

    methods: int = 3000
    callees: int = 4
    depth: int = 40
    throws: float = 0.02
    templates: int = 3
    template_events: int = 4 * CHUNK_EVENTS


@dataclass(frozen=True)
class Template:
    """A stretch of complete outermost calls: event words relative to its start, and the times of clock readings."""

    words: NDArray[np.uint64]
    anchors_ns: NDArray[np.int64]
    length_ns: int


def make_big_recording(
    folder: Path, events: int, *, runs: int = 2, threads: int = 4, tests: int = 10, mix: Mix | None = None
) -> int:
    """Write a recording of about `events` events, over several runs and threads. Returns the number of events."""
    mix = mix or Mix()
    random = Random(1)
    graph = [[random.randrange(mix.methods) for _ in range(mix.callees)] for _ in range(mix.methods)]
    templates = [_template(random, graph, mix) for _ in range(mix.templates)]
    parts = [_order(templates, events // (runs * threads), thread) for thread in range(threads)]
    length_ms = max(sum(templates[i].length_ns for i in part) for part in parts) / _MS
    scenarios = [_scenario(run, threads, tests, length_ms) for run in range(runs)]

    def streams(map_id: int, begin_ns: int) -> Iterator[bytes]:
        for thread, part in enumerate(parts):
            yield from _chunks(templates, part, thread, begin_ns, map_id)

    _write(folder, scenarios, mix.methods, streams)
    return runs * sum(len(templates[i].words) for part in parts for i in part)


def make_deep_recording(folder: Path, depth: int, *, returns: bool = True, methods: int = 3) -> None:
    """Write a recording in which one thread nests `depth` calls of several methods in turn. Without `returns`, no call ends."""
    ids = np.arange(depth, dtype=np.uint64) % np.uint64(methods)
    kinds = np.repeat(np.array([_ENTER, _EXIT], np.uint64), depth)
    words = kinds << np.uint64(62) | np.concatenate([ids, ids[::-1]]) << np.uint64(40)
    if not returns:
        words = words[:depth]
    length_ns = 100 * len(words)
    template = Template(words | np.arange(len(words), dtype=np.uint64) * np.uint64(100), np.arange(0, length_ns, _MS), length_ns)
    _write(folder, [_scenario(0, 1, 1, length_ns / _MS)], methods, lambda map_id, t: _chunks([template], [0], 0, t, map_id))


def _write(folder: Path, scenarios: list[Scenario], methods: int, streams: Callable[[int, int], Iterator[bytes]]) -> None:
    """Write a recording in which every run has the chunks of `streams(map id, time of the first event)`."""
    names = [f"org.example.load.Package{i // 50:05}.Class{i // 10:07}#method{i:07}" for i in range(methods)]
    recording = make_recording(folder, *scenarios, methods=tuple(names))
    listed = json.loads((folder / recording.manifest.maps[0].file).read_text())["methods"]
    assert [int(method["name"][6:]) for method in listed] == list(range(methods))
    for run in range(len(scenarios)):
        with recording.files("events", run)[0].open("ab") as out:
            out.writelines(streams(int(recording.manifest.maps[0].id, 16), start_ns(run) + FIRST_MS * _MS))
    _sign(folder)


def _scenario(run: int, threads: int, tests: int, length_ms: float) -> Scenario:
    duration_ms = float(int(length_ms) + 3 * FIRST_MS)
    busy = ((FIRST_MS, FIRST_MS + length_ms, _SHARE),)
    specs = tuple(ThreadSpec(f"worker-{i}" if i else "main", busy=busy, cpu=i % 4, probed=False) for i in range(threads))
    step = length_ms / tests
    names = [f"org.example.load.BigTest#test{i}" for i in range(tests)]
    windows = tuple(TestSpec(name, FIRST_MS + i * step, FIRST_MS + (i + 0.95) * step) for i, name in enumerate(names))
    return Scenario(duration_ms, threads=specs, tests=windows, repeat=run, shell_ms=200.0)


def _order(templates: list[Template], events: int, thread: int) -> list[int]:
    """Choose templates for a thread until it has the requested number of events."""
    found: list[int] = []
    count = 0
    while count < events:
        found.append((thread + len(found)) % len(templates))
        count += len(templates[found[-1]].words)
    return found


def _template(random: Random, graph: list[list[int]], mix: Mix) -> Template:
    words: list[int] = []
    anchors = [0]
    t = 0
    while len(words) < mix.template_events:
        stack: list[int] = []
        budget = random.choice([20, 200, 4000])
        while True:
            t += int(random.expovariate(1 / MEAN_NS)) + 1
            budget -= 1
            deeper = budget > 0 and len(stack) < mix.depth and (not stack or random.random() < 0.52)
            if deeper:
                stack.append(_callee(random, graph[stack[-1]]) if stack else random.randrange(8))
                words.append(_ENTER << 62 | stack[-1] << 40 | t)
            else:
                kind = _THROW if random.random() < mix.throws else _EXIT
                words.append(kind << 62 | stack.pop() << 40 | t)
            outermost = len(stack) == (1 if deeper else 0)
            if outermost or t - anchors[-1] >= _MS:
                anchors.append(t)
            if not stack:
                break
    return Template(np.array(words, np.uint64), np.unique(np.array(anchors, np.int64)), t + MEAN_NS)


def _callee(random: Random, callees: list[int]) -> int:
    """Choose a callee, mostly the first: most code takes few paths."""
    return callees[0] if random.random() < 0.97 else random.choice(callees)


def _chunks(templates: list[Template], part: list[int], thread: int, at: int, map_id: int) -> Iterator[bytes]:
    """Return a thread's chunks of calls and anchors."""
    seq = 0
    begin = at
    name = f"worker-{thread}" if thread else "main"
    options: dict[str, Any] = {"map_id": map_id, "serial": thread + 1, "tid": TID0 + thread, "name": name}
    for round_number, number in enumerate(part):
        template = templates[number]
        for low in range(0, len(template.words), CHUNK_EVENTS):
            words = template.words[low : low + CHUNK_EVENTS]
            yield cw.chunk(cw.CALLS, words.tobytes(), len(words), **options, seq=seq, base_ns=at)
            seq += 1
        clock = np.empty((len(template.anchors_ns), 2), np.int64)
        clock[:, 0] = template.anchors_ns + at
        clock[:, 1] = ((clock[:, 0] - begin) * _SHARE).astype(np.int64)
        yield cw.chunk(cw.ANCHORS, clock.tobytes(), len(clock), **options, seq=round_number)
        at += template.length_ns


def _sign(folder: Path) -> None:
    """Update sizes and hashes in the manifest."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    for file in manifest["files"]:
        with (folder / file["path"]).open("rb") as stream:
            file["sha256"] = hashlib.file_digest(stream, "sha256").hexdigest()
        file["bytes"] = (folder / file["path"]).stat().st_size
    path.write_text(json.dumps(manifest))
