"""The recording's manifest: what was run, on which device, and the resulting raw files (docs/dev/formats.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from navitas.base.cpu_limit import MAX_CPUS
from navitas.base.unknown_parts import KnownWords
from navitas.recording.codes import LossCode

SCHEMA_VERSION = 1
"""Major version. Recordings of a higher major version are refused."""
SCHEMA_MINOR = 7
"""Minor version. A recording of a higher minor version contains data that this version of Navitas does not use."""

TestStatus = Literal["passed", "failed", "ignored", "assumption", "cut"]
FileKind = Literal[
    "events", "logcat", "instrument", "shell", "battery", "batterystats", "map", "power_profile", "trace", "samples"
]
DeviceKind = Literal["virtual", "phone"]
VoltageSource = Literal["battery", "option", "default"]
SourceKind = Literal[
    "time_in_state",
    "scaling_cur_freq",
    "process_stat",
    "thread_schedstat",
    "process_io",
    "net_dev",
    "uid_traffic",
    "power_monitors",
]
RunExit = Literal["complete", "crashed", "interrupted"]
State = Literal["complete", "partial"]

IMPORTED_FROM: Final = "imported_from"
"""The setting of imported recordings that names their source."""


def known_words(words: object) -> frozenset[str]:
    """Return the words of a `Literal`."""
    return frozenset(get_args(words))


@dataclass(frozen=True, slots=True)
class Known(KnownWords):
    """The words of a field that this version of Navitas knows, and the loss code under which other words are counted."""

    code: LossCode = "unknown_words"

    @classmethod
    def from_literal(cls, words: object, code: LossCode = "unknown_words") -> Known:
        """Create from the words of a `Literal`."""
        return cls(known_words(words), code)


Integer = Annotated[int, Field(ge=-(1 << 63), lt=1 << 63)]
"""A number that fits a 64-bit column."""


Amount = Annotated[int, Field(ge=0, lt=1 << 63)]
"""A number of items."""
Cpu = Annotated[int, Field(ge=0, lt=MAX_CPUS)]
"""The number of a CPU."""


class _Model(BaseModel):
    # The manifest builds what it validates with, and its parts with it.
    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False, defer_build=True)


class Project(_Model):
    name: str
    build_tool: str


class Policy(_Model):
    """One cpufreq policy (a cluster): its id and the CPUs that share its frequency (`related_cpus`)."""

    id: Integer
    cpus: list[Cpu]


class DeviceEntry(_Model):
    """The measured device.

    `serial` is its adb address. `identity` is the same in every recording on this device; it is empty if unknown (older
    recordings).
    """

    kind: Annotated[str, Known.from_literal(DeviceKind)]
    serial: str
    identity: str = ""
    model: str
    fingerprint: str
    sdk: Integer
    cpus: list[Cpu]
    policies: list[Policy]


class Map(_Model):
    """A method map. `id` is 16 lower-case hex digits, and `module` the Gradle path of the module that it describes.

    `includes` are ids of older maps. Method ids in their events have the same meaning in this map.
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
    """A sampled counter. Event chunks of type 3 contain its `id`."""

    id: Integer
    path: str
    kind: Annotated[str, Known.from_literal(SourceKind, "unknown_sources")]
    policy: Integer | None = None


class Run(_Model):
    """One `am instrument` of one module's bundle, or (`whole`) the use of an app without tests, as one test.

    `pid` is the id of its process, if known, and `target_sdk` that of its app, if modules are recorded. A `baseline` run
    has no probes; the run of the same repeat with probes is compared with it. A `warmup` run does not count in statistics.
    """

    id: Integer
    module: str
    repeat: Amount
    package: str
    map_id: str
    exit: Annotated[str, Known.from_literal(RunExit)]
    pid: Integer | None = None
    whole: bool = False
    baseline: bool = False
    warmup: bool = False
    target_sdk: Integer | None = None


class Test(_Model):
    __test__: ClassVar[bool] = False  # keeps pytest from collecting this class
    id: Integer
    run: Integer
    module: str
    class_name: str = Field(alias="class")
    method: str
    repeat: Amount
    status: Annotated[str, Known.from_literal(TestStatus)]
    model_config = ConfigDict(populate_by_name=True)


class File(_Model):
    """A raw file. `path` is relative to the recording; `run` is the run that produced it (None: all runs)."""

    path: str
    kind: Annotated[str, Known.from_literal(FileKind, "unknown_files")]
    bytes: Integer
    sha256: str
    run: Integer | None = None


class Loss(_Model):
    """Data that is known to be missing: its code, amount and run (None: all runs)."""

    what: str
    count: Amount
    run: Integer | None = None


class Warning(_Model):
    """A warning about a run (None: all runs). `code` is one of `codes.WarningCode`, or of a newer version."""

    code: str
    message: str
    remedy: str = ""
    run: Integer | None = None


class HostInfo(_Model):
    """The computer that recorded: operating system with release, processor architecture, number of logical CPUs."""

    os: str = ""
    machine: str = ""
    cpus: Integer | None = None


class JavaVersions(_Model):
    """Java versions of the tests (one per module) and of the build."""

    tests: list[str] = []
    build: str | None = None


class GitState(_Model):
    """The project's commit at the start of the build. `dirty`: tracked files differed from it (None: unknown)."""

    revision: str
    dirty: bool | None = None


class Provenance(_Model):
    """Origin of a recording, as far as it is known. Secrets in `command_line` are masked."""

    host: HostInfo | None = None
    java: JavaVersions | None = None
    git: GitState | None = None
    command_line: list[str] = []


class Manifest(_Model):
    """The whole manifest. It is written last; `state` is `partial` until all files were pulled.

    `components` names the components with recorded data; it is empty in recordings that do not list them.
    """

    schema_version: int = SCHEMA_VERSION
    schema_minor: Amount = 0
    navitas_version: str
    created_utc: str
    state: Annotated[str, Known.from_literal(State)]
    project: Project
    device: DeviceEntry
    provenance: Provenance = Field(default_factory=Provenance)
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
