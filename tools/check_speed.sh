#!/bin/sh
# Fail if a public function is a tenth slower than at an older commit: tools/check_speed.sh HEAD^1
# Both are compiled here, one after the other, and timed in turns by benchmarks/builds.py.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git archive --prefix=older/ "$1" | tar -x -C "$folder"
git archive --prefix=newer/ HEAD | tar -x -C "$folder"
for build in older newer; do
    python -m venv "$folder/$build.env"
    "$folder/$build.env/bin/python" -m pip install --quiet "$folder/$build[cli,frames,report]"
done
"$folder/newer.env/bin/python" benchmarks/builds.py --check "$folder/older.env/bin/python"
