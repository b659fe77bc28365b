"""Imports go one way, down the data flow (docs/architecture.md)."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from source_tree import PACKAGE, ROOT, TESTS, files, nodes, place, text

# What the modules of each room may import. `cli` may import all.
ROOMS = {
    "base": "",
    "android": "base",
    "power": "android base",
    "recording": "android base power",
    "capture": "android base power recording",
    "virtual_phone": "android base capture recording",
    "energy": "base power recording",
    "insight": "android base energy power recording",
    "report": "base energy insight recording",
    "fleet": "android base",
}
# The parts of a room, in the order of the data flow: each may import those to its left, and the room's own modules.
PARTS = {
    "android": ("ids", "instrumentation", "binary_xml", "power_statistics", "perfetto", "apk", "batterystats"),
    "recording": ("parse", "importing"),
    "capture": ("bundle", "device", "build", "collect"),
    "energy": ("attribute", "analyze"),
    "insight": ("compare", "history", "check", "graph", "vitals", "operations", "calibrate"),
}
# The packages of the Java instrumenter (org.navitas.instrument), likewise.
INSTRUMENTER = ("files", "code", "hooks", "edits", "choice", "map", "probes", "classes", "run")

# Each library appears in few modules.
ONLY_IN = {
    "sklearn": {"insight/operations/regress/"},
    "adbutils": {"capture/device/server_client.py"},
    "py4j": {"capture/build/bridge.py"},
    "platformdirs": {"base/user_folders.py"},
    "unicodedata": {"base/untrusted_text.py"},
    "fcntl": {"base/folder_lock.py", "virtual_phone/host_process.py"},
    "axml": {"android/binary_xml.py"},
    "google": {"recording/parse/trace/perfetto", "android/perfetto/", "base/protobuf_schema.py"},
    "demangle": {"recording/parse/samples_names.py"},
    "perfetto": {"android/perfetto/"},
    "lxml": {"power/", "virtual_phone/kernel/"},
    "rich": {"cli/", "report/terminal/", "report/text"},
    "click": {"cli/"},
    "jinja2": {"base/html_page/templates.py"},
    "orjson": {"report/json_rows.py"},
    "markupsafe": {"base/html_page/templates.py"},
    "duckdb": {"fleet/engine/duckdb", "fleet/ingest/typed_texts.py"},
    "pyspark": {"fleet/engine/spark"},
    "pandas": {"energy/analyze/profile"},
    "pyarrow": {"fleet/", "energy/analyze/arrow", "energy/analyze/profile"},
    "scipy": {"fleet/statistics", "energy/analyze/fitting/least_squares"},
}

ANALYSIS = ("power", "recording/parse", "energy", "report", "insight/graph")


def _modules() -> list[Path]:
    return [path for path in files(PACKAGE, ".py") if "sample" not in path.relative_to(PACKAGE).parts]


def _modules_of(*packages: str) -> list[Path]:
    return [path for path in _modules() if _place(path).startswith(tuple(f"{name}/" for name in packages))]


def _shared(places: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return names that occur more than once, with the modules of each."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, where in places:
        found[name].append(where)
    return {name: modules for name, modules in found.items() if len(modules) > 1}


def _place(path: Path) -> str:
    return place(path, PACKAGE)


@cache
def _imports(path: Path) -> set[str]:
    """Return all imports of a module, including type-only imports and those inside functions."""
    found: set[str] = set()
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            if node.module.startswith("navitas"):
                found.update(f"{node.module}.{alias.name}" for alias in node.names)  # modules among them
    return found


def _name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def _room_and_part(module: str) -> tuple[str, str]:
    _, room, part, *_ = f"{module}...".split(".")
    return room, part


def test_a_module_imports_only_rooms_below() -> None:
    refused = []
    for path in _modules():
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room in ("cli", "__init__"):
            continue
        used = {name.split(".")[1] for name in _imports(path) if name.startswith("navitas.")} - {room, "__version__"}
        refused += [f"{_place(path)} imports {other}" for other in sorted(used - set(ROOMS[room].split()))]
    assert refused == []


def test_what_records_knows_nothing_of_analysis() -> None:
    analysis = ("navitas.recording.parse", "navitas.recording.importing")
    modules = [
        path for path in _modules_of("capture", "recording") if _room_and_part(_name(path))[1] not in ("parse", "importing")
    ]
    assert [_place(path) for path in modules for name in _imports(path) if name.startswith(analysis)] == []


def test_the_parts_of_a_room_follow_the_data_flow() -> None:
    refused = []
    for path in _modules():
        room, part = _room_and_part(_name(path))
        order = PARTS.get(room, ())
        later = {(room, other) for other in (order[order.index(part) + 1 :] if part in order else order)}
        refused += [f"{_place(path)} imports {name}" for name in sorted(_imports(path)) if _room_and_part(name) in later]
    assert refused == []


def test_the_packages_of_the_instrumenter_follow_the_data_flow() -> None:
    root = ROOT / "instrumenter/core/src/main/java/org/navitas/instrument"
    refused = []
    for path in files(root, ".java"):
        later = INSTRUMENTER[INSTRUMENTER.index(path.relative_to(root).parts[0]) + 1 :]
        used = re.findall(r"\borg\.navitas\.instrument\.(\w+)", text(path))
        refused += [f"{place(path, root)} imports {package}" for package in used if package in later]
    assert refused == []


def test_no_module_imports_itself_through_others() -> None:
    """Type-only imports count; names that a package's `__init__` re-exports do not."""
    modules = {_name(path): path for path in _modules() if path.name != "__init__.py"}
    used = {name: (_imports(path) & modules.keys()) - {name} for name, path in modules.items()}
    TopologicalSorter(used).prepare()


