"""Imports go one way, down the data flow (docs/architecture.md)."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

from source_tree import PACKAGE, TESTS, files, nodes, place, text

# What each package or module may import.
_IMPORTS = {
    "errors": "",
    "android_ids": "",
    "regular_files": "",
    "cpu_limit": "",
    "new_files": "",
    "trusted_paths": "",
    "untrusted_text": "",
    "line_blocks": "",
    "packed_files": "",
    "power_statistics": "",
    "binary_xml": "",
    "unknown_parts": "",
    "model_defects": "",
    "method_names": "",
    "perfetto": "",
    "strong_components": "",
    "sample": "",
    "folder_lock": "regular_files",
    "owned_folder": "folder_lock",
    "user_folders": "errors trusted_paths",
    "html_page": "untrusted_text",
    "batterystats": "android_ids errors line_blocks packed_files regular_files",
    "apk": "binary_xml regular_files",
    "extra_libraries": "errors",
    "bundle": "errors model_defects regular_files unknown_parts untrusted_text",
    "device": "android_ids errors folder_lock new_files regular_files untrusted_text user_folders",
    "virtual_phone": "android_ids apk bundle device errors new_files owned_folder perfetto regular_files "
    "trusted_paths untrusted_text user_folders",
    "build": "bundle errors method_names new_files owned_folder regular_files untrusted_text user_folders",
    "census": "errors model_defects regular_files untrusted_text",
    "recording": "cpu_limit errors folder_lock model_defects new_files regular_files unknown_parts",
    "power": "binary_xml cpu_limit errors model_defects regular_files",
    "parse": "batterystats cpu_limit errors line_blocks model_defects perfetto power power_statistics recording regular_files",
    "workflows": "analyze build bundle collect device errors folder_lock owned_folder recording regular_files untrusted_text "
    "user_folders virtual_phone",
    "collect": "android_ids binary_xml bundle cpu_limit device errors folder_lock method_names new_files owned_folder "
    "perfetto power power_statistics recording regular_files untrusted_text user_folders",
    "attribute": "errors parse power recording",
    "analyze": "attribute errors extra_libraries new_files parse power recording regular_files",
    "report": "analyze errors extra_libraries html_page parse untrusted_text",
    "vitals": "analyze android_ids attribute batterystats errors graph line_blocks parse recording",
    "graph": "analyze attribute errors parse report strong_components untrusted_text",
    "operations": "census errors model_defects new_files parse power_statistics recording regress "
    "regular_files strong_components untrusted_text",
    "importing": "cpu_limit errors line_blocks new_files packed_files parse power recording regular_files untrusted_text",
    "calibrate": "analyze attribute cpu_limit errors extra_libraries new_files parse power power_statistics "
    "regular_files untrusted_text",
    "compare": "errors extra_libraries model_defects untrusted_text",
    "history": "compare errors extra_libraries model_defects regular_files untrusted_text",
    "regress": "errors extra_libraries model_defects regular_files",
    "fleet": "batterystats errors extra_libraries folder_lock html_page line_blocks new_files regular_files untrusted_text",
}
ALLOWED = {name: set(used.split()) for name, used in _IMPORTS.items()}

# Each library appears in few modules.
ONLY_IN = {
    "sklearn": {"regress/"},
    "adbutils": {"device/server_client.py"},
    "py4j": {"build/bridge.py"},
    "platformdirs": {"user_folders.py"},
    "unicodedata": {"untrusted_text.py"},
    "fcntl": {"folder_lock.py", "virtual_phone/output_pipe.py"},
    "axml": {"binary_xml.py"},
    "google": {"parse/trace/perfetto", "perfetto/"},
    "perfetto": {"perfetto/"},
    "lxml": {"power/", "virtual_phone/kernel/"},
    "rich": {"cli/", "report/terminal/", "report/text"},
    "click": {"cli/"},
    "duckdb": {"fleet/engine/duckdb"},
    "pyspark": {"fleet/engine/spark"},
    "pandas": {"analyze/profile"},
    "pyarrow": {"fleet/", "analyze/arrow", "analyze/profile"},
    "scipy": {"fleet/statistics", "analyze/fitting/least_squares"},
}

ANALYSIS = ("recording", "power", "parse", "attribute", "analyze", "graph", "report")


def _modules() -> list[Path]:
    return [path for path in files(PACKAGE, ".py") if "sample" not in path.relative_to(PACKAGE).parts]


def _modules_of(*packages: str) -> list[Path]:
    return [path for path in _modules() if path.relative_to(PACKAGE).parts[0] in packages]


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


def test_a_module_imports_only_lower_layers() -> None:
    refused = []
    for path in _modules():
        layer = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if layer in ("cli", "__init__"):
            continue
        targets = {name.split(".")[1] for name in _imports(path) if name.startswith("navitas.")} - {layer, "__version__"}
        refused += [f"{_place(path)} imports {target}" for target in sorted(targets - ALLOWED[layer])]
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
        if any(f"{name}.".startswith("navitas.attribute.cpu.") for name in _imports(path))
        and PACKAGE / "attribute/cpu" not in path.parents
    }
    assert imports_cpu == {"attribute/components.py"}


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
    modules = _modules_of("device", "virtual_phone")
    assert PACKAGE / "virtual_phone" / "kernel" / "modelled_rails.py" in modules
    for path in modules:
        assert not {
            name for name in _imports(path) if name.startswith(("navitas.power", "navitas.attribute", "navitas.parse"))
        }, path


# Names that only a second way to write files or take locks would need, and the modules that may use them.
ONE_WAY = {
    "mkstemp": set(),
    "NamedTemporaryFile": set(),
    "O_EXCL": {"new_files.py"},
    "fsync": {"new_files.py", "fleet/ingest/commit.py"},  # appends lines to a ledger
    "flock": {"folder_lock.py"},
}


def test_files_are_written_and_locked_in_one_way() -> None:
    refused = []
    for path in _modules():
        where = _place(path)
        if where.startswith("virtual_phone/"):  # the files of a modelled phone
            continue
        names = {node.attr for node in nodes(path) if isinstance(node, ast.Attribute)}
        refused += [f"{where}: {name}" for name, homes in ONE_WAY.items() if name in names and where not in homes]
        # The recording's writer removes unfinished files of earlier versions.
        if where not in ("new_files.py", "recording/writer.py"):
            refused += [f"{where}: .part" for node in nodes(path) if isinstance(node, ast.Constant) and node.value == ".part"]
    assert refused == [], "use navitas.new_files or navitas.folder_lock"


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
