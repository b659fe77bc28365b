"""Ways to damage a recording, each drawn from a seed. Those that lose whole chunks return the number of missing chunks."""

from __future__ import annotations

import json
import struct
import zlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

_FIXED = struct.Struct("<4sHHQQIIIqIIH")
_FIELDS = ("version", "type", "map_id", "serial", "tid", "seq", "lost_before", "base_ns", "count")
_WIDTHS = dict(zip(_FIELDS, (16, 16, 64, 64, 32, 32, 32, 63, 32), strict=True))
_EXTREMES = (0, 1, -1, 1 << 31, (1 << 31) - 1, (1 << 63) - 1, 1 << 63, 1 << 70, -(1 << 63), 1e300, -1e-300, 0.5)
_OTHERS = (None, True, "", "x" * 300, "../../etc/passwd", "\x00", [], {}, [[]], {"a": {}})
_ZEROED = 700


@dataclass
class Damage:
    """How a recording was damaged.

    `missing` is the number of chunks missing from event files, by their sequence numbers. `missing_log` is the same for
    logs. Each is None if unknown.
    """

    done: list[str] = field(default_factory=list)
    missing: int | None = None
    missing_log: int | None = None

    @property
    def is_plain_loss(self) -> bool:
        """Whether only whole chunks, or lines with chunks, are missing."""
        return self.missing is not None or self.missing_log is not None


@dataclass(frozen=True)
class Chunk:
    """One chunk of an event file, parsed without Navitas's reader."""

    data: bytes

    @property
    def head(self) -> dict[str, int]:
        """Its numbers."""
        _, *numbers, _, _ = _FIXED.unpack_from(self.data)
        return dict(zip(_FIELDS, numbers, strict=True))

    def forged(self, random: Random) -> Chunk:
        """Return the chunk with other numbers or content, and a matching CRC."""
        magic, *numbers, payload_bytes, name_len = _FIXED.unpack_from(self.data)
        head = dict(zip(_FIELDS, numbers, strict=True))
        payload = bytearray(self.data[len(self.data) - payload_bytes :]) if payload_bytes else bytearray()
        for name in random.sample(_FIELDS[1:], random.randint(1, 3)):
            if name not in ("map_id", "count") or random.random() < 0.2:
                head[name] = random.choice([random.getrandbits(_WIDTHS[name]), (1 << _WIDTHS[name]) - 1, 0, head[name] + 1])
        for _ in range(random.choice([0, 0, 1, 5])):
            if payload:
                payload[random.randrange(len(payload))] = random.getrandbits(8)
        head = {name: value & ((1 << _WIDTHS[name]) - 1) for name, value in head.items()}
        label = self.data[_FIXED.size : _FIXED.size + name_len]
        if random.random() < 0.1:
            label = bytes(random.getrandbits(8) for _ in range(random.randint(0, 40)))
        fixed = _FIXED.pack(magic, *head.values(), len(payload), len(label))
        return Chunk(fixed + label + struct.pack("<I", zlib.crc32(fixed + label + bytes(4) + payload)) + payload)


def chunks_of(data: bytes) -> list[Chunk]:
    """Return all chunks of an undamaged event file."""
    found, at = [], 0
    while at < len(data):
        *_, payload_bytes, name_len = _FIXED.unpack_from(data, at)
        end = at + _FIXED.size + name_len + 4 + payload_bytes
        found.append(Chunk(data[at:end]))
        at = end
    return found


def missing_of(chunks: list[Chunk]) -> int:
    """Return the number of missing chunks, by the sequence numbers of the others."""
    seen: dict[tuple[int, int], set[int]] = defaultdict(set)
    for chunk in chunks:
        head = chunk.head
        seen[head["serial"], head["type"]].add(head["seq"])
    return sum(max(numbers) + 1 - len(numbers) for numbers in seen.values())


