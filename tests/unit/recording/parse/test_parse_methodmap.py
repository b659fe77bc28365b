"""Several method maps, and events that belong to another build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import chunk_writer as cw
from support.recording_maker import make_map, make_recording
from support.scenario import Scenario, ThreadSpec, call

from navitas.base.errors import RecordingError
from navitas.recording.parse.chunks import scan_chunks
from navitas.recording.parse.methodmap import Span, check_maps, places_of, read_method_table, spans
from navitas.recording.parse.parsed_recording import parse_recording
from navitas.recording.store import Recording, open_recording

METHODS = ("a.B#<init>", "a.B#run", "a.BTest#check")


def with_second_map(root: Path) -> tuple[Recording, str]:
    """Return a recording of two modules, and the second map's id."""
    make_recording(root, Scenario(10), methods=METHODS)
    map_id, data = make_map(["z.Z#zoom"])
    (root / "maps" / f"{map_id}.json").write_bytes(data.replace(b'"module": ":"', b'"module": ":lib"'))
    manifest = json.loads((root / "manifest.json").read_text())
    manifest["maps"].append({"id": map_id, "file": f"maps/{map_id}.json", "sha256": "", "module": ":lib"})
    manifest["maps"].append(manifest["maps"][0])
    (root / "manifest.json").write_text(json.dumps(manifest))
    return open_recording(root), map_id


def test_all_maps_form_one_table(tmp_path: Path) -> None:
    recording, second = with_second_map(tmp_path)
    first = recording.manifest.maps[0].id
    table = read_method_table(recording)
    assert [(m.id, m.module, f"{m.class_name}#{m.name}", m.is_test_source) for m in table.methods] == [
        (0, ":", "a.B#<init>", False),
        (1, ":", "a.B#run", False),
        (2, ":", "a.BTest#check", True),
        (3, ":lib", "z.Z#zoom", False),
    ]
    assert table.base == {first: 0, second: 3}
    assert spans(table) == {int(first, 16): Span(0, 3), int(second, 16): Span(3, 1)}
    assert (table.methods[1].descriptor, table.methods[1].line, table.methods[2].source) == ("()V", 11, "test")


def test_ids_of_a_map_need_not_be_dense(tmp_path: Path) -> None:
    calls = tuple(call(f"a.B{i}#run", i, i + 0.5) for i in range(5))
    scenario = Scenario(10, (ThreadSpec("main", calls), ThreadSpec("other", calls, folded=True)))
    dense, sparse = (
        parse_recording(make_recording(tmp_path / str(step), scenario, methods=METHODS, id_step=step)) for step in (1, 200_000)
    )
    assert [one.identity for one in sparse.method_table.methods] == [one.identity for one in dense.method_table.methods]
    (span,) = spans(sparse.method_table).values()
    assert span.rows(np.array([200_000, 8 * 200_000, 0, 5, 2**22 - 1]))[1].tolist() == [True, True, False, False, False]
    assert [span.row_of(number) for number in (200_000, 8 * 200_000, 0, 5, 2**22 - 1)] == [7, 0, None, None, None]
    events, rows = (
        [[part(thread).tolist() for thread in one.runs[0].threads] for one in (sparse, dense)]
        for part in (lambda thread: thread.calls.whole().method, lambda thread: thread.folded.method)
    )
    assert events[0] == events[1] and sum(map(len, events[0])) == 10
    assert rows[0] == rows[1] and any(rows[0])
    assert not [loss for loss in sparse.losses if loss.what == "foreign_methods"]


@pytest.mark.parametrize("ids", [[], [0], [0, 1, 2]])
def test_dense_ids_need_no_table(ids: list[int]) -> None:
    assert places_of(ids) is None


def edited(recording: Recording, **changes: Any) -> Recording:
    path = recording.file(recording.manifest.maps[0].file)
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))
    return recording


@pytest.fixture
def recording(tmp_path: Path) -> Recording:
    return make_recording(tmp_path / "rec", Scenario(10), methods=METHODS)


def test_the_map_of_another_build_is_an_error_with_both_ids(recording: Recording) -> None:
    with pytest.raises(RecordingError) as error:
        read_method_table(edited(recording, map_id="0123456789abcdef"))
    assert "0123456789abcdef" in error.value.message and recording.manifest.maps[0].id in error.value.message


@pytest.mark.parametrize(
    ("changes", "cause"),
    [
        ({"schema_version": 2}, "schema_version 2"),
        ({"map_id": "XYZ"}, "map_id"),
        ({"methods": 2 * [{"id": 1, "class": "a.B", "name": "m", "descriptor": "()V"}]}, "id 1 occurs twice"),
        ({"methods": [{"id": -1, "class": "a.B", "name": "m", "descriptor": "()V"}]}, "id -1 is not one of 0 … 4194047"),
        ({"methods": [{"id": 4194048, "class": "a.B", "name": "m", "descriptor": "()V"}]}, "id 4194048 is not one of"),
        ({"methods": [{"id": 10**30, "class": "a.B", "name": "m", "descriptor": "()V"}]}, "0 … 4194047"),
        ({"methods": [{"id": 0, "class": "a.Gone", "name": "m", "descriptor": "()V"}]}, "a.Gone"),
        ({"methods": [{"id": 0}]}, "methods.0"),
        ({"classes": 5}, "classes"),
    ],
)
def test_inconsistent_maps_are_clear_errors(recording: Recording, changes: dict[str, Any], cause: str) -> None:
    with pytest.raises(RecordingError, match=cause) as error:
        read_method_table(edited(recording, **changes))
    assert str(recording.file(recording.manifest.maps[0].file)) in error.value.message


@pytest.mark.parametrize("data", [b"", b"[]", b"\xff", b"[" * 100_000])
def test_unreadable_maps_are_clear_errors(recording: Recording, data: bytes) -> None:
    recording.file(recording.manifest.maps[0].file).write_bytes(data)
    with pytest.raises(RecordingError):
        read_method_table(recording)


def test_a_missing_map_is_a_clear_error(recording: Recording) -> None:
    recording.file(recording.manifest.maps[0].file).unlink()
    with pytest.raises(RecordingError, match="unreadable"):
        read_method_table(recording)


def test_events_of_an_unknown_map_are_an_error_with_both_ids() -> None:
    chunks = scan_chunks(cw.chunk(cw.MARKERS, b"", 0) + cw.chunk(cw.FOLDED, b"", 0, map_id=0xBAD)).chunks
    with pytest.raises(RecordingError) as error:
        check_maps(chunks, {0xABC: Span(0, 1)}, "events-1.nvch")
    assert all(part in error.value.message for part in ("events-1.nvch", "0000000000000bad", "0000000000000abc"))
    check_maps(chunks, {0xBAD: Span(0, 1)}, "events-1.nvch")
