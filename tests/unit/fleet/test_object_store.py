"""A fleet in an object store: commits, what goes wrong, and the same samples as in a local folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import fsspec
import pyarrow as pa
import pytest
from support.fleet_samples import json_lines, row
from support.fleet_samples import stored as rows_of

from navitas.base.errors import UsageError
from navitas.fleet import layout
from navitas.fleet.erase import allow_again, erase_client
from navitas.fleet.erased import accept_missing, check_parts
from navitas.fleet.files import FleetError, is_made_from, write_table
from navitas.fleet.ingest.destination import destination
from navitas.fleet.ingest.group import SourceOutcome
from navitas.fleet.ingest.ingest_files import ingest
from navitas.fleet.remote_path import RemoteError, RemotePath
from navitas.fleet.schema import client_number
from navitas.fleet.snapshot import Snapshot
from navitas.fleet.store import Store
from navitas.fleet.store_settings import SALT_VARIABLE


class Faulty:
    """A file system in which some methods are replaced."""

    def __init__(self, system: Any, **methods: Any) -> None:
        self._system = system
        self._methods = methods

    def __getattr__(self, name: str) -> Any:
        return self._methods.get(name) or getattr(self._system, name)


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[RemotePath]:
    monkeypatch.setenv(SALT_VARIABLE, "0123456789abcdef")
    bucket = f"memory://{request.node.originalname}"
    yield RemotePath.parse(f"{bucket}/fleet")
    if fsspec.filesystem("memory").exists(bucket):
        fsspec.filesystem("memory").rm(bucket, recursive=True)


@pytest.fixture
def faults(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """Methods that replace those of the object store, as long as they are in here."""
    methods: dict[str, Any] = {}
    memory = fsspec.filesystem("memory")
    monkeypatch.setattr(RemotePath, "system", property(lambda _: Faulty(memory, **methods)))
    yield methods
    methods.clear()


def samples(file: Path, client: str, count: int = 40) -> Path:
    json_lines(file, [row(client, 1_700_000_000 + 600 * i, 100 - i, apps=["a@1"] + ["b"] * (i % 2)) for i in range(count)])
    return file


def stored(path: Path, *files: Path) -> SourceOutcome:
    return SourceOutcome.total(list(ingest(path, files)))


def names_in(path: RemotePath) -> list[str]:
    return [file.relative_to(path).as_posix() for file in path.rglob("*")]


def test_the_same_samples_are_stored_as_in_a_local_folder(root: RemotePath, tmp_path: Path) -> None:
    first, second = samples(tmp_path / "1.jsonl", "one"), samples(tmp_path / "2.jsonl", "two")
    more = samples(tmp_path / "3.jsonl", "one", 60)
    for path in (root, tmp_path / "local"):
        assert stored(path, first).accepted == stored(path, second).accepted == 40
        again = stored(path, more, first)
        assert (again.accepted, again.duplicates) == (20, 40)
    assert rows_of(root) == rows_of(tmp_path / "local") and len(rows_of(root)) == 100
    assert Store.open(root).packages() == Store.open(tmp_path / "local").packages()
    assert Snapshot.latest(root).number == 3


def test_a_folder_that_was_copied_to_an_object_store_is_a_fleet(root: RemotePath, tmp_path: Path) -> None:
    local = tmp_path / "local"
    stored(local, samples(tmp_path / "1.jsonl", "one"))
    for file in local.rglob("*"):
        if file.is_file():
            (root / file.relative_to(local)).write_bytes(file.read_bytes())
    assert rows_of(root) == rows_of(local)
    assert stored(root, samples(tmp_path / "2.jsonl", "two"), tmp_path / "1.jsonl").accepted == 40
    assert rows_of(root)[:40] == rows_of(local) or rows_of(root)[40:] == rows_of(local)


def test_a_folder_that_was_copied_in_part_is_refused(root: RemotePath, tmp_path: Path) -> None:
    """Until the first commit. It would have listed the parts that were there, so the fleet would have stayed a smaller one."""
    local = tmp_path / "local"
    stored(local, samples(tmp_path / "1.jsonl", "one"), samples(tmp_path / "2.jsonl", "two"))
    for file in local.rglob("*"):
        if file.is_file():
            (root / file.relative_to(local)).write_bytes(file.read_bytes())
    part = next((root / layout.SAMPLES).rglob("*.parquet"))
    data = part.read_bytes()
    part.unlink()
    for command in (
        lambda: check_parts(Store.open(root)),
        lambda: stored(root, samples(tmp_path / "3.jsonl", "three")),
        lambda: erase_client(Store.open(root), client_number("one", Store.open(root).key)),
        lambda: allow_again(Store.open(root), 1),
    ):
        with pytest.raises(FleetError, match=rf"^{part}: is missing; ledger\.jsonl lists it") as caught:
            command()
        assert caught.value.remedy == "Copy the fleet's folder to the object store again."
    assert Snapshot.latest(root).number == 0
    with pytest.raises(UsageError, match="--accept-missing is for local fleets"):
        accept_missing(Store.open(root))
    part.write_bytes(data)
    assert stored(root, tmp_path / "3.jsonl").accepted == 40 and len(rows_of(root)) == 120
    check_parts(Store.open(root))


def test_refused_rows_are_kept_with_the_samples(root: RemotePath, tmp_path: Path) -> None:
    json_lines(tmp_path / "1.jsonl", [row("one"), row("one", level=101)])
    assert stored(root, tmp_path / "1.jsonl").refused.total() == 1
    (kept,) = (root / layout.QUARANTINE).rglob("*.jsonl")
    assert json.loads(kept.read_bytes())["reason"] == "level: is over 100 %"


def test_of_two_ingests_at_once_one_fails_and_changes_nothing(root: RemotePath, tmp_path: Path) -> None:
    file = samples(tmp_path / "1.jsonl", "one")
    with destination(root) as slow:
        assert stored(root, file).accepted == 40
        before = names_in(root)
        stored(slow.folder, file)
        with pytest.raises(FleetError, match="another process changed the fleet in the meantime") as caught:
            slow.publish()
    assert caught.value.remedy == "Run the command again."
    assert names_in(root) == before and len(rows_of(root)) == 40


def test_a_killed_ingest_changes_nothing(root: RemotePath, tmp_path: Path, faults: dict[str, Any]) -> None:
    stored(root, samples(tmp_path / "1.jsonl", "one"))
    memory = fsspec.filesystem("memory")

    def killed(path: str, value: bytes, mode: str = "overwrite") -> None:
        if path.endswith("00000002.json"):
            raise KeyboardInterrupt
        memory.pipe_file(path, value, mode=mode)

    faults["pipe_file"] = killed
    with pytest.raises(KeyboardInterrupt):
        stored(root, samples(tmp_path / "2.jsonl", "two"))
    faults.clear()
    assert len(rows_of(root)) == 40
    assert stored(root, tmp_path / "2.jsonl").accepted == 40
    assert len(rows_of(root)) == 80


@pytest.mark.parametrize("error", [OSError("connection reset"), FileExistsError("sent twice")])
def test_a_commit_whose_answer_is_lost_has_its_samples(
    root: RemotePath, tmp_path: Path, faults: dict[str, Any], error: OSError
) -> None:
    faults["pipe_file"] = with_lost_answer(error)
    assert stored(root, samples(tmp_path / "1.jsonl", "one")).accepted == 40
    faults.clear()
    assert len(rows_of(root)) == 40 and stored(root, samples(tmp_path / "2.jsonl", "two")).accepted == 40


def test_an_unknown_commit_keeps_its_samples(root: RemotePath, tmp_path: Path, faults: dict[str, Any]) -> None:
    def lost(*_: Any, **__: Any) -> None:
        raise OSError("connection reset")

    def write(path: str, data: bytes, **options: Any) -> None:
        if path.endswith("0001.json"):
            faults["cat_file"] = lost
        with_lost_answer(OSError("connection reset"))(path, data, **options)

    faults["pipe_file"] = write
    with pytest.raises(FleetError, match="cannot be written: connection reset; it may have the commit"):
        stored(root, file := samples(tmp_path / "1.jsonl", "one"))
    faults.clear()
    assert len(rows_of(root)) == 40 and stored(root, file).duplicates in (0, 40) and len(rows_of(root)) == 40


def with_lost_answer(error: OSError) -> Callable[..., None]:
    """Return what writes an object, and raises an error after it has written a commit."""

    def write(path: str, data: bytes, **options: Any) -> None:
        fsspec.filesystem("memory").pipe_file(path, data, **options)
        if path.endswith("0001.json"):
            raise error

    return write


def test_a_store_that_lists_late_has_all_samples(root: RemotePath, tmp_path: Path, faults: dict[str, Any]) -> None:
    stored(root, samples(tmp_path / "1.jsonl", "one"))
    faults["find"] = lambda *_, **__: {}
    assert stored(root, samples(tmp_path / "2.jsonl", "two")).accepted == 40
    assert len(rows_of(root)) == 80 and Snapshot.latest(root).number == 2


def test_a_lost_object_is_an_error_that_names_it(root: RemotePath, tmp_path: Path) -> None:
    stored(root, samples(tmp_path / "1.jsonl", "one"))
    (part,) = (root / layout.SAMPLES).rglob("*.parquet")
    part.unlink()
    with pytest.raises(FleetError, match=r"memory://.*/part-\w+\.parquet: cannot be read: .*no such object") as caught:
        rows_of(root)
    assert caught.value.remedy.startswith("Restore the file")


def test_damaged_objects_are_restored_or_computed_again(root: RemotePath, tmp_path: Path) -> None:
    stored(root, samples(tmp_path / "1.jsonl", "one"))
    (part,) = (root / layout.SAMPLES).rglob("*.parquet")
    whole = part.read_bytes()
    for data in (b"damaged", whole[: len(whole) // 2], b"PAR1" + bytes(40) + whole[-8:]):
        part.write_bytes(data)
        with pytest.raises(FleetError, match=r"/part-\w+\.parquet: cannot be read: ") as caught:
            rows_of(root)
        assert caught.value.remedy.startswith("Restore the file")
    result = root / layout.WORK / "x.parquet"
    write_table(result, pa.table({"x": [1]}), "inputs")
    assert is_made_from(result, "inputs")
    result.write_bytes(b"damaged")
    assert not is_made_from(result, "inputs")


def test_a_damaged_commit_is_an_error_that_names_it(root: RemotePath) -> None:
    for data in (b"[" * 100_000, b'{"parts": {"x": 1e999}, "objects": {}}', b'{"parts": [], "objects": {}}'):
        (root / layout.COMMITS / "00000001.json").write_bytes(data)
        with pytest.raises(FleetError, match=r"memory://.*/commits/00000001\.json: cannot be read: "):
            Store.open(root)


def test_a_commit_that_names_what_is_outside_of_the_fleet_is_refused(root: RemotePath) -> None:
    file = root / layout.COMMITS / "00000001.json"
    for parts, objects, name in (({"/a.parquet": 1}, {}, "/a.parquet"), ({}, {layout.LEDGER: "../b.jsonl"}, "../b.jsonl")):
        file.write_bytes(json.dumps({"parts": parts, "objects": objects}).encode())
        with pytest.raises(FleetError, match=f"{file}: cannot be read: {name} is outside of the fleet"):
            Store.open(root)


def test_errors_of_an_ingest_name_the_object_store(root: RemotePath, tmp_path: Path) -> None:
    """Not the local copies, which are gone by then."""
    list(ingest(root, [samples(tmp_path / "a.jsonl", "a")]))
    ledger = Store.named(root).file(layout.LEDGER)
    ledger.write_bytes(b"no ledger\n")
    for buckets, said in ((None, f"{ledger}: damaged"), (7, f"{root}: the fleet has 64 buckets")):
        with pytest.raises(FleetError) as refused:
            list(ingest(root, [samples(tmp_path / "b.jsonl", "b")], buckets=buckets))
        assert refused.value.message.startswith(said)


def test_an_ingest_reads_each_list_once(root: RemotePath, tmp_path: Path, faults: dict[str, Any]) -> None:
    stored(root, samples(tmp_path / "a.jsonl", "a"))
    memory, read = fsspec.filesystem("memory"), list[str]()

    def listed(path: str, **limits: Any) -> bytes:
        read.append(path.rpartition("-")[2])
        data: bytes = memory.cat_file(path, **limits)
        return data

    faults["cat_file"] = listed
    stored(root, samples(tmp_path / "b.jsonl", "b"))
    assert {name: read.count(name) for name in layout.COMMITTED if name in read} == {
        layout.SETTINGS: 1, layout.PACKAGES: 1, layout.LEDGER: 1,
    }  # fmt: skip


def test_an_ingest_without_local_space_names_the_local_folder(
    root: RemotePath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It once named the object store, which has enough space."""

    def full(file: Path, *_: object) -> None:
        raise FleetError(f"{file}: cannot be written: No space left on device")

    monkeypatch.setattr("navitas.fleet.store.write_table", full)
    with pytest.raises(FleetError, match=r"/navitas-ingest-\w+/store/.*No space") as refused:
        stored(root, samples(tmp_path / "1.jsonl", "one"))
    assert str(root) not in refused.value.message and not names_in(root / layout.SAMPLES)


