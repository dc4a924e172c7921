"""Run the test suites of ir_measures, pytrec_eval and trec_eval 10 on irbounds in their place.

The suites are not part of this project.  Whoever runs them brings them:

    git clone https://github.com/terrierteam/ir_measures
    git clone --recurse-submodules https://github.com/cvangysel/pytrec_eval
    python tools/peer_suites.py ir_measures ./ir_measures
    git clone https://github.com/usnistgov/trec_eval
    python tools/peer_suites.py pytrec_eval ./pytrec_eval
    python tools/peer_suites.py trec_eval ./trec_eval

ir_measures: every provider but that of measures defined at runtime is replaced by irbounds.  One
test asks all providers for the same measures: there irbounds is beside the others, of which ranx
needs text as objects, as pandas had it before version 3.  Two providers do something to a value
that is asserted, and so do their places here (`as_gdeval`, `as_ranx`), and numbers are compared to
12 digits where a test asserts the last; with --plain neither is so, and 4 of 34 tests fail.
pytrec_eval: `irbounds.adapters.pytrec_eval` is imported in its place; the files of trec_eval 9 that
two of its tests read are in its submodule, or in the folder of --trec-eval-test.
trec_eval: the calls of `make quicktest`, line by line, but for preferences and for judgments by
several judges; -M, -Z and the parameters of recall levels, which `irbounds eval` does not take, are
in `tests/cli/test_trec_output.py`.

The exit status is 0 if all tests pass, 1 if one does not.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import importlib.util
import re
import subprocess
import sys
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

KEPT = ("FallbackProvider", "RuntimeProvider")


def main() -> int:
    """Run one suite."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", choices=("ir_measures", "pytrec_eval", "trec_eval"))
    parser.add_argument("folder", type=Path, help="a checkout of that project")
    parser.add_argument("--trec-eval-test", type=Path, help="the folder `test` of trec_eval")
    parser.add_argument("--plain", action="store_true", help="no provider is imitated")
    options = parser.parse_args()
    if options.suite == "trec_eval":
        return trec_eval_calls(options.folder)
    if options.suite == "ir_measures":
        tests = ir_measures_tests(options.folder, options.plain)
    else:
        tests = pytrec_eval_tests(
            options.folder, options.trec_eval_test or options.folder / "trec_eval" / "test"
        )
    return report(tests)


def ir_measures_tests(folder: Path, plain: bool) -> unittest.TestSuite:
    """The suite, with irbounds as the only provider beside that of runtime measures."""
    sys.path.insert(0, str(folder.resolve()))
    keep_text_as_objects()
    ir_measures = importlib.import_module("ir_measures")
    adapter = importlib.import_module("irbounds.adapters.ir_measures")
    provider = adapter.register()
    providers = ir_measures.providers
    for name in [name for name in providers.registry if name not in ("irbounds", "runtime")]:
        setattr(ir_measures, name, provider)
    if not plain:
        imitated = imitation(type(provider), ir_measures)
        ir_measures.gdeval = imitated(as_gdeval, digits=5)
        ir_measures.ranx = imitated(as_ranx)
        compare_up_to_rounding()
    for name in [name for name in providers.__all__ if name.endswith("Provider")]:
        if name not in ("Provider", *KEPT):
            setattr(providers, name, lambda: provider)
    ir_measures.DefaultPipeline.providers[:] = [provider, ir_measures.runtime]
    return unittest.defaultTestLoader.discover(
        str(folder.resolve() / "tests"), top_level_dir=str(folder.resolve())
    )


def keep_text_as_objects() -> None:
    """Frames of pandas 3 have columns of strings, which ranx refuses."""
    try:
        pandas = importlib.import_module("pandas")
        pandas.set_option("future.infer_string", False)
    except (ImportError, KeyError):  # no pandas, or one that has no other columns
        pass


def as_gdeval(measure: Any) -> Any:
    """Perl's gdeval has exponential gains alone, whatever is asked for; it prints five digits."""
    return measure(dcg="exp-log2") if measure.NAME == "nDCG" else measure


def as_ranx(measure: Any) -> Any:
    """The provider of ranx ignores the cut-off of a set measure, which ir_measures itself
    refuses."""
    if measure.NAME not in ("SetP", "SetR") or "cutoff" not in measure.params:
        return measure
    return type(measure)(**{key: x for key, x in measure.params.items() if key != "cutoff"})


def imitation(base: Any, ir_measures: Any) -> Any:
    """A class of providers that compute another measure than is asked for, or print it."""

    class Imitated(ir_measures.providers.Evaluator):  # type: ignore[misc]
        def __init__(self, asked: dict[Any, Any], inner: Any, digits: int | None) -> None:
            super().__init__(list(asked.values()), inner.qrel_qids)
            self.asked, self.inner, self.digits = asked, inner, digits

        def iter_calc(self, run: Any) -> Iterator[Any]:
            for query, measure, value in self.inner.iter_calc(run):
                shown = value if self.digits is None else float(f"{value:.{self.digits}f}")
                yield ir_measures.Metric(query, self.asked[measure], shown)

    class Imitation(base):  # type: ignore[misc]
        def __init__(self, replace: Callable[[Any], Any], digits: int | None = None) -> None:
            super().__init__()
            self.replace, self.digits = replace, digits

        def _evaluator(self, measures: Any, qrels: Any) -> Any:
            asked = {self.replace(measure): measure for measure in measures}
            return Imitated(asked, super()._evaluator(asked, qrels), self.digits)

    return Imitation


