#!/usr/bin/env bash
# The wheel for Linux on ARM, cross-compiled here, tested under QEMU with Debian's Python for that processor.
#
#     apt-get install debootstrap qemu-user-static; pip install ziglang "cython>=3.3" "setuptools>=77"
#     tools/check_aarch64.sh                          # what cibuildwheel tests, some minutes; or other tests:
#     tools/check_aarch64.sh tests/test_properties.py
#
# Needs root, for debootstrap, and some 500 MB in the folder for temporary files.
set -euo pipefail
cd "$(dirname "$0")/.."

[[ $# -gt 0 ]] || set -- tests/rankings/test_weak_ordering.py tests/rankings/test_ties_expected.py tests/chance/test_hypergeometric.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
KEEP="$work/dist" tools/check_cross.sh aarch64-linux-gnu.2.28

echo "== Python for aarch64"
debootstrap --arch=arm64 --foreign --variant=minbase --include=python3 bookworm "$work/root" \
    "${MIRROR:-http://deb.debian.org/debian}" >"$work/log" || { tail -5 "$work/log" >&2; exit 1; }
for package in "$work"/root/var/cache/apt/archives/*.deb; do
    dpkg-deb --extract "$package" "$work/root"
done
python -m pip install --quiet --target "$work/site" --only-binary :all: --implementation cp --python-version 3.11 \
    --platform manylinux_2_28_aarch64 --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 \
    "hypothesis>=6.100" "mpmath>=1.3" "numpy>=1.25" "pytest>=8" "scipy>=1.11"
python -m pip install --quiet --target "$work/site" --only-binary :all: --implementation cp --python-version 3.11 \
    --platform manylinux_2_28_aarch64 --abi abi3 --no-deps "$work"/dist/*aarch64.whl

echo "== tests under QEMU"
mkdir "$work/outside"
cp -R pyproject.toml tests "$work/outside"
cd "$work/outside"
PYTHONPATH="$work/site" qemu-aarch64-static -L "$work/root" "$work/root/usr/bin/python3.11" -m pytest -p no:cacheprovider "$@"
