#!/usr/bin/env bash
# Fuzzing for a bounded time: text and Arrow columns in C under libFuzzer (clang), or else in the loop of
# fuzz/mutate.c; the rest under atheris (pip install atheris).  If that is not installed, it is left out.
#
#     fuzz/run.sh                 # 12 seconds each: what CI does
#     fuzz/run.sh 3600            # an hour each
#     fuzz/run.sh 600 measures    # one of them
#
# New inputs that reach new code go to fuzz/found (not kept), those that fail to fuzz/failed.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-12}
only=${2:-}
mkdir -p fuzz/failed
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
options=(-max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0)

declare -A sources=([trec_text]=csrc/reading/trec_text.c [arrow_column]="csrc/reading/arrow_column.c csrc/reading/arrow_checks.c")
build=(-std=c11 -g -O1 -fno-sanitize-recover=undefined -Icsrc)
echo "int LLVMFuzzerTestOneInput(void) { return 0; }" >"$work/empty.c"
for harness in trec_text arrow_column; do
    [[ -z $only || $only == "$harness" ]] || continue
    echo "== $harness, $seconds s"
    # shellcheck disable=SC2206  # several sources in one word
    files=(fuzz/$harness.c ${sources[$harness]})
    if clang -fsanitize=fuzzer,address,undefined "$work/empty.c" -o "$work/empty" 2>/dev/null; then
        mkdir -p "fuzz/found/$harness"
        dictionary=()
        [[ -f fuzz/$harness.dict ]] && dictionary=(-dict="fuzz/$harness.dict")
        clang "${build[@]}" -fsanitize=fuzzer,address,undefined "${files[@]}" -lm -o "$work/$harness"
        "$work/$harness" "${options[@]}" "${dictionary[@]}" -artifact_prefix="fuzz/failed/$harness-" \
            "fuzz/found/$harness" "fuzz/corpus/$harness"
    else
        echo "without libFuzzer: inputs are changed at random"
        "${CC:-cc}" "${build[@]}" -fsanitize=address,undefined fuzz/mutate.c "${files[@]}" -lm -o "$work/$harness"
        "$work/$harness" "$seconds" 1000000000 "$RANDOM" "fuzz/failed/$harness-input" "fuzz/corpus/$harness"/*
    fi
done
for harness in measures rank_measures run_files; do
    [[ -z $only || $only == "$harness" ]] || continue
    if ! python -c "import atheris" 2>/dev/null; then
        echo "== $harness: left out, atheris is not installed"
        continue
    fi
    echo "== $harness, $seconds s"
    mkdir -p "fuzz/found/$harness"
    dictionary=()
    [[ -f fuzz/$harness.dict ]] && dictionary=(-dict="fuzz/$harness.dict")
    python fuzz/drive.py "$harness" "${options[@]}" "${dictionary[@]}" -artifact_prefix="fuzz/failed/$harness-" \
        "fuzz/found/$harness" "fuzz/corpus/$harness"
done