def compare_up_to_rounding() -> None:
    """One test asserts that sets of metrics, and dicts, are equal to the last digit, and has fields
    of cwl_eval that are no measure's: here 12 digits of query, measure and value count."""
    numpy_testing: Any = importlib.import_module("numpy.testing")
    exactly, dicts_exactly = unittest.TestCase.assertEqual, numpy_testing.assert_equal

    def assert_equal(self: unittest.TestCase, one: Any, other: Any, msg: Any = None) -> None:
        if isinstance(one, set) and all(isinstance(x, tuple) for x in {*one, *other}):
            one, other = (
                sorted((q, str(m), round(v, 12)) for q, m, v, *_ in x) for x in (one, other)
            )
        exactly(self, one, other, msg)

    def dicts_equal(one: Any, other: Any) -> None:
        dicts_exactly(*({key: round(value, 12) for key, value in x.items()} for x in (one, other)))

    unittest.TestCase.assertEqual = assert_equal  # type: ignore[method-assign]
    numpy_testing.assert_equal = dicts_equal


def pytrec_eval_tests(folder: Path, files: Path) -> unittest.TestSuite:
    """The suite, which makes its two tests of trec_eval's files when it is run as a script."""
    sys.modules["pytrec_eval"] = importlib.import_module("irbounds.adapters.pytrec_eval")
    module = load(folder / "tests" / "pytrec_eval_tests.py")
    if not files.is_dir():
        print(f"{files} is no folder: the tests of trec_eval's files are left out", file=sys.stderr)
    else:
        module.TREC_EVAL_TEST_DIR = str(files)
        for number, (*names, options) in enumerate(module.TRADITIONAL_TREC_EVAL_TEST_CASES):
            test = module.generate_traditional_test(*names, **options)
            setattr(module.PyTrecEvalIntegrationTest, f"test_file_{number}", test)
    return unittest.defaultTestLoader.loadTestsFromModule(module)


def trec_eval_calls(folder: Path) -> int:
    """The calls of trec_eval's Makefile; prints the lines that differ."""
    makefile = (folder / "Makefile").read_text()
    target = makefile.partition("\nquicktest:")[2].partition("\n\n")[0]
    calls = re.findall(r"^\t\./trec_eval (.*) \| diff - (\S+)$", target, re.MULTILINE)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    for options, output in calls:
        arguments = in_our_words(options.split(), folder)
        if arguments is None:
            counts["skipped"] += 1
            continue
        command = [sys.executable, "-m", "irbounds", "eval", "--ties", "doc_id", "-f", "trec"]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)
        lines = difflib.unified_diff(
            (folder / output).read_text().splitlines(), done.stdout.splitlines(), n=0, lineterm=""
        )
        differences = list(lines)[2:]
        counts["failed" if differences or done.returncode else "passed"] += 1
        if differences or done.returncode:
            print(options, *differences, done.stderr, sep="\n")
    print(", ".join(f"{n} {word}" for word, n in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


def in_our_words(options: list[str], folder: Path) -> list[str] | None:
    """Arguments of `irbounds eval` for those of trec_eval; None for what it does not take."""
    if any(word.startswith(("-R", "-M", "-Z", "-miprec_at_recall.")) for word in options):
        return None
    measures, switches, level = [], [], ""
    words = iter(options[:-2])
    for word in words:
        if word.startswith("-m"):
            measures.append(word[2:] or next(words))
        elif word.startswith("-l"):
            level = f"(rel={word[2:]})"
        elif word != "-c":  # queries that the run lacks count zero here anyhow
            switches.append(word)
    known = {"all_trec": f"all_trec{level}"}
    named = [known.get(name, name) for name in measures or ["official(rounding=nearest)"]]
    given = [part for name in named for part in ("-m", name)]
    return [*(str(folder / name) for name in options[-2:]), *switches, *given]


def load(path: Path) -> ModuleType:
    """A Python file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} cannot be read")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def report(tests: unittest.TestSuite) -> int:
    """Run the tests; print those that do not pass, each with the last line of its reason."""
    result = unittest.TestResult()
    tests.run(result)
    bad: dict[str, list[str]] = {}
    for test, reason in [*result.failures, *result.errors]:
        whole = getattr(test, "test_case", test).id()
        bad.setdefault(whole, []).append(reason.strip().splitlines()[-1])
    for name, reasons in sorted(bad.items()):
        print(name)
        for reason in dict.fromkeys(reasons):
            print(f"    {reason}")
    skipped = len(result.skipped)
    passed = result.testsRun - len(bad) - skipped
    print(f"{passed} passed, {len(bad)} failed, {skipped} skipped")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
