#!/bin/sh
# Rewrites constraints.txt and benchmarks/peers.txt: every dependency pinned, with the hashes of all its files.
#
# Universal: one file for every platform and every Python from 3.11 on. Pins that still fit are kept, so the same
# input gives the same bytes; `make lock ARGS=--upgrade` takes the newest versions. The index is the machine's: uv
# does not read pip's settings, so the one that pip is configured with is handed over. Further indexes are not, on
# purpose: they often hold a few files only, and a lock needs the hashes of all.
set -eu
cd "$(dirname "$0")/.."

uv=${UV:-.venv/bin/uv}
if [ -z "${UV_DEFAULT_INDEX:-}${UV_INDEX_URL:-}" ]; then
    index=${PIP_INDEX_URL:-$(.venv/bin/python -m pip config get global.index-url 2>/dev/null || true)}
    if [ -n "$index" ]; then
        export UV_DEFAULT_INDEX="$index"
    fi
fi

lock() {
    output=$1
    shift
    "$uv" --quiet pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
        --no-emit-index-url --no-emit-find-links --output-file "$output" "$@" >/dev/null
    echo "wrote $output: $(grep -c '==' "$output") pins"
}

lock constraints.txt pyproject.toml --all-extras --group dev "$@"
lock benchmarks/peers.txt benchmarks/peers.in "$@"
