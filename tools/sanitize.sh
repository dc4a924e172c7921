#!/usr/bin/env bash
# The Python test suite on extensions built with AddressSanitizer and UndefinedBehaviorSanitizer, in a copy of the tree.
#
#     tools/sanitize.sh                       # all tests, quick and long; arguments go to pytest:
#     tools/sanitize.sh tests/rankings/test_input.py
#
# Needs gcc, and in this environment what the tests need (pip install ".[test]" "cython>=3.3" "setuptools>=77").
set -euo pipefail
cd "$(dirname "$0")/.."

library=$(gcc -print-file-name=libasan.so)
[[ $library == /* ]] || { echo "gcc has no libasan.so" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar --exclude='./build' --exclude='./.git' --exclude='*.so' --exclude='./src/irbounds/_core/*.c' -cf - . | tar -xf - -C "$work"
cd "$work"
echo "== build"
CC=gcc IRBOUNDS_SANITIZE=1 python setup.py --quiet build_ext --inplace
echo "== tests"
# Leaks are not looked for: CPython keeps memory to its end.  Limits of address space do not go with the sanitizer, which
# reserves terabytes of it, and programs that tests compile have sanitizers of their own.  Exceptions of C++, as Matplotlib
# throws, need their library loaded first, too.  pytrec_eval, a peer, frees what it took with new[].  Java does not run
# under them, therefore Spark does not.
export PYTHONPATH="$work/src" LD_PRELOAD="$library $(gcc -print-file-name=libstdc++.so.6)" PYTHONMALLOC=malloc IRBOUNDS_SANITIZED=1
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:alloc_dealloc_mismatch=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
python -m pytest -m "" -p no:cacheprovider --deselect tests/test_c.py --deselect tests/spark/test_spark.py "$@"