def test_no_more_of_a_small_file_is_read_than_its_limit(root: RemotePath, faults: dict[str, Any]) -> None:
    (file := root / layout.SETTINGS).write_bytes(b" " * 100_000)
    memory, read = fsspec.filesystem("memory"), list[int]()

    def counted(path: str, **limits: Any) -> bytes:
        data: bytes = memory.cat_file(path, **limits)
        read.append(len(data))
        return data

    faults["cat_file"] = counted
    with pytest.raises(FleetError, match=rf"{file}: cannot be read: .*larger than 65,536 bytes"):
        Store.open(root)
    assert read == [65_537]


def test_a_store_that_refuses_is_an_error_that_names_it(root: RemotePath, tmp_path: Path, faults: dict[str, Any]) -> None:
    stored(root, samples(tmp_path / "1.jsonl", "one"))

    def refused(*_: object, **__: object) -> None:
        raise PermissionError("Access Denied")

    for method, verb in (("find", "listed"), ("cat_file", "read"), ("pipe_file", "written")):
        faults[method] = refused
        with pytest.raises(RemoteError, match=rf"{root}.*: cannot be {verb}: Access Denied") as caught:
            stored(root, samples(tmp_path / "2.jsonl", "two"))
        assert "your access to it" in caught.value.remedy
        faults.clear()
    assert len(rows_of(root)) == 40


