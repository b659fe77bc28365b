"""Imports go one way, down the data flow (docs/architecture.md)."""

from __future__ import annotations

import ast
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "navitas"

ALLOWED = {
    "errors": set(),
    "regular_files": set(),
    "folder_lock": {"regular_files"},
    "owned_folder": set(),
    "new_files": set(),
    "user_folders": {"errors"},
    "binary_xml": set(),
    "apk": {"binary_xml", "regular_files"},
    "bundle": {"regular_files"},
    "perfetto": set(),
    "device": {"errors", "apk", "bundle", "owned_folder", "perfetto", "regular_files", "user_folders"},
    "build": {"errors", "bundle", "owned_folder", "regular_files"},
    "recording": {"errors", "folder_lock", "new_files", "regular_files"},
    "power": {"errors", "binary_xml", "regular_files"},
    "parse": {"errors", "perfetto", "recording", "regular_files"},
    "collect": {
        "errors",
        "folder_lock",
        "binary_xml",
        "bundle",
        "device",
        "build",
        "perfetto",
        "recording",
        "regular_files",
        "power",
        "owned_folder",
        "user_folders",
    },
    "attribute": {"errors", "recording", "power", "parse"},
    "analyze": {"errors", "recording", "power", "parse", "attribute"},
    "report": {"errors", "parse", "analyze"},
    "fleet": {"errors", "folder_lock", "new_files", "regular_files"},
    "sample": set(),
}

# Each library appears in few modules.
ONLY_IN = {
    "adbutils": {"device/server_client.py"},
    "py4j": {"build/bridge.py"},
    "axml": {"binary_xml.py"},
    "google": {"parse/trace/perfetto", "perfetto/"},
    "perfetto": {"perfetto/"},
    "lxml": {"power/", "device/virtual/kernel/"},
    "rich": {"cli/", "report/terminal", "report/tables", "report/call_tree", "report/text"},
    "click": {"cli/"},
    "duckdb": {"fleet/engine/duckdb"},
    "pyspark": {"fleet/engine/spark"},
    "pandas": {"analyze/profile"},
    "pyarrow": {"fleet/", "analyze/arrow", "analyze/profile"},
    "scipy": {"fleet/statistics"},
}


def _modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "sample" not in path.relative_to(PACKAGE).parts)


def _imports(path: Path, *, for_types: bool = True) -> set[str]:
    found: set[str] = set()
    module = ast.parse(path.read_text())
    if not for_types:
        module.body = [node for node in module.body if not (isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test))]
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
            if node.module.startswith("navitas"):
                found.update(f"{node.module}.{alias.name}" for alias in node.names)  # modules among them
    return found


def _name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_what_lies_below_it(path: Path) -> None:
    layer = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if layer in ("cli", "__init__"):
        return
    targets = {name.split(".")[1] for name in _imports(path) if name.startswith("navitas.")} - {layer, "__version__"}
    assert targets <= ALLOWED[layer]


def test_no_module_imports_itself_through_others() -> None:
    """What is imported for types alone does not count, nor what a package hands on."""
    modules = {_name(path): path for path in _modules() if path.name != "__init__.py"}
    used = {name: (_imports(path, for_types=False) & modules.keys()) - {name} for name, path in modules.items()}
    TopologicalSorter(used).prepare()


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_library_is_kept_in_few_modules(path: Path) -> None:
    place = path.relative_to(PACKAGE).as_posix()
    for library, homes in ONLY_IN.items():
        if any(name.split(".")[0] == library for name in _imports(path)):
            assert any(place.startswith(home) for home in homes), f"{library} in {place}"


def test_the_rails_share_no_code_with_the_estimate() -> None:
    for path in (PACKAGE / "device").rglob("*.py"):
        assert not {
            name for name in _imports(path) if name.startswith(("navitas.power", "navitas.attribute", "navitas.parse"))
        }, path


@pytest.mark.parametrize("path", _modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_modules_stay_small(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
