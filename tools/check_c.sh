#!/usr/bin/env bash
# The kernels in C alone: strict warnings under every compiler at hand, the unit tests under AddressSanitizer and
# UndefinedBehaviorSanitizer, and under valgrind where it is installed.
#
#     tools/check_c.sh            # all of it
#     tools/check_c.sh --quick    # with the first compiler, without valgrind
set -euo pipefail
cd "$(dirname "$0")/.."

quick=${1:-}
root=$PWD work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
each() { xargs -P "$(nproc)" -n 1 "$@"; }  # a command for each line, as many at a time as there are processors
strict=(-std=c11 -Icsrc -O2 -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes
        -Werror)
sanitize=(-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)

compilers=()
for name in ${CC:-gcc clang cc}; do
    if command -v "$name" >/dev/null && [[ ! ($name == cc && ${#compilers[@]} -gt 0) ]]; then
        compilers+=("$name")
    fi
done
[[ ${#compilers[@]} -gt 0 ]] || { echo "no C compiler found" >&2; exit 1; }
[[ $quick == --quick ]] && compilers=("${compilers[0]}")

for compiler in "${compilers[@]}"; do
    echo "== $compiler: warnings"
    printf '%s\n' csrc/*/*.c | each "$compiler" "${strict[@]}" -o /dev/null -c
    echo "int main(void) { return 0; }" >"$work/empty.c"
    if ! "$compiler" "${sanitize[@]}" "$work/empty.c" -o "$work/empty" 2>/dev/null; then
        echo "== $compiler: no sanitizers, unit tests left out"
        continue
    fi
    mkdir -p "$work/$compiler"
    (  # objects are written to the current folder
        cd "$work/$compiler"
        printf '%s\n' "$root"/csrc/*/*.c | each "$compiler" -std=c11 -ffp-contract=off "${sanitize[@]}" -I"$root/csrc" -c
    )
    for test in tests/c/test_*.c; do
        echo "== $compiler: $(basename "$test" .c), sanitized"
        "$compiler" -std=c11 -ffp-contract=off "${sanitize[@]}" -Icsrc "$test" "$work/$compiler"/*.o -lm -o "$work/test"
        UBSAN_OPTIONS=print_stacktrace=1 "$work/test"
    done
done

if [[ $quick != --quick ]] && command -v valgrind >/dev/null; then
    for test in tests/c/test_*.c; do
        echo "== valgrind: $(basename "$test" .c)"
        "${compilers[0]}" -std=c11 -ffp-contract=off -O1 -gdwarf-4 -Icsrc "$test" csrc/*/*.c -lm -o "$work/test"
        valgrind --quiet --error-exitcode=9 --leak-check=full "$work/test"
    done
fi