def test_attribution_knows_components_only_by_their_port() -> None:
    """Only the registry of components imports the CPU component. Call paths do not depend on it."""
    imports_cpu = {
        _place(path)
        for path in _modules()
        if any(f"{name}.".startswith("navitas.energy.attribute.cpu.") for name in _imports(path))
        and PACKAGE / "energy/attribute/cpu" not in path.parents
    }
    assert imports_cpu == {"energy/attribute/component_registry.py"}


def test_module_names_of_the_analysis_are_unique() -> None:
    found = [(path.name, _place(path)) for path in _modules_of(*ANALYSIS) if path.name != "__init__.py"]
    assert _shared(found) == {}


def test_public_class_names_are_unique() -> None:
    classes = [(node.name, _place(path)) for path in _modules() for node in nodes(path) if isinstance(node, ast.ClassDef)]
    assert _shared((name, where) for name, where in classes if not name.startswith("_")) == {}


def test_a_library_is_imported_in_few_modules() -> None:
    refused = []
    for path in _modules():
        libraries = {name.split(".")[0] for name in _imports(path)} & ONLY_IN.keys()
        where = _place(path)
        refused += [f"{library} in {where}" for library in libraries if not where.startswith(tuple(ONLY_IN[library]))]
    assert refused == []


def test_terminal_tables_are_drawn_in_one_place() -> None:
    """tests/unit/report/test_every_table.py prints each of them at every width."""
    drawing = {_place(path) for path in _modules() if _imports(path) & {"rich.table", "rich.columns"}}
    assert drawing == {"report/terminal/fitted_table.py"}


def test_the_rails_share_no_code_with_the_estimate() -> None:
    modules = _modules_of("capture/device", "virtual_phone")
    assert PACKAGE / "virtual_phone" / "kernel" / "modelled_rails.py" in modules
    # The phone's tracers read what async-profiler writes, as the estimate does. Stacks have no energy.
    for path in sorted({*modules} - {*_modules_of("virtual_phone/trace")}):
        assert not {
            name
            for name in _imports(path)
            if name.startswith(("navitas.power", "navitas.energy.attribute", "navitas.recording.parse"))
        }, path


# Names that only a second way to write files or take locks would need, and the modules that may use them.
ONE_WAY = {
    "mkstemp": set(),
    "NamedTemporaryFile": set(),
    "O_EXCL": {"base/new_files.py"},
    "fsync": {"base/new_files.py", "fleet/ingest/commit.py"},  # appends lines to a ledger
    "flock": {"base/folder_lock.py"},
}


def test_files_are_written_and_locked_in_one_way() -> None:
    refused = []
    for path in _modules():
        where = _place(path)
        if where.startswith("virtual_phone/"):  # the files of a modelled phone
            continue
        names = {node.attr for node in nodes(path) if isinstance(node, ast.Attribute)}
        refused += [f"{where}: {name}" for name, homes in ONE_WAY.items() if name in names and where not in homes]
        # A recording's folder is cleared of unfinished files of earlier versions.
        if where not in ("base/new_files.py", "recording/recording_folder.py"):
            refused += [f"{where}: .part" for node in nodes(path) if isinstance(node, ast.Constant) and node.value == ".part"]
    assert refused == [], "use navitas.base.new_files or navitas.base.folder_lock"


def test_every_temporary_folder_is_an_owned_folder() -> None:
    """Python's own temporary folders are never removed after a kill, so each is made by `owned_folder`."""
    own = {path.name for path in _modules() if re.search(r"tempfile\.(TemporaryDirectory|mkdtemp)", text(path))}
    assert own == {"owned_folder.py", "package_manager.py"}, "package_manager: inside a phone's own folder"


def test_modules_stay_small() -> None:
    lengths = {_place(path): len(text(path).splitlines()) for path in _modules()}
    assert {where: lines for where, lines in lengths.items() if lines > 400} == {}


def test_the_simulator_of_truth_does_not_import_the_code_that_it_checks() -> None:
    imported = {
        (path.name, name) for path in files(TESTS / "truth", ".py") for name in _imports(path) if name.startswith("navitas")
    }
    assert {one for one in imported if not one[1].startswith("navitas.recording")} == set()
