"""The tests of tests/unit/energy/analyze/test_load.py that start processes."""

from __future__ import annotations

import subprocess
import sys


def test_the_package_is_imported_without_anything_heavy() -> None:
    code = "import navitas, sys; assert not {'numpy', 'lxml', 'rich'} & {*sys.modules}; assert callable(navitas.load)"
    code += "; assert 'numpy' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_readers_and_formats_are_imported_by_what_uses_them() -> None:
    unused = [
        "batterystats.reader",
        "binary_xml",
        "bundle",
        "parse.trace.text_trace",
        "parse.trace.perfetto",
        "report.json_report",
    ]
    unused += ["power.fitted_model", "report.page", "analyze.bounded_tree", "analyze.arrow"]
    names = [*(f"navitas.{name}" for name in unused), "jinja2"]
    code = f"import navitas.cli.report.command, sys; sys.exit(', '.join(set({names}) & set(sys.modules)) or 0)"
    done = subprocess.run([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, check=False)
    assert done.stderr == ""
