#!/bin/sh
# Judges this checkout by the budgets of navitas.toml, against the branch that it will be merged into. For any CI.
#
#   BASE=origin/main             the branch
#   NAVITAS_WHEEL=FILE           the path or the address of the wheel of a Navitas release
#   NAVITAS_HOME=~/navitas       where Navitas is installed; keep it between jobs, with ~/.cache/navitas and ~/.gradle
#   MINUTES=20                   how long to measure at most
#
# Writes build/energy: summary.md, check.json, check.sarif, check.xml (JUnit), changes.html, and the recordings.
# Exit codes: 0 passed, 1 a budget is exceeded or unknown, 2 wrong usage, 3 tests failed, 4 trouble.
set -eu

base=${BASE:-origin/main}
home=${NAVITAS_HOME:-$HOME/navitas}
out=build/energy

if ! before=$(git merge-base "$base" HEAD); then
    deepen=
    if [ "$(git rev-parse --is-shallow-repository)" = true ]; then deepen=" --unshallow"; fi
    echo "check.sh: this clone does not have the history up to $base." >&2
    echo "Clone all of it, or run: git fetch$deepen origin ${base#origin/}:refs/remotes/$base" >&2
    exit 2
fi
if ! "$home/bin/navitas" --version > /dev/null 2>&1; then # It can be a copy for another Python.
    rm -rf "$home"
    python3 -m venv "$home"
    case ${NAVITAS_WHEEL:?set it to the path or the address of a wheel} in # With the extra that `navitas check` needs.
        *://*) wheel="navitas[compare] @ $NAVITAS_WHEEL" ;;
        *) wheel="$NAVITAS_WHEEL[compare]" ;;
    esac
    "$home/bin/pip" install "$wheel"
fi

rm -rf "$out"
mkdir -p "$out"
"$home/bin/navitas" check . --against "$before" --measure --max-minutes "${MINUTES:-20}" --warmup 1 \
    -o "$out/recordings" --json "$out/check.json" --summary "$out/summary.md" \
    --sarif "$out/check.sarif" --junit "$out/check.xml" --html "$out/changes.html"
