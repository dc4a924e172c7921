# Each recipe is one plain command; CONTRIBUTING.md names them, and just is not needed.

# The quick test suite: under three minutes on two cores.
test *ARGS:
    python -m pytest -n auto {{ARGS}}

# Everything a change must pass, in an environment of its own.
check:
    .ci/run

# What is checked before a release; it ends with the list of commands that failed.
release-check:
    tools/release_check.sh

# Hunt for the worst question, for example: just hunt hypergeometric_cdf --minutes 10
hunt *ARGS:
    python benchmarks/hunt.py {{ARGS}}
