"""The recording's manifest: what was run, on what, and which raw files came of it (docs/formats.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from navitas.recording.codes import LossCode
from navitas.unknown_parts import KnownWords

SCHEMA_VERSION = 1
"""The major version: a recording of a higher one is refused."""
SCHEMA_MINOR = 1
"""The minor version: a recording of a higher one has more than this version of Navitas reads (docs/formats.md, Versions)."""

TestStatus = Literal["passed", "failed", "ignored", "assumption", "cut"]
FileKind = Literal["events", "logcat", "instrument", "shell", "battery", "map", "power_profile", "trace"]
DeviceKind = Literal["virtual", "phone"]
VoltageSource = Literal["battery", "option", "default"]
SourceKind = Literal["time_in_state", "scaling_cur_freq", "process_stat", "thread_schedstat"]
RunExit = Literal["complete", "crashed", "interrupted"]
State = Literal["complete", "partial"]


def known_words(words: object) -> frozenset[str]:
    """The words of a `Literal`."""
    return frozenset(get_args(words))


@dataclass(frozen=True, slots=True)
class Known(KnownWords):
    """The words of a field that this version of Navitas knows, and the code by which others are counted."""

    code: LossCode = "unknown_words"

    @classmethod
    def from_literal(cls, words: object, code: LossCode = "unknown_words") -> Known:
        """The words of a `Literal`."""
        return cls(known_words(words), code)


Integer = Annotated[int, Field(ge=-(1 << 63), lt=1 << 63)]
"""A number that a column of 64 bits can hold."""


Amount = Annotated[int, Field(ge=0, lt=1 << 63)]
"""A number of things."""
MAX_CPUS = 4096
"""The most CPUs that a device can have, as many as a power profile can."""
Cpu = Annotated[int, Field(ge=0, lt=MAX_CPUS)]
"""The number of a CPU."""


class _Model(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class Project(_Model):
    name: str
    build_tool: str


class Policy(_Model):
    """One cpufreq policy (a cluster): its id and the CPUs that share its frequency (`related_cpus`)."""

    id: Integer
    cpus: list[Cpu]


class DeviceEntry(_Model):
    """The measured device. `serial` is its address on adb; `identity` is the same in every recording on this device, and empty
    where it is not known (older recordings)."""

    kind: Annotated[str, Known.from_literal(DeviceKind)]
    serial: str
    identity: str = ""
    model: str
    fingerprint: str
    sdk: Integer
    cpus: list[Cpu]
    policies: list[Policy]


class Map(_Model):
    """A method map; `id` is 16 lower-case hex digits, `module` the Gradle path of the module it describes.

    `includes` are the ids of maps that it continues: method ids of their events mean the same in it.
    """

    id: str
    file: str
    sha256: str
    module: str
    includes: list[Annotated[str, Field(pattern="^[0-9a-f]{16}$")]] = []


class PowerProfileEntry(_Model):
    file: str
    sha256: str
    source: str
    voltage_v: float = Field(gt=0, le=1000)
    voltage_source: Annotated[str, Known.from_literal(VoltageSource)]


class Source(_Model):
    """A counter that was sampled; `id` is the one in event chunks of type 3."""

    id: Integer
    path: str
    kind: Annotated[str, Known.from_literal(SourceKind, "unknown_sources")]
    policy: Integer | None = None


class Run(_Model):
    """One `am instrument` of one module's bundle, or (`whole`) the use of an app without tests: then its one test is the whole
    run. `pid` of its process when that is known. `baseline`: without probes, beside the run of the same repeat that has them."""

    id: Integer
    module: str
    repeat: Integer
    package: str
    map_id: str
    exit: Annotated[str, Known.from_literal(RunExit)]
    pid: Integer | None = None
    whole: bool = False
    baseline: bool = False


class Test(_Model):
    __test__: ClassVar[bool] = False  # no test case of our own
    id: Integer
    run: Integer
    module: str
    class_name: str = Field(alias="class")
    method: str
    repeat: Integer
    status: Annotated[str, Known.from_literal(TestStatus)]
    model_config = ConfigDict(populate_by_name=True)


class File(_Model):
    """A raw file; `path` is relative to the recording, `run` the run it came of (None: all)."""

    path: str
    kind: Annotated[str, Known.from_literal(FileKind, "unknown_files")]
    bytes: Integer
    sha256: str
    run: Integer | None = None


class Loss(_Model):
    """Data known to be missing: where, and how much of what unit."""

    what: str
    count: Amount
    run: Integer | None = None


class Warning(_Model):
    """What to keep in mind, with the run that it is about (None: all). `code` is one of `codes.WarningCode`, or a newer one."""

    code: str
    message: str
    remedy: str = ""
    run: Integer | None = None


class HostInfo(_Model):
    """The computer that recorded: operating system with its release, processor architecture, number of logical CPUs."""

    os: str = ""
    machine: str = ""
    cpus: Integer | None = None


class JavaVersions(_Model):
    """Versions of the Java that ran the tests (several modules may name several) and of the one that ran the build."""

    tests: list[str] = []
    build: str | None = None


class GitState(_Model):
    """The project's commit when its build began; `dirty` if tracked files differed from it, None where that is not known."""

    revision: str
    dirty: bool | None = None


class Provenance(_Model):
    """Where a recording comes from, as far as it is known. Secrets in `command_line` are masked."""

    host: HostInfo | None = None
    java: JavaVersions | None = None
    git: GitState | None = None
    command_line: list[str] = []


class Manifest(_Model):
    """The whole manifest; written last, `state` is `partial` until everything was pulled.

    `components` names the components that the recording has data of; empty where it does not say.
    """

    schema_version: int = SCHEMA_VERSION
    schema_minor: Amount = 0
    navitas_version: str
    created_utc: str
    state: Annotated[str, Known.from_literal(State)]
    project: Project
    device: DeviceEntry
    provenance: Provenance = Provenance()
    maps: list[Map]
    power_profile: PowerProfileEntry
    settings: dict[str, JsonValue]
    components: list[str] = []
    sources: list[Source]
    runs: list[Run]
    tests: list[Test]
    files: list[File]
    losses: list[Loss] = []
    warnings: list[Warning] = []
