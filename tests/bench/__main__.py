"""Run all benchmarks, one after another (`make bench`): `python tests/bench [NAME …] [--check] [--quick]`.

Each is a module bench_<name>.py with `main(argv) -> int`. It runs in a separate process, so peak memory is its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(argv: list[str]) -> int:
    """Run the named benchmarks, or all. With `--check`, return 1 if one exceeds a limit or fails."""
    known = {path.stem.removeprefix("bench_"): path for path in sorted(HERE.glob("bench_*.py"))}
    parser = argparse.ArgumentParser(prog="make bench", description="Run benchmarks.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(known)}; all by default")
    parser.add_argument("--check", action="store_true", help="exit with 1 if a figure exceeds its limit")
    parser.add_argument("--quick", action="store_true", help="smaller inputs and fewer rounds")
    options = parser.parse_args(argv)
    if unknown := set(options.names) - set(known):
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    passed_on = ["--check", *(["--quick"] if options.quick else [])]
    missed = []
    for name in options.names or known:
        print(f"== {name}", flush=True)
        if subprocess.run([sys.executable, str(known[name]), *passed_on], check=False).returncode:
            missed.append(name)
    print(f"missed or failed: {', '.join(missed)}" if missed else "all figures are within their limits")
    return int(options.check and bool(missed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
