#!/usr/bin/env bash
# What can be checked of the packaging without building: workflows, pyproject.toml, the list of wheels, the sdist's files.
# A tool that is not installed is named and passed over; with --strict that is an error.
#
#     pip install check-jsonschema check-manifest cibuildwheel py-rattler-build "validate-pyproject[all]" zizmor
#     tools/check_packaging.sh
set -euo pipefail
cd "$(dirname "$0")/.."

strict=${1:-}
failed=0
check() {  # check TOOL ARGUMENT...
    if ! command -v "$1" >/dev/null; then
        echo "== $1: not installed, left out"
        [[ $strict != --strict ]] || failed=1
    elif echo "== $*"; ! "$@"; then
        failed=1
    fi
}

wheels() {  # wheels PLATFORM ARCHITECTURE PREFIX...: for each prefix one build at least
    local found prefix
    found=$(CIBW_ARCHS="$2" cibuildwheel --platform "$1" --print-build-identifiers .) || { failed=1; return; }
    for prefix in "${@:3}"; do
        grep -q "^$prefix" <<<"$found" || { echo "$1 $2: no build of $prefix" >&2; failed=1; }
    done
    echo "$1 $2:" $found
}

render_recipe() {  # the conda recipe, as rattler-build reads it
    python - <<'EOF'
try:
    from rattler_build import Stage0Recipe, VariantConfig
except ImportError:
    print("py-rattler-build: not installed, left out")
else:
    tools = {"python": ["3.13.*"], "c_compiler": ["gcc"], "c_stdlib": ["sysroot"]}
    print(*Stage0Recipe.from_file("recipe/recipe.yaml").render(VariantConfig(tools)))
EOF
}

check check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
check check-jsonschema --builtin-schema vendor.github-actions action.yml
check check-jsonschema --builtin-schema vendor.citation-file-format CITATION.cff
check check-jsonschema --builtin-schema vendor.dependabot .github/dependabot.yml
check zizmor --offline --quiet .
check validate-pyproject pyproject.toml
check python tools/check_release.py
check render_recipe
if command -v git >/dev/null && git rev-parse --git-dir >/dev/null 2>&1; then
    check check-manifest
fi
if command -v cibuildwheel >/dev/null; then
    echo "== cibuildwheel --print-build-identifiers"
    for architecture in x86_64 aarch64; do
        wheels linux $architecture cp311-manylinux cp315t-manylinux cp311-musllinux cp315t-musllinux
    done
    for architecture in x86_64 arm64; do
        wheels macos $architecture cp311-macosx cp315t-macosx
    done
    wheels pyodide wasm32 cp314-pyodide
    for architecture in AMD64 ARM64; do
        wheels windows $architecture cp311-win cp315t-win
    done
else
    check cibuildwheel
fi
[[ $failed != 0 ]] || echo "nothing to complain of"
exit $failed
