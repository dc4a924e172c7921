#!/usr/bin/env bash
# Fuzzing for a bounded time: the tokenizer in C under libFuzzer (needs clang), the rest under atheris
# (pip install atheris).  What is not there is left out, and said.
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

if [[ -z $only || $only == trec_text ]]; then
    echo "int LLVMFuzzerTestOneInput(void) { return 0; }" >"$work/empty.c"
    if clang -fsanitize=fuzzer,address,undefined "$work/empty.c" -o "$work/empty" 2>/dev/null; then
        echo "== trec_text, $seconds s"
        mkdir -p fuzz/found/trec_text
        clang -std=c11 -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -Icsrc \
            fuzz/trec_text.c csrc/trec_text.c -lm -o "$work/trec_text"
        "$work/trec_text" "${options[@]}" -dict=fuzz/trec_text.dict -artifact_prefix=fuzz/failed/trec_text- \
            fuzz/found/trec_text fuzz/corpus/trec_text
    else
        echo "== trec_text: left out, there is no clang with libFuzzer"
    fi
fi
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
