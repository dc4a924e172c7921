#!/usr/bin/env bash
# Wheels for other systems and processors, compiled and linked here with the C compiler of Zig, each in a copy of the tree;
# and the kernels' unit tests, run where this machine or QEMU can.
#
#     pip install ziglang "cython>=3.3" "setuptools>=77" abi3audit
#     tools/check_cross.sh                    # all; or those that are named:
#     tools/check_cross.sh aarch64-macos
#     KEEP=dist tools/check_cross.sh          # leave the wheels in that directory
#
# No wheel is linked for Windows, which needs its Python's import library: there, the kernels and their tests alone.
set -euo pipefail
cd "$(dirname "$0")/.."

targets=("$@")
[[ $# -gt 0 ]] || targets=({x86_64,aarch64}-linux-gnu.2.28 {x86_64,aarch64}-linux-musl {x86_64,aarch64}-macos
                           {x86_64,aarch64}-windows-gnu)
zig="$(command -v python) -m ziglang"
$zig version >/dev/null
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/tree" "$work/dist"
tar --exclude='./build' --exclude='./.git' --exclude='*.so' -cf - . | tar -xf - -C "$work/tree"
python=$(command -v python)

build_wheel() {  # build_wheel TARGET: a wheel of the stable ABI in $work/dist
    local platform link=(-shared -s)  # without the symbols of what Zig links in
    case $1 in
        *-linux-gnu.*) platform=manylinux_${1#*gnu.}_${1%%-*} platform=${platform/./_} ;;
        *-linux-musl) platform=musllinux_1_2_${1%%-*} ;;
        x86_64-macos) platform=macosx_10_13_x86_64 link+=(-undefined dynamic_lookup) ;;
        aarch64-macos) platform=macosx_11_0_arm64 link+=(-undefined dynamic_lookup) ;;
    esac
    rm -rf "$work/tree/build"  # of another target; the generated C stays
    (
        cd "$work/tree"
        export CC="$zig cc -target $1" AR="$zig ar" LDSHARED="$zig cc -target $1 ${link[*]}"
        "$python" setup.py --quiet bdist_wheel --plat-name "$platform" --dist-dir "$work/dist" >"$work/log" 2>&1 ||
            { tail -30 "$work/log" >&2; exit 1; }
    )
    python tools/check_contents.py "$work"/dist/*"$platform".whl
    if command -v abi3audit >/dev/null; then
        abi3audit --strict "$work"/dist/*"$platform".whl >/dev/null
    fi
}

run_tests() {  # run_tests TARGET: the unit tests, compiled, and run where there is something that runs them
    local compile=($zig cc -target "${1/gnu.*/musl}" -std=c11 -O2 -ffp-contract=off -Icsrc) link=() runner=none test
    [[ $1 != *-linux-* ]] || link=(-static)
    case $1 in
        "$(uname -m)"-linux-*) runner= ;;
        *-linux-*) runner=$(command -v "qemu-${1%%-*}-static" "qemu-${1%%-*}" | head -1) || runner=none ;;
    esac
    mkdir -p "$work/$1"
    for source in csrc/*/*.c; do
        "${compile[@]}" -c "$source" -o "$work/$1/$(basename "$source" .c).o"
    done
    for test in tests/c/test_*.c; do
        "${compile[@]}" "${link[@]}" "$test" "$work/$1"/*.o -lm -o "$work/$1/test"
        [[ $runner == none ]] || $runner "$work/$1/test"
    done
    case $runner in
        none) echo "$1: unit tests compile; nothing here runs them" ;;
        *) echo "$1: unit tests pass${runner:+ under $(basename "$runner")}" ;;
    esac
}

for target in "${targets[@]}"; do
    echo "== $target"
    [[ $target == *-windows-* ]] || build_wheel "$target"
    run_tests "$target"
done
if [[ -n ${KEEP:-} ]]; then
    mkdir -p "$KEEP"
    cp "$work"/dist/*.whl "$KEEP"
fi
