"""A small program with a census, a recording of its block counts, and a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from navitas.insight.operations.case_plan import CasePlan
from navitas.insight.operations.case_table import CENSUS, PLAN, case_folder, write_edits
from navitas.insight.operations.census.document import parse_census
from navitas.insight.operations.counted_program import CountedProgram, Edits, join_census
from navitas.insight.operations.counted_tests import CountedTest, counted_tests
from navitas.insight.operations.regress.model_file import ModelFeature, OperationsModel, Product
from navitas.recording.parse.block_counts import COLLECTIONS
from navitas.recording.parse.chunks import BLOCK_COUNTS
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.store import open_recording
from support import chunk_writer as cw
from support.fitted_operations import EMPTY_MODEL
from support.recording_maker import make_recording, start_ns
from support.scenario import Scenario, TestSpec, ThreadSpec, call

NAMES = ("Addition_int_int", "Multi_float_float", "Integer.valueOf", "Block Goto_for", "GC")
KINDS = ("Arithmetic", "Arithmetic", "Library", "Control", "Library")
COSTS = {"Addition_int_int": 1e-9, "Multi_float_float": 5e-9, "Integer.valueOf": 4e-8, "Block Goto_for": 2e-9, "GC": 1e-3}
TEST = "a.MainTest#x"


def block(lines: tuple[int, int], operations: Sequence[tuple[int, int]], plus: Sequence[int], minus: Sequence[int] = (),
          following: Sequence[int] = ()) -> dict[str, Any]:  # fmt: skip
    """A block of a census, with its first and last instruction set later."""
    return {
        "lines": lines, "next": list(following), "handlers": [], "operations": [list(one) for one in operations],
        "plus": list(plus), "minus": list(minus),
    }  # fmt: skip


def census_document(sha256: str = "0" * 64) -> dict[str, Any]:
    """`a.Main.run` is a loop: 0 start, 1 condition, 2 body, 3 end. Block 1 runs as often as 0 and 2 together."""
    blocks = [
        block((10, 10), [(0, 2)], [0], following=[1]),
        block((11, 11), [(3, 1)], [0, 1], following=[2, 3]),
        block((12, 13), [(1, 3), (2, 1)], [1], following=[1]),
        block((14, 14), [(0, 1)], [0]),
    ]
    for place, one in enumerate(blocks):
        one["pc"] = [10 * place, 10 * place + 9]
    method = {"name": "run", "descriptor": "()V", "by": "source", "note": None, "counters": 2, "blocks": blocks, "unmatched": []}
    return {
        "format": "navitas-census", "version": 1,
        "operations": [{"name": name, "class": kind} for name, kind in zip(NAMES, KINDS, strict=True)],
        "classes": [{"name": "a.Main", "file": "Main.java", "sha256": sha256, "methods": [method]}],
        "notes": [],
    }  # fmt: skip


def model_of(costs: dict[str, float]) -> OperationsModel:
    """A model with these costs, which was fitted to cases with up to a million of each operation."""
    features = [ModelFeature(name=name, low=0, high=1e6, mean=5e5, deviation=1e6) for name in costs]
    products = [Product(features=[place], coefficient=value) for place, value in enumerate(costs.values())]
    hull = {"axes": [], "variance": [], "rest": 1.0, "limit": 1e9}
    return EMPTY_MODEL.model_validate(
        {**EMPTY_MODEL.model_dump(), "features": features, "products": products, "hull": hull, "ignored": ["case"]}
    )


class CountedFiles:
    """Paths of a recording, its census and a model."""

    def __init__(self, folder: Path, runs: Sequence[Sequence[int]], *, threads: int = 1) -> None:
        """`runs` are the counters of `a.Main.run` in each run of the test. Each thread has all of them."""
        folder.mkdir(parents=True, exist_ok=True)
        self.recording, self.census, self.model = folder / "rec", folder / "census.json", folder / "model.json"
        specs = [ThreadSpec(f"t{i}", (call("a.Main#run", 5, 40),), ((5, 40, 1.0),)) for i in range(threads)]
        scenarios = [Scenario(200, tuple(specs), (TestSpec(TEST, 0, 100),), repeat=i) for i in range(len(runs))]
        made = make_recording(self.recording, *scenarios)
        map_id = int(made.manifest.maps[0].id, 16)
        for run, counters in enumerate(runs):
            (events,) = (self.recording / f"runs/{run}").glob("*.nvch")
            t_ns = start_ns(run) + 50_000_000
            late = start_ns(run) + 150_000_000
            payload = cw.block_counts_payload([(t_ns, 0, counters), (late, 0, [1000] * len(counters))])
            chunks = [cw.chunk(BLOCK_COUNTS, payload, 2, serial=i + 1, map_id=map_id) for i in range(threads)]
            chunks.append(
                cw.chunk(BLOCK_COUNTS, cw.block_counts_payload([(t_ns, COLLECTIONS, [run + 1])]), 1, serial=0, map_id=map_id)
            )
            events.write_bytes(events.read_bytes() + b"".join(chunks))
        self.census.write_text(json.dumps(census_document()))
        self.model.write_text(model_of(COSTS).model_dump_json())


def joined(files: CountedFiles, edits: Edits | None = None) -> tuple[CountedProgram, tuple[CountedTest, ...]]:
    """Join a recording with its census."""
    stored = open_recording(files.recording)
    parsed = parse_recording(stored)
    tests = counted_tests(parsed, stored.manifest, "rec")
    return join_census(parse_census(files.census.read_text(), "c"), parsed.method_table, tests, "census.json", edits), tests


def experiment(tmp_path: Path) -> tuple[Path, CasePlan]:
    """Two cases, of which the second one has no recordings. Rails are those of the recording maker: none."""
    made = CountedFiles(tmp_path / "made", [(4, 200)])
    plan = CasePlan.model_validate(
        {
            "file": {"program": {"test": "a.MainTest#x"}, "runs": {"cases": 2, "idle": False}},
            "sets": [[]],
            "cases": [{"number": 1, "edits": 0, "inputs": {}}, {"number": 2, "edits": 0, "inputs": {}}],
        }
    )
    folder = case_folder(tmp_path, plan.cases[0])
    folder.mkdir(parents=True)
    (tmp_path / CENSUS).write_text(json.dumps(census_document()))
    (tmp_path / PLAN).write_text(plan.model_dump_json())
    made.recording.rename(folder / "counted")
    CountedFiles(tmp_path / "again", [(4, 200)] * 2).recording.rename(folder / "energy")
    write_edits(folder / "edits.json", [])
    (folder / "idle.json").write_text('{"kind": "none", "before": "", "after": "", "uptime_s": [0, 0], "unix_s": [0, 0]}')
    return tmp_path, plan