def missing_of_log(lines: list[bytes]) -> int:
    """Return the number of missing chunks, by the numbers in the lines `NV1 <pid> <n> <part>/<parts> <base64>`."""
    parts: dict[tuple[int, int], tuple[int, set[int]]] = {}
    most: dict[int, int] = {}
    for line in lines:
        if b" NV1 " in line:
            pid, number, part, *_ = line.partition(b" NV1 ")[2].split()
            place, total = map(int, part.split(b"/"))
            parts.setdefault((int(pid), int(number)), (total, set()))[1].add(place)
            most[int(pid)] = max(most.get(int(pid), 0), int(number))
    whole = sum(len(seen) == total for total, seen in parts.values())
    return sum(number + 1 for number in most.values()) - whole


def damage(folder: Path, random: Random) -> Damage:
    """Damage a recording in place: only whole chunks, one file, or several files."""
    result = Damage()
    files = _files(folder)
    way = random.random()
    logs = [path for path in files["lines"] if path.name == "logcat.txt" and b" NV1 " in path.read_bytes()]
    if way < 0.35 and (files["events"] or logs):
        for path in files["events"]:
            _whole_chunks(path, random, result)
        for path in logs:
            _whole_lines(path, random, result)
    elif way < 0.75:
        _damage_file(*_chosen(files, random), random, result)
    else:
        for _ in range(random.randint(2, 5)):
            _damage_file(*_chosen(files, random), random, result)
    return result


def _files(folder: Path) -> dict[str, list[Path]]:
    """Return the files by the ways to damage them."""
    kinds: dict[str, list[Path]] = {kind: [] for kind in ("events", "lines", "bytes", "json")}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and path.name != "report.json"):
        kind = {".nvch": "events", ".txt": "lines", ".json": "json", ".xml": "lines"}.get(path.suffix, "bytes")
        kinds[kind].append(path)
    return kinds


def _chosen(files: dict[str, list[Path]], random: Random) -> tuple[str, Path]:
    kind = random.choice([kind for kind in ("events", "events", "lines", "lines", "bytes", "json") if files[kind]])
    return kind, random.choice(files[kind])


def _damage_file(kind: str, path: Path, random: Random, result: Damage) -> None:
    if not path.exists():
        return
    sound = not any(done.startswith(f"{path.name}:") for done in result.done)
    if kind == "events" and sound and random.random() < 0.3:
        _whole_chunks(path, random, Damage())
    result.done.append(damage_file(kind, path, random, sound=sound))


def damage_file(kind: str, path: Path, random: Random, *, sound: bool = True) -> str:
    """Damage a file of a kind (`events`, `lines`, `bytes`, `json`) in one way, and return which. `sound`: not damaged before."""
    ways: dict[str, list[Callable[[Path, Random], str]]] = {
        "events": [_forge, _forge, _forge, _cut, _zero, _flip, _remove],
        "lines": [_lines, _lines, _lines, _cut, _zero, _flip, _remove],
        "bytes": [_cut, _zero, _flip, _repeat, _remove],
        "json": [_json, _json, _json, _cut, _zero, _flip, _remove],
    }
    way = random.choice(ways[kind])
    return f"{path.name}: {way(path, random) if sound or way is not _forge else _cut(path, random)}"


def _whole_chunks(path: Path, random: Random, result: Damage) -> None:
    """Drop, repeat and reorder whole chunks. The other chunks' sequence numbers show the loss."""
    chunks = chunks_of(path.read_bytes())
    dropped = set(random.sample(range(len(chunks)), round(len(chunks) * random.choice([0.0, 0.04, 0.1, 0.35, 0.9]))))
    kept = [chunk for number, chunk in enumerate(chunks) if number not in dropped]
    done = [f"{len(dropped)} of {len(chunks)} chunks dropped"]
    if kept and random.random() < 0.3:
        kept += random.choices(kept, k=random.randint(1, 5))
        done.append("some repeated")
    if random.random() < 0.3:
        random.shuffle(kept)
        done.append("reordered")
    path.write_bytes(b"".join(chunk.data for chunk in kept))
    result.missing = (result.missing or 0) + missing_of(kept)
    result.done.append(f"{path.name}: {', '.join(done)}")


