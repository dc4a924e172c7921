#!/usr/bin/env bash
# Two builds of the last commit, in two folders, with other rights and in another time zone, give the same sdist and
# the same wheel, byte for byte. Whoever has the source can check a release so: check out its tag and run this.
#
#     tools/check_reproducible.sh                  # with python3
#     KEEP=dist tools/check_reproducible.sh        # leave sdist and wheel in that directory
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check "build>=1.2"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
commit=$(git rev-parse HEAD)

make() {  # make NAME UMASK ZONE
    mkdir "$work/$1"
    git archive "$commit" | tar -xf - -C "$work/$1"
    (
        umask "$2"
        export TZ=$3
        "$work/venv/bin/python" -m build --outdir "$work/$1-dist" "$work/$1" >"$work/log" 2>&1 ||
            { tail -30 "$work/log" >&2; exit 1; }
    )
}
records() { unzip -p "$1"/*.whl '*.dist-info/RECORD'; }  # the hash of each file

make first 022 UTC
make second 077 Asia/Tokyo
failed=0
for file in "$work"/first-dist/*; do
    if cmp "$file" "$work/second-dist/$(basename "$file")"; then
        echo "$(sha256sum "$file" | cut -d' ' -f1)  $(basename "$file")"
    else
        failed=1
    fi
done
if [[ $failed != 0 ]]; then
    diff <(tar -tvzf "$work"/first-dist/*.tar.gz) <(tar -tvzf "$work"/second-dist/*.tar.gz) | head -20 >&2 || true
    diff <(records "$work/first-dist") <(records "$work/second-dist") >&2 || true
    diff <(unzip -Z "$work"/first-dist/*.whl) <(unzip -Z "$work"/second-dist/*.whl) | head -20 >&2 || true
elif [[ -n ${KEEP:-} ]]; then
    mkdir -p "$KEEP"
    cp "$work"/first-dist/* "$KEEP"
fi
exit $failed