def test_a_store_without_conditional_writes_is_refused(root: RemotePath, tmp_path: Path, faults: dict[str, Any]) -> None:
    memory = fsspec.filesystem("memory")
    faults["pipe_file"] = lambda path, value, mode="overwrite": memory.pipe_file(path, value)
    with pytest.raises(FleetError, match="replaces an object that is created twice"):
        stored(root, samples(tmp_path / "1.jsonl", "one"))
    assert names_in(root) == []


def test_erasing_a_client_leaves_nothing_of_it(root: RemotePath, tmp_path: Path) -> None:
    stored(root, samples(tmp_path / "1.jsonl", "one"), samples(tmp_path / "2.jsonl", "two"))
    stored(root, samples(tmp_path / "3.jsonl", "one", 60))
    left_by_a_killed_ingest = root / layout.SAMPLES / "bucket=000" / "month=2023-11" / "part-killed.parquet"
    left_by_a_killed_ingest.write_bytes(b"one")
    (root / layout.WORK / "x.parquet").write_bytes(b"one")
    store = Store.open(root)
    one = client_number("one", store.key)
    erased = erase_client(store, one)
    assert erased is not None and (erased.samples, erased.before) == (60, False)
    assert len(rows_of(root)) == 40 and one not in {found["client"] for found in rows_of(root)}
    listed = {f"{layout.SAMPLES}/{name}" for name in Snapshot.latest(root).parts}
    assert {name for name in names_in(root) if not name.startswith(layout.COMMITS)} == listed
    assert stored(root, samples(tmp_path / "4.jsonl", "one", 70)).refused == {"client: was erased": 70}
    assert allow_again(Store.open(root), one)
    assert stored(root, samples(tmp_path / "5.jsonl", "one", 71)).accepted == 71


def test_files_of_old_commits_are_removed_but_their_numbers_stay_taken(root: RemotePath) -> None:
    snapshot = Snapshot.latest(root)
    for number in range(25):
        snapshot = snapshot.commit({layout.LEDGER: b"%d" % number}, {})
    assert Snapshot.latest(root).file(layout.LEDGER).read_bytes() == b"24"
    commits = root / layout.COMMITS
    assert len([name for name in names_in(commits) if name.endswith(layout.LEDGER)]) == 20
    assert not (commits / "00000001.json").create(b"")


@pytest.mark.parametrize(
    "url", ["https://example.org/x", "hdfs://host/x", "s3://me:secret@bucket/x", "s3://b/x?token=secret", "s3:///x"]
)
def test_a_url_that_cannot_have_a_fleet_is_refused(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        RemotePath.parse(url)
    assert caught.value.remedy and "secret" not in caught.value.message


def test_what_needs_a_local_file_says_so() -> None:
    with pytest.raises(RemoteError, match="s3://bucket/x: this needs a local folder"):
        Path(RemotePath.parse("s3://bucket/x").__fspath__())