def _whole_lines(path: Path, random: Random, result: Damage) -> None:
    """Drop, repeat and reorder lines of a log."""
    lines = path.read_bytes().splitlines(keepends=True)
    share = random.choice([0.0, 0.02, 0.1, 0.5])
    kept = [line for line in lines if random.random() >= share for _ in range(random.choice([1, 1, 1, 2]))]
    if random.random() < 0.3:
        random.shuffle(kept)
    path.write_bytes(b"".join(kept))
    result.missing_log = (result.missing_log or 0) + missing_of_log(kept)
    result.done.append(f"{path.name}: {share:.0%} of the lines dropped, others repeated")


def _forge(path: Path, random: Random) -> str:
    chunks = chunks_of(path.read_bytes())
    count = random.choice([1, 1, 3, 20])
    for _ in range(count if chunks else 0):
        at = random.randrange(len(chunks))
        chunks.insert(random.randrange(len(chunks) + 1), chunks[at].forged(random))
        if random.random() < 0.5:
            del chunks[at]
    path.write_bytes(b"".join(chunk.data for chunk in chunks))
    return f"{count} chunks forged"


def _lines(path: Path, random: Random) -> str:
    lines = path.read_bytes().splitlines(keepends=True)
    way = random.choice(["dropped", "cut", "repeated", "reordered", "numbers"])
    chosen = set(random.sample(range(len(lines)), round(len(lines) * random.choice([0.02, 0.1, 0.5]))))
    if way == "reordered":
        order = list(range(len(lines)))
        part = sorted(chosen)
        for place, line in zip(part, random.sample(part, len(part)), strict=True):
            order[place] = line
        lines = [lines[place] for place in order]
    else:
        lines = [_line(line, way, random) if number in chosen else line for number, line in enumerate(lines)]
    path.write_bytes(b"".join(lines))
    return f"{len(chosen)} of {len(lines)} lines {way}"


def _line(line: bytes, way: str, random: Random) -> bytes:
    if way == "dropped":
        return b""
    if way == "cut":
        return line[: random.randint(0, len(line))] + (b"\n" if random.random() < 0.5 else b"")
    if way == "repeated":
        return line * random.randint(2, 4)
    words = line.split(b" ")
    at = random.randrange(len(words))
    words[at] = random.choice([b"99999999999999999999", b"-1", b"0", b"4294967296", b"x", words[at] + b"9"])
    return b" ".join(words)


def _json(path: Path, random: Random) -> str:
    try:
        document = json.loads(path.read_bytes())
    except ValueError:
        return "left alone: damaged before"
    places = [place for place in _places(document) if place]
    if not places:
        return "left alone: empty"
    *parents, last = random.choice(places)
    holder: Any = document
    for key in parents:
        holder = holder[key]
    value: Any = random.choice([*_EXTREMES, *_OTHERS])
    if random.random() < 0.3:
        del holder[last]
    elif isinstance(holder, list) and random.random() < 0.3:
        holder.append(holder[last])
    else:
        holder[last] = value
    path.write_text(json.dumps(document))
    return f"{'.'.join(map(str, (*parents, last)))} deleted, repeated or made {value!r:.40}"


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [at, *(place for key, each in inner for place in _places(each, (*at, key)))]


def _cut(path: Path, random: Random) -> str:
    data = path.read_bytes()
    kept = random.randint(0, len(data))
    path.write_bytes(data[:kept])
    return f"cut after {kept} bytes"


def _zero(path: Path, random: Random) -> str:
    data = bytearray(path.read_bytes())
    at, size = random.randint(0, len(data)), random.choice([1, _ZEROED, 20_000])
    data[at : at + size] = bytes(len(data[at : at + size]))
    path.write_bytes(data)
    return f"{size} bytes zeroed from {at} on"


def _flip(path: Path, random: Random) -> str:
    data = bytearray(path.read_bytes())
    count = random.choice([1, 10, 200]) if data else 0
    for _ in range(count):
        data[random.randrange(len(data))] = random.getrandbits(8)
    path.write_bytes(data)
    return f"{count} bytes changed"


def _repeat(path: Path, random: Random) -> str:
    data = path.read_bytes()
    low, high = sorted(random.randint(0, len(data)) for _ in range(2))
    path.write_bytes(data[:high] + data[low:])
    return f"bytes {low} to {high} repeated"


def _remove(path: Path, random: Random) -> str:
    del random
    path.unlink()
    return "removed"
